"""One spelling for names that people write alike: case, accents, composed forms, quotes, dashes, spaces."""

from __future__ import annotations

import re
import unicodedata

# Accents of Latin, Greek and Cyrillic, Hebrew points and Arabic vowel signs. Voicing marks of Japanese and
# the signs of Indic scripts are letters rather than accents, so they stay.
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_JOINING_HYPHEN = re.compile(r"(?<=\w)-(?=\w)")
_EDGES = ",.;:!?()[]{}\"'"

_CONTROLS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], " ")
_SPELLED = dict(zip("æœøđðþłħŧı", "ae oe o d d th l h t i".split(), strict=True))  # noqa: SIM905
_LETTERS = str.maketrans(
    {
        **_SPELLED,
        **dict.fromkeys("‘’‚‛`´ʹʻʼʽˈ′＇", "'"),
        **dict.fromkeys("“”„‟«»″＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
        "_": " ",
    }
)


def fold(text: str) -> str:
    """The form under which names are compared.

    Case, accents, composed and full-width forms, typographic quotes and dashes, underscores and runs of space
    make no difference, nor does a hyphen between letters ("Jean-Luc" is "Jean Luc"). Symbols stay, so that C,
    C++, C# and !!! differ. A text of nothing but separators is kept.
    """
    folded = text.lower().replace("_", " ").replace("`", "'") if text.isascii() else _fold_unicode(text)
    if not folded.isprintable():
        folded = folded.translate(_CONTROLS)
    if "-" in folded:
        folded = _JOINING_HYPHEN.sub(" ", folded)
    return " ".join(folded.split()) or " ".join(_INVISIBLE.sub("", text).translate(_CONTROLS).lower().split())


def _fold_unicode(text: str) -> str:
    sound = _LONE_SURROGATE.sub("\ufffd", _INVISIBLE.sub("", text))
    # Letters are spelled out on both sides of the decomposition: an acute accent used as an apostrophe would
    # become a space in it, and a letter may come out of it.
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", sound.casefold().translate(_LETTERS)))
    return unicodedata.normalize("NFC", plain.casefold().translate(_LETTERS))


def words(folded: str) -> list[str]:
    """The words of a folded name, without punctuation around them unless that is all there is."""
    found = folded.split()
    return found if folded.replace(" ", "").isalnum() else [word.strip(_EDGES) or word for word in found]
