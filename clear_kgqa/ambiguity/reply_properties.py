"""Replies that name the property of an option in other words: "people", "its size", "in square kilometres"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clear_kgqa.ambiguity.reply_words import told_of
from clear_kgqa.clarification import Option
from clear_kgqa.readings.english import lexicon, synonyms
from clear_kgqa.readings.words import content_stems, stem, tokenize

_BESIDE = frozenset(stem(w) for w in ("live", "lives", "living", "measured", "terms", "number"))


def named_property(text: str, options: tuple[Option, ...]) -> int | None:
    """The one option whose property a reply names by its unit, by what it measures, or by a synonym; else None."""
    shown = content_stems(" ".join(told_of(o) for o in options))
    bags = [frozenset(w.stem for w in tokenize(f"{o.label} {o.path}")) for o in options]
    for phrase, names in _meant(text):
        if content_stems(phrase) & shown or content_stems(_without(phrase, text)) - frozenset().union(*bags) - _BESIDE:
            continue
        for stems in names:
            fitting = [i for i, bag in enumerate(bags) if stems <= bag]
            if len(fitting) == 1:
                return fitting[0]
    return None


def _without(phrase: str, text: str) -> str:
    return re.sub(rf"\b{re.escape(phrase)}(?!\w)", " ", text, flags=re.I)


def _meant(text: str) -> Iterator[tuple[str, list[frozenset[str]]]]:
    """Phrases of a reply with what they may mean, as sets of stems, the most usual first."""
    words = lexicon()
    for phrase, attributes in sorted(words["units"].items(), key=lambda unit: -len(unit[0])):
        if _without(phrase, text) != text:
            yield phrase, [content_stems(a) for a in attributes]
    for adjective, attributes in words["how"].items():
        if _without(f"how {adjective}", text) != text:
            yield f"how {adjective}", [content_stems(a) for a in attributes]
    for word in tokenize(text):
        for attributes in words["how"].values():
            if word.lower in attributes:
                yield word.lower, [content_stems(a) for a in attributes]
        yield word.lower, [frozenset({s}) for s in sorted(synonyms().get(word.lower, ()))]
