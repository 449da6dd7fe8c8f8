"""Superlatives, comparatives and bounds on numbers and years in the wording of a question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from clear_kgqa.readings.english import lexicon
from clear_kgqa.readings.reading import Span
from clear_kgqa.readings.words import Word, tokenize

_NUMBER = r"(?P<number>\d[\d,.' ]*\d|\d|[a-z]+(?: a)?)(?:[\s-]*(?P<scale>hundred|thousand|million|billion|trillion|mio|bn|k|m)\b)?"
_YEAR_IN = re.compile(r"\b(?:in|during|of|from|year)\s+(?:the year\s+)?(1[0-9]{3}|20[0-9]{2})\b", re.I)


@dataclass(frozen=True, slots=True)
class Grade:
    """A superlative or comparative: the attributes it may grade, which end is wanted and how many answers."""

    span: Span
    attributes: tuple[str, ...]
    descending: bool
    limit: int = 1
    offset: int = 0
    dates: bool = False
    count: bool = False
    comparative: bool = False


@dataclass(frozen=True, slots=True)
class Bound:
    """A numeric or year bound: `operator` and `value`; the words around it name the attribute."""

    span: Span
    operator: str
    value: float
    year: bool
    attribute: str


def _number(text: str, scale: str | None) -> float | None:
    known = lexicon()["numbers"]
    cleaned = re.sub(r"(?<=\d)[ ,'](?=\d{3}\b)", "", text.strip().rstrip(".,").casefold())
    value = known.get(cleaned)
    if value is None:
        try:
            value = float(cleaned)
        except ValueError:
            if cleaned not in ("a", "half a") or not scale:
                return None
            value = 0.5 if cleaned == "half a" else 1.0
    return float(value) * (lexicon()["scales"].get(scale.casefold(), 1) if scale else 1)


@cache
def _bound_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    pairs = [(phrase, op) for op, phrases in lexicon()["comparisons"].items() for phrase in phrases]
    pairs.sort(key=lambda pair: -len(pair[0]))
    return tuple((op, re.compile(rf"\b{re.escape(phrase)} (?:the year )?{_NUMBER}", re.I)) for phrase, op in pairs)


def bounds_in(question: str) -> tuple[Bound, ...]:
    """The bounds of a question in their order, the longest phrase first where two would read one place."""
    found: list[Bound] = []
    for operator, pattern in _bound_patterns():
        for match in pattern.finditer(question):
            value = _number(match["number"], match["scale"])
            if value is None or any(b.span[0] <= match.start() < b.span[1] for b in found):
                continue
            bare_year = match["scale"] is None and re.fullmatch(r"1\d{3}|20\d{2}", match["number"].strip())
            attribute = _attribute_after(question, match.end())
            found.append(Bound(match.span(), operator, value, bool(bare_year) and not attribute, attribute))
    for match in _YEAR_IN.finditer(question):
        if not any(b.span[0] < match.end() and match.start() < b.span[1] for b in found):
            found.append(Bound(match.span(), "=", float(match[1]), True, ""))
    return tuple(sorted(found, key=lambda b: b.span))


def _attribute_after(question: str, end: int) -> str:
    """The words right after a number: its attribute or unit ("inhabitants", "seasons")."""
    words = []
    for word in tokenize(question[end:])[:3]:
        if not word.content:
            break
        words.append(word.lower)
    return " ".join(words)


def grades_in(question: str, words: tuple[Word, ...], bounds: tuple[Bound, ...]) -> tuple[Grade, ...]:
    """Superlatives and comparatives; a word inside a bound ("larger than 5") is not one."""
    out: list[Grade] = []
    for i, word in enumerate(words):
        if any(b.span[0] <= word.start < b.span[1] for b in bounds):
            continue
        if i and words[i - 1].lower == "how":
            continue
        grade = _counted(question, words, i) or _graded(words, i)
        if grade:
            out.append(grade)
    return tuple(out)


def _amount(words: tuple[Word, ...], i: int) -> tuple[int, int]:
    """(limit, offset) from the word before: "three largest" -> (3, 0), "second largest" -> (1, 1)."""
    before = words[i - 1].lower if i else ""
    after = words[i + 1].lower if i + 1 < len(words) else ""
    if before in lexicon()["ordinals"]:
        return 1, lexicon()["ordinals"][before] - 1
    for near in (before, after):
        value = _number(near, None) if near and near != "one" else None
        if value and 1 < value <= 1000 and value == int(value):
            return int(value), 0
    return 1, 0


def _counted(question: str, words: tuple[Word, ...], i: int) -> Grade | None:
    """ "the most inhabitants", "highest population": the attribute is named after the word."""
    lower, tables = words[i].lower, lexicon()
    most = lower in tables["most"]
    if not most and lower not in tables["least"]:
        return None
    following: list[str] = []
    for before, word in zip(words[i:], words[i + 1 : i + 4], strict=False):
        if re.search(r"[,;:?]", question[before.end : word.start]):
            break
        if word.lower == "number":
            continue
        if not word.content and word.lower != "of":
            break
        following.append(word.lower)
    if (
        not following
        or (lower in ("most", "least", "more", "less") and following[0] in _adjectives())
        or following[0] == "than"
    ):
        return None
    limit, offset = _amount(words, i)
    end = words[min(i + len(following), len(words) - 1)].end
    quantified = lower in ("most", "least", "fewest", "more", "fewer", "less")
    if not quantified and lower in _adjectives():
        return None
    named = " ".join(w for w in following if w != "of")
    attributes = (named, *tables["units"].get(named, ()))
    comparative = lower in ("more", "fewer", "less")
    return Grade((words[i].start, end), attributes, most, limit, offset, count=quantified, comparative=comparative)


@cache
def _adjectives() -> dict[str, tuple[tuple[str, ...], bool, bool]]:
    table: dict[str, tuple[tuple[str, ...], bool, bool]] = {}
    for entry in lexicon()["grades"].values():
        for more, words in ((True, entry["more"]), (False, entry["less"])):
            for word in words:
                attributes = tuple(entry["attributes"])
                if word in table:
                    attributes = tuple(dict.fromkeys((*table[word][0], *attributes)))
                table[word] = (
                    attributes,
                    more,
                    bool(entry.get("dates")) or (word in table and table[word][2]),
                )
    return table


def _graded(words: tuple[Word, ...], i: int) -> Grade | None:
    lower = words[i].lower
    entry = _adjectives().get(lower)
    before = words[i - 1].lower if i else ""
    comparative = lower.endswith("er") or before == "more"
    superlative = lower.endswith("est") or before in ("most", "least") or lower in ("first", "last", "latest")
    if entry is None or not (comparative or superlative):
        return None
    start = i - 1 if before in ("most", "least", "more") else i
    limit, offset = _amount(words, start)
    more = entry[1] != (before == "least")
    return Grade(
        (words[start].start, words[i].end),
        entry[0],
        more,
        limit,
        offset,
        entry[2],
        comparative=not superlative,
    )
