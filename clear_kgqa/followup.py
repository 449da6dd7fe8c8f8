"""Follow-up questions: a question that leans on the one before gets what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clear_kgqa.clarification import Clarification
from clear_kgqa.events import Answered, Event, Scored

if TYPE_CHECKING:
    from clear_kgqa.readings.mentions import Mention

_POSSESSIVE = re.compile(r"\b(its|their|his|her)\b(?=\s+\w)", re.IGNORECASE)
_THERE = re.compile(r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )\b(there)\b", re.IGNORECASE)
_PERSONAL = re.compile(r"\b(it|they|them|he|she|him|her)\b", re.IGNORECASE)
_THAT = re.compile(
    r"(?<=\bis )(that|this)(?=\W*$| (?:in|on|at|located|part|from|of)\b)|"
    r"(?<=\bof )(that|this)(?=\W*$)|\b((?:that|this) (?:place|city|country|state|town|one))\b",
    re.IGNORECASE,
)
_PERSONS = frozenset({"he", "she", "him", "his", "her"})
_ELLIPSIS = re.compile(r"^\W*and\s+(?:(?:what|how)\s+about\s+)?the\s+(?P<what>[^?]+?)\s*\?*\s*$", re.IGNORECASE)
_ALONE = re.compile(
    r"^\W*(?:and\s+)?(?:(?:what|how)\s+(?:is|are|about)\s+|what'?s\s+)?(?:the\s+)?(?P<what>\w[\w' -]*?)\W*$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"^\W*(?:(?P<about>(?:and\s+)?(?:what|how)\s+about)|and(?:\s+(?:for|of|in))?)\s+(?P<name>[^?]+?)\s*\?*\s*$",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"^\W*(?:and\s+)?(?:how many(?:\s+(?:(?:are|were)\s+)?(?:there|they|those|these))?(?:\s+of\s+(?:them|these|those))?|"
    r"count (?:them|these|those)|what(?:'?s| is) the (?:number|count|total))(?:\s+in (?:total|all))?\W*$",
    re.IGNORECASE,
)
_WHICH_OF_THEM = re.compile(
    r"^\W*(?:and\s+)?(?:which|what|who)(?:\s+(?:one|ones))?(?:\s+(?:of|among|out of|from)\s+(?:these|those|them)(?:\s+\w+)?)?"
    r"\s+(?P<rest>(?:is|are|was|were|has|have|had)\s+the\s+(?:most|least|\w{2,}est)\b.*?)\W*$",
    re.IGNORECASE,
)
_GRADE = re.compile(r"\b(?:(?:most|least)\s+\w+|\w{2,}est)\b", re.IGNORECASE)
_LISTED = re.compile(
    r"^\W*(?:how many|which|what|list|name|show(?: me)?|give(?: me)?|tell me)\s+(?:(?:is|are|was|were)\s+)?(?:all\s+)?(?:of\s+)?(?:the\s+)?"
    r"(?P<what>\w.*?)\W*$",
    re.IGNORECASE,
)

Bound = Sequence[tuple[str, tuple[int, int]]]
"""IRIs of nodes, each with the span of the question that names it."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a finished turn was about: its question, the topic entity, and the answer where it was one entity alone.

    `picked` says that the answer is the first of an order ("the largest city in ..."): then it is what is talked about.
    `many` counts the answers. Where no entity is known `label` is empty.
    """

    question: str
    iri: str
    label: str
    span: tuple[int, int] = (0, 0)
    answer_iri: str = ""
    answer_label: str = ""
    picked: bool = False
    many: int = 0


@dataclass(frozen=True, slots=True)
class Carried:
    """A question made complete: `word` of the user's text (empty where it left the entity out) now stands for `label`;
    `other` could be meant instead."""

    question: str
    word: str
    iri: str
    label: str
    other: str = ""

    def line(self) -> str:
        """How the question was made complete, in one line."""
        told = f"Asked as: {self.question}"
        return f"{told} ({self.word} = {self.label})" if self.iri and self.word else told

    def bound(self) -> Bound:
        """The carried entity and where it now stands in the question, as a session takes them."""
        at = self.question.find(self.label)
        return ((self.iri, (at, at + len(self.label))),) if self.iri and at >= 0 else ()


def topic_of(question: str, events: Sequence[Event]) -> Topic | None:
    """What a turn was about: the topic entity of the reading that was answered, with the answer where it was a single
    entity; the answer itself where the question names none."""
    answer = next((e for e in reversed(events) if isinstance(e, Answered)), None)
    scored = next((e for e in reversed(events) if isinstance(e, Scored)), None)
    if answer is None or scored is None:
        return None
    single = answer.values[0] if len(answer.values) == 1 and "iri" in answer.values[0] else {}
    ids, many = (single.get("iri", ""), single.get("label", "")), _many(answer)
    iri = next((r["entity"] for r in scored.readings if r["sparql"] == answer.sparql and r["entity"]), "")
    named = next(((s, c) for s in scored.scores for c in s.candidates if c.iri == iri), None)
    if not iri or named is None:
        return Topic(question, *ids, many=many) if single or many > 1 else None
    slot, candidate = named
    span = _named_at(question, slot.slot, candidate.label)
    return Topic(question, iri, candidate.label, span, *ids, bool(single) and "ORDER BY" in answer.sparql, many)


def _many(answer: Answered) -> int:
    """How many answers there are; of a count, how many were counted."""
    counted = answer.values[0].get("literal", "") if answer.form == "count" and answer.values else ""
    return int(counted) if counted.isdigit() else len(answer.values)


def asked_about(question: str, asked: Clarification) -> Topic | None:
    """What an open clarification is about: the name in the question whose meaning, or of which something, is asked."""
    if not asked.options:
        return None
    start, end = asked.span if asked.span != (0, 0) else _named_at(question, asked.slot, "")
    one = asked.options[0].iri if len({o.iri for o in asked.options}) == 1 else ""
    return Topic(question, one, question[start:end], (start, end)) if end else None


def _named_at(question: str, slot: str, label: str) -> tuple[int, int]:
    """Where the topic stands in the question: as the slot names it ("entity:georgia"), else as its label."""
    for name in (slot.partition(":")[2], label):
        at = question.casefold().find(name.casefold()) if name else -1
        if at >= 0:
            return at, at + len(name)
    return 0, 0


def carry_over(
    question: str,
    topic: Topic | None,
    mentions: Iterable[Mention],
    swap: bool = False,
    names_property: Callable[[str], bool] = lambda text: False,
) -> Carried | None:
    """The question with what it leaves out taken from the turn before, if it leans on that; None where it stands by itself.

    A pronoun or a property alone takes the last topic entity (for persons: the last answer), "how many?" and "which of
    these" the last question. `swap` takes the other entity; `names_property` tells whether a text is a property's name.
    """
    if topic is None:
        return None
    named = list(mentions)
    if carried := _instead(question, topic, named, names_property) or _of_all(question, topic, named):
        return carried
    if _proper_names(question, named) or not topic.label or _HOW_MANY.match(question) or _WHICH_OF_THEM.match(question):
        return None
    alone = _ALONE.match(question)
    what = alone["what"] if alone and names_property(alone["what"]) else ""
    found = next((f for p in (_POSSESSIVE, _THERE, _PERSONAL, _THAT) if (f := p.search(question))), None)
    ellipsis = _ELLIPSIS.match(question)
    if not (what or found or ellipsis):
        return None
    word = next(filter(None, found.groups())) if found else ""
    iri, label, other = _meant(topic, word, swap)
    if found:
        return Carried(_filled(question, found, label), word, iri, label, other)
    what = what or (ellipsis["what"] if ellipsis else "")
    return Carried(f"{what} of {label}?", "", iri, label, other)


def _instead(
    question: str, topic: Topic, mentions: list[Mention], names_property: Callable[[str], bool]
) -> Carried | None:
    """The question before about another name ("What about Spain?")."""
    instead = _INSTEAD.match(question)
    if not instead or topic.span == (0, 0) or names_property(instead["name"].removeprefix("the ")):
        return None
    named = mentions if instead["about"] else _proper_names(question, mentions)
    if not _is_whole_name(instead, named):
        return None
    start, end = topic.span
    name = instead["name"].removeprefix("the ")
    return Carried(topic.question[:start] + name + topic.question[end:], question, "", name)


def _of_all(question: str, topic: Topic, mentions: list[Mention]) -> Carried | None:
    """The question before, counted ("how many are there?"), with one picked ("which of these is the largest?") or another
    picked ("and the smallest?")."""
    listed = _LISTED.match(topic.question) if topic.many > 1 else None
    asked, graded = "", _ELLIPSIS.match(question)
    if graded and _GRADE.fullmatch(graded["what"]) and _GRADE.search(topic.question):
        asked = _GRADE.sub(graded["what"], topic.question, count=1)
    elif listed and _HOW_MANY.match(question):
        asked = f"How many {listed['what']}?"
    elif listed and (which := _WHICH_OF_THEM.match(question)):
        asked = f"Which of the {listed['what']} {which['rest']}?"
    elif listed and graded and _GRADE.fullmatch(graded["what"]):
        asked = f"Which of the {listed['what']} is the {graded['what']}?"
    return Carried(asked, "", topic.iri, topic.label) if asked and not _proper_names(question, mentions) else None


def _meant(topic: Topic, word: str, swap: bool) -> tuple[str, str, str]:
    """(IRI, label, label of the other entity it could be)."""
    pair = [(topic.iri, topic.label)] + ([(topic.answer_iri, topic.answer_label)] if topic.answer_iri else [])
    answer_first = topic.picked or word.casefold() in _PERSONS
    if len(pair) == 2 and answer_first is not swap:
        pair.reverse()
    return *pair[0], pair[1][1] if len(pair) == 2 else ""


def _filled(question: str, found: re.Match[str], label: str) -> str:
    """The question with a label in place of what was found: "France's" for "its", "in France" for "there"."""
    told = {_POSSESSIVE: f"{label}'s", _THERE: f"in {label}"}.get(found.re, label)
    text = question[: found.start()] + told + question[found.end() :]
    return re.sub(r"^\W*and\s+", "", text, flags=re.IGNORECASE)


def _proper_names(question: str, mentions: Iterable[Mention]) -> list[Mention]:
    """Mentions written as names: a capital past the first word; common nouns ("population") can name nodes as well."""
    return [m for m in mentions if m.span[0] > 0 and any(c.isupper() for c in question[m.span[0] : m.span[1]])]


def _is_whole_name(instead: re.Match[str], named: list[Mention]) -> bool:
    start, end = instead.span("name")
    return any(s <= start + 4 and e >= end for s, e in (m.span for m in named))
