"""Replies that grade the options ("the biggest one", "the older film"), told by what the options show."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from clear_kgqa.ambiguity.reply_places import ORDINALS
from clear_kgqa.clarification import Option
from clear_kgqa.readings.english import lexicon
from clear_kgqa.readings.words import content_stems, stem, tokenize

_NUMBER = r"-?\d[\d,. ]*\d|-?\d"
_YEAR = re.compile(r"\b(1[0-9]{3}|20[0-9]{2})\b")
_MORE, _LESS = ("most", "more"), ("least", "less", "fewest", "fewer")


@dataclass(frozen=True, slots=True)
class _Grade:
    attributes: tuple[str, ...]
    most: bool
    dates: bool


@cache
def _graded_words() -> dict[str, _Grade]:
    """Every superlative and comparative with what it grades; where two grades share one, the first counts."""
    out: dict[str, _Grade] = {}
    for grade in lexicon()["grades"].values():
        for way in ("more", "less"):
            for word in grade[way]:
                out.setdefault(word, _Grade(tuple(grade["attributes"]), way == "more", grade.get("dates", False)))
    return out


def graded(text: str, options: tuple[Option, ...]) -> int | None:
    """The option that a superlative picks out, by the numbers or years that the options show; None where they tell none."""
    words = [w.lower for w in tokenize(text)]
    found = _grade(words)
    if found is None or _says_more(text, options):
        return None
    values = [_value(o, found) for o in options]
    known = sorted({v for v in values if v is not None}, reverse=found.most)
    rank = next((ORDINALS[w] for w in words if w in ORDINALS and w != "one"), 1)
    if len(known) < 2 or rank > len(known) or (None in values and not found.dates):
        return None
    at = [i for i, v in enumerate(values) if v == known[rank - 1]]
    return at[0] if len(at) == 1 else None


def _says_more(text: str, options: tuple[Option, ...]) -> bool:
    """Whether a reply holds words beside the grade that no option shows ("the biggest lake")."""
    shown = content_stems(" ".join(" ".join((o.label, o.type, o.description, o.fact, o.path)) for o in options))
    graded_stems = {stem(w) for w in (*_graded_words(), *_MORE, *_LESS, *ORDINALS)}
    return bool(content_stems(text) - shown - graded_stems - _attribute_stems() - {"mean"})


def _grade(words: list[str]) -> _Grade | None:
    known = _graded_words()
    word = next((w for w in words if w in known and w not in ("first", "last")), "")
    end = next((w for w in words if w in (*_MORE, *_LESS)), "")
    if not word and end:
        named = [w for w in words if stem(w) in _attribute_stems()]
        attributes = tuple(a for w in named for a in _attributes(w))
        return _Grade(attributes, end in _MORE, dates=False) if attributes else None
    if not word:
        return None
    grade = known[word]
    return _Grade(grade.attributes, grade.most != (end in _LESS), grade.dates)


@cache
def _attribute_stems() -> frozenset[str]:
    named = {a for unit in lexicon()["units"].values() for a in unit}
    return frozenset(stem(w) for w in (*named, *lexicon()["units"]))


def _attributes(word: str) -> tuple[str, ...]:
    return (word, *lexicon()["units"].get(word, ()))


def _value(option: Option, grade: _Grade) -> float | None:
    """The number an option shows of a graded attribute, else the one that it would answer."""
    told = " ; ".join((option.label, option.fact, option.description))
    if grade.dates:
        years = _YEAR.findall(told) or _YEAR.findall(option.answers)
        return float(years[0]) if years else None
    for attribute in grade.attributes:
        if found := re.search(rf"\b{re.escape(attribute)}\W+({_NUMBER})", told, re.I):
            return _float(found[1])
    return _float(option.answers) if re.fullmatch(_NUMBER, option.answers) else None


def _float(number: str) -> float | None:
    try:
        return float(number.replace(",", "").replace(" ", "").rstrip("."))
    except ValueError:
        return None
