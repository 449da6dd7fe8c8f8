"""Replies that name options by their places in the list: "1 or 2", "the first two", "all but the last", "not 1"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clear_kgqa.readings.words import tokenize

ORDINALS = {
    "first": 1, "1st": 1, "former": 1, "one": 1, "second": 2, "2nd": 2, "two": 2, "third": 3, "3rd": 3, "three": 3,
    "fourth": 4, "4th": 4, "four": 4, "fifth": 5, "5th": 5, "five": 5,
}  # fmt: skip
_LAST = ("last", "latter")
_BESIDE = frozenset(
    ["the", "one", "ones", "option", "options", "number", "numbers", "of", "them", "these", "both", "and", "or", "nor", "neither", "either"]
)  # fmt: skip
_RUN = re.compile(r"(?:the )?(first|last) (\w+)(?: (?:ones?|options?|of (?:them|these)))?", re.I)
_RANGE = re.compile(r"(?:options? )?(\d) ?(?:-|–|to|through) ?(\d)", re.I)
_REST = re.compile(
    r"(?:(?:all|both|each|every(?:thing|one)?|any(?:thing|one)?)(?: of (?:them|these|those|the options))?,? "
    r"(?:but|except|excluding|besides|other than|apart from|without|minus)(?: for)?|everything not) (?P<left_out>.+)",
    re.I,
)
_NOT = re.compile(
    r"(?:(?:definitely|certainly|just|but|it'?s|it is|that'?s) )?(?:not|neither|no) (?P<left_out>.+)", re.I
)


@dataclass(frozen=True, slots=True)
class Places:
    """Options named by their places: their indexes; `excluding` says that they are those left after an exclusion."""

    chosen: tuple[int, ...]
    excluding: bool = False


def places(text: str, count: int) -> Places | None:
    """What a reply in places means among `count` options; None where it says more than places, or there is no such place."""
    said = text.strip(" .!;\"'")
    if rest := _REST.fullmatch(said):
        return _without(rest["left_out"], count, excluding=False)
    if negated := _NOT.fullmatch(said):
        return _without(negated["left_out"], count, excluding=True)
    found = named_places(said, count)
    return Places(found) if found and len(found) > 1 else None


def rest_of(text: str) -> str:
    """What a reply leaves out of all options ("all but the one in Missouri"); empty where it leaves out nothing."""
    found = _REST.fullmatch(text.strip(" .!;\"'"))
    return found["left_out"] if found else ""


def _without(left_out: str, count: int, excluding: bool) -> Places | None:
    out = named_places(left_out, count)
    kept = tuple(i for i in range(count) if i not in (out or ()))
    return Places(kept, excluding) if out and kept else None


def named_places(text: str, count: int) -> tuple[int, ...] | None:
    """The indexes of the places that a text names and nothing beside them, in order."""
    run = _RUN.fullmatch(text)
    many = _digit(run[2].casefold()) if run else None
    if run and many:
        return tuple(range(count)[:many] if run[1].casefold() == "first" else range(count)[-many:])
    if between := _RANGE.fullmatch(text):
        numbers = list(range(int(between[1]), int(between[2]) + 1))
    else:
        numbers = _listed([w.lower for w in tokenize(re.sub(r"[#/+,&]", " ", text))], count)
    valid = numbers and all(1 <= n <= count for n in numbers)
    return tuple(sorted({n - 1 for n in numbers})) if valid else None


def _listed(words: list[str], count: int) -> list[int]:
    """The places that a list of words names; nothing where a word is no part of such a list."""
    out: list[int] = []
    for i, word in enumerate(words):
        number = count if word in _LAST else _digit(word)
        before = words[i - 1] if i else ""
        if number is not None and not (word == "one" and (before == "the" or before in ORDINALS or before in _LAST)):
            out.append(number)
        elif word not in _BESIDE:
            return []
    return out


def _digit(word: str) -> int | None:
    return int(word) if re.fullmatch("[0-9]{1,2}", word) else ORDINALS.get(word)
