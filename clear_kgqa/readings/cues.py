"""What the wording of a question says about the form of its answer: count, yes/no, comparison, superlative, bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from clear_kgqa.readings.reading import Span
from clear_kgqa.readings.words import Word, singular, stem, tokenize

_DEFINITE = re.compile(r"\b(?:what|who|where)(?:\s+(?:is|was)|['’]s|s)\s+the\s+(?!names?\b|titles?\b)(?!\w+s\b)", re.I)
_ASK = re.compile(r"^\W*(is|are|was|were|am|do|does|did|has|have|had|can|could|will)\b", re.I)
_BOTH = re.compile(r"\bboth\b.+\band\b", re.I)
_POLITE = re.compile(r"^\W*(?:can|could|would|will|do|are|have)\s+(?:you|i|we)\b", re.I)
_ANY = re.compile(r"\bany\b|^\W*(?:is|are|was|were) there\b", re.I)
_COUNT = re.compile(r"\b(how many|number of|count (?:of|the)|amount of|how often|how many times)\b", re.I)
_NUMBER = r"(?P<number>\d[\d,.' ]*\d|\d|[a-z]+(?: a)?)(?:[\s-]*(?P<scale>hundred|thousand|million|billion|trillion|mio|bn|k|m)\b)?"
_YEAR_IN = re.compile(r"\b(?:in|during|of|from|year)\s+(?:the year\s+)?(1[0-9]{3}|20[0-9]{2})\b", re.I)
_UNIT = re.compile(r"\b(?:in|by) ([a-z²0-9]+(?: [a-z²0-9]+)?)\W*$", re.I)
_NEGATION = re.compile(r"\b(?:not(?! only)|no|without|never|neither|nor|lacks?|lacking)\b|\w+n['’]t\b", re.I)
_DIFFERENCE = re.compile(r"\bhow (?:many|much) (?:more|fewer|less)\b(?=.*\bthan\b)|\bdifference (?:in|between)\b", re.I)


@cache
def lexicon() -> dict[str, Any]:
    """The English word lists of data/english.yaml."""
    text = files("clear_kgqa").joinpath("data/english.yaml").read_text(encoding="utf-8")
    loaded: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return loaded


@cache
def synonyms() -> dict[str, frozenset[str]]:
    """For a word, the stems of what else may be called so ("nationality": citizenship, country)."""
    return {word: frozenset(stem(n) for n in names) for word, names in lexicon()["synonyms"].items()}


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


@dataclass(frozen=True, slots=True)
class Cues:
    """Everything the wording says: `expects` is person, place, date, number or empty; `open_attributes` are those that
    a vague question ("how big") leaves open; `noun` is the noun phrase after which/what/how many; `plural` says that
    several answers are expected, `definite` that one is ("what is the capital of"); `choice` that the question offers
    alternatives ("... or ..."); `negation` is the word that leaves something out ("which countries do not ..."), `difference` the words that ask for
    one ("how many more people ... than"); `any` asks whether there is something ("are there any ..."), `both` joins two conditions."""

    ask: bool = False
    count: bool = False
    count_span: Span = (0, 0)
    grades: tuple[Grade, ...] = ()
    bounds: tuple[Bound, ...] = ()
    expects: str = ""
    open_attributes: tuple[str, ...] = ()
    open_span: Span = (0, 0)
    noun: str = ""
    choice: bool = False
    plural: bool = False
    definite: bool = False
    negation: Span = (0, 0)
    difference: Span = (0, 0)
    any: bool = False
    both: bool = False
    words: tuple[Word, ...] = field(default=())


def read_cues(question: str) -> Cues:
    """Read the cues of one question (English wording; other languages give an empty reading, a plain list)."""
    words = tuple(tokenize(question))
    count = _COUNT.search(question)
    bounds = _bounds(question)
    attributes, open_span = _open_attributes(question)
    grades = _grades(question, words, bounds)
    noun = _noun(words, grades)
    return Cues(
        ask=bool(_ASK.match(question)) and not _POLITE.match(question),
        both=bool(_BOTH.search(question)),
        any=bool(_ANY.search(question)),
        count=bool(count) and not attributes,
        count_span=count.span() if count else (0, 0),
        grades=grades,
        bounds=bounds,
        expects=_expects(question),
        open_attributes=attributes,
        open_span=open_span,
        noun=noun,
        choice=bool(re.search(r"\b\w[^?]* or \w", question)),
        words=words,
        definite=bool(_DEFINITE.search(question)),
        negation=_span(_NEGATION, question),
        difference=_span(_DIFFERENCE, question),
        plural=bool(noun and singular(noun.split()[-1]) != noun.split()[-1])
        and not re.search(r"\bhow many\b", question, re.I),
    )


def _span(pattern: re.Pattern[str], question: str) -> Span:
    """Where a pattern first stands in a question; (0, 0) where it does not."""
    found = pattern.search(question)
    return found.span() if found else (0, 0)


def _expects(question: str) -> str:
    lowered = question.casefold()
    best, at = "", len(lowered)
    for kind, cues in lexicon()["expects"].items():
        for cue in cues:
            found = re.search(rf"\b{re.escape(cue)}\b", lowered)
            if found and found.start() < at:
                best, at = kind, found.start()
    return best


def _noun(words: tuple[Word, ...], grades: tuple[Grade, ...]) -> str:
    """The noun phrase asked for: after which/what/how many, else where the question starts ("cities in Norway")."""
    words = tuple(w for w in words if not any(g.span[0] <= w.start < g.span[1] for g in grades))
    for i, word in enumerate(words):
        many = word.lower == "many" and i and words[i - 1].lower == "how"
        if word.lower in ("which", "what", "name", "list", "show", "number") or many:
            return _phrase(words[i + 1 :], ("a", "an", "the", "all", "some", "me", "of", "is", "are", "other"))
    for i, word in enumerate(words[:-2]):
        if word.lower in ("who", "where") and words[i + 2].lower == "the":
            return _phrase(words[i + 3 :], ())
    if words and not words[0].content and words[0].lower not in ("the", "all", "a", "an", "give", "tell"):
        return ""
    return _phrase(words, ("the", "all", "a", "an", "me", "give", "tell", "of"))


def _phrase(words: Iterable[Word], skipped: tuple[str, ...]) -> str:
    """The first run of content words, after words that may stand before it."""
    out: list[str] = []
    for word in words:
        if word.content:
            out.append(word.lower)
        elif out or word.lower not in skipped:
            break
    return " ".join(out[:4])


def _open_attributes(question: str) -> tuple[tuple[str, ...], Span]:
    for adjective, attributes in lexicon()["how"].items():
        found = re.search(rf"\bhow {re.escape(adjective)}\b", question, re.I)
        if found and not (adjective.startswith("many") and _do_something(question[found.end() :])):
            unit = _UNIT.search(question, found.end())
            meant = lexicon()["units"].get(" ".join(unit[1].split()).casefold(), ()) if unit else ()
            return tuple(a for a in attributes if a in meant) or tuple(attributes), found.span()
    return (), (0, 0)


def _do_something(rest: str) -> bool:
    """Whether "how many people" counts those who do something ("speak Spanish") instead of the people of a place."""
    verb = next((w for w in tokenize(rest) if w.lower not in ("have", "has", "had")), None)
    return verb is not None and verb.content and verb.lower in synonyms() and verb.lower not in lexicon()["dwell"]


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


def _bounds(question: str) -> tuple[Bound, ...]:
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


def _grades(question: str, words: tuple[Word, ...], bounds: tuple[Bound, ...]) -> tuple[Grade, ...]:
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
