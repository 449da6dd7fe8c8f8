"""What the wording of a question says about the form of its answer: count, yes/no, comparison, superlative, bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from clear_kgqa.readings.amounts import Bound, Grade, bounds_in, grades_in
from clear_kgqa.readings.english import lexicon, synonyms
from clear_kgqa.readings.reading import Span
from clear_kgqa.readings.words import Word, singular, tokenize

_DEFINITE = re.compile(r"\b(?:what|who|where)(?:\s+(?:is|was)|['’]s|s)\s+the\s+(?!names?\b|titles?\b)(?!\w+s\b)", re.I)
_ASK = re.compile(r"^\W*(is|are|was|were|am|do|does|did|has|have|had|can|could|will)\b", re.I)
_BOTH = re.compile(r"\bboth\b.+\band\b", re.I)
_POLITE = re.compile(r"^\W*(?:can|could|would|will|do|are|have)\s+(?:you|i|we)\b", re.I)
_ANY = re.compile(r"\bany\b|^\W*(?:is|are|was|were) there\b", re.I)
_COUNT = re.compile(r"\b(how many|number of|count (?:of|the)|amount of|how often|how many times)\b", re.I)
_UNIT = re.compile(r"\b(?:in|by) ([a-z²0-9]+(?: [a-z²0-9]+)?)\W*$", re.I)
_NEGATION = re.compile(r"\b(?:not(?! only)|no|without|never|neither|nor|lacks?|lacking)\b|\w+n['’]t\b", re.I)
_DIFFERENCE = re.compile(r"\bhow (?:many|much) (?:more|fewer|less)\b(?=.*\bthan\b)|\bdifference (?:in|between)\b", re.I)


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
    bounds = bounds_in(question)
    attributes, open_span = _open_attributes(question)
    grades = grades_in(question, words, bounds)
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
