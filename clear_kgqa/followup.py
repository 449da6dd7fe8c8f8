"""Follow-up questions: a question that leans on the one before gets the entity that it leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clear_kgqa.events import Answered, Event, Scored

if TYPE_CHECKING:
    from clear_kgqa.readings.mentions import Mention

_POSSESSIVE = re.compile(r"\b(its|their|his|her)\b(?=\s+\w)", re.IGNORECASE)
_PERSONAL = re.compile(r"\b(it|they|them|he|she|him|her|there)\b", re.IGNORECASE)
_PERSONS = frozenset({"he", "she", "him", "his", "her"})
_ELLIPSIS = re.compile(r"^\W*and\s+(?:(?:what|how)\s+about\s+)?the\s+(?P<what>[^?]+?)\s*\?*\s*$", re.IGNORECASE)
_INSTEAD = re.compile(
    r"^\W*(?:(?:and\s+)?(?:what|how)\s+about|and(?:\s+(?:for|of|in))?)\s+(?P<name>[^?]+?)\s*\?*\s*$",
    re.IGNORECASE,
)

Bound = Sequence[tuple[str, tuple[int, int]]]
"""IRIs of nodes, each with the span of the question that names it."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a finished turn was about: its question, the topic entity, and the answer where it was one entity alone.

    `picked` says that the answer is the first of an order ("the largest city in ..."): then it is what is talked about.
    """

    question: str
    iri: str
    label: str
    span: tuple[int, int] = (0, 0)
    answer_iri: str = ""
    answer_label: str = ""
    picked: bool = False


@dataclass(frozen=True, slots=True)
class Carried:
    """A question made complete: `word` of the user's text now stands for `label`; `other` could be meant instead."""

    question: str
    word: str
    iri: str
    label: str
    other: str = ""

    def line(self) -> str:
        """How the question was made complete, in one line."""
        told = f"Asked as: {self.question}"
        return f"{told} ({self.word} = {self.label})" if self.iri else told

    def bound(self) -> Bound:
        """The carried entity and where it now stands in the question, as a session takes them."""
        at = self.question.find(self.label)
        return ((self.iri, (at, at + len(self.label))),) if self.iri and at >= 0 else ()


def topic_of(question: str, events: Sequence[Event]) -> Topic | None:
    """The topic entity of the reading that was answered in a turn, with the answer where it was a single entity."""
    answer = next((e for e in reversed(events) if isinstance(e, Answered)), None)
    scored = next((e for e in reversed(events) if isinstance(e, Scored)), None)
    if answer is None or scored is None:
        return None
    iri = next((r["entity"] for r in scored.readings if r["sparql"] == answer.sparql and r["entity"]), "")
    named = next(((s, c) for s in scored.scores for c in s.candidates if c.iri == iri), None)
    if not iri or named is None:
        return None
    slot, candidate = named
    single = answer.values[0] if len(answer.values) == 1 and "iri" in answer.values[0] else {}
    span = _named_at(question, slot.slot, candidate.label)
    ids = (single.get("iri", ""), single.get("label", ""))
    return Topic(question, iri, candidate.label, span, *ids, picked=bool(single) and "ORDER BY" in answer.sparql)


def _named_at(question: str, slot: str, label: str) -> tuple[int, int]:
    """Where the topic stands in the question: as the slot names it ("entity:georgia"), else as its label."""
    for name in (slot.partition(":")[2], label):
        at = question.casefold().find(name.casefold()) if name else -1
        if at >= 0:
            return at, at + len(name)
    return 0, 0


def carry_over(question: str, topic: Topic | None, mentions: Iterable[Mention], swap: bool = False) -> Carried | None:
    """The question with the last topic entity (for persons: the last answer) in place of its pronoun, if it leans on it.

    None where it stands by itself: no pronoun, or a proper name of its own. `swap` takes the other entity.
    """
    if topic is None:
        return None
    instead = _INSTEAD.match(question)
    named = _proper_names(question, mentions)
    if instead and named and topic.span != (0, 0) and _is_whole_name(instead, named):
        start, end = topic.span
        name = instead["name"].removeprefix("the ")
        return Carried(topic.question[:start] + name + topic.question[end:], question, "", name)
    found = _POSSESSIVE.search(question) or _PERSONAL.search(question)
    if named or not (found or _ELLIPSIS.match(question)):
        return None
    word = found[1] if found else ""
    iri, label, other = _meant(topic, word, swap)
    return Carried(_filled(question, found, label), word or "(left out)", iri, label, other)


def _meant(topic: Topic, word: str, swap: bool) -> tuple[str, str, str]:
    """(IRI, label, label of the other entity it could be)."""
    pair = [(topic.iri, topic.label)] + ([(topic.answer_iri, topic.answer_label)] if topic.answer_iri else [])
    answer_first = topic.picked or word.casefold() in _PERSONS
    if len(pair) == 2 and answer_first is not swap:
        pair.reverse()
    return *pair[0], pair[1][1] if len(pair) == 2 else ""


def _filled(question: str, found: re.Match[str] | None, label: str) -> str:
    if found is None:
        what = _ELLIPSIS.match(question)
        return f"{what['what']} of {label}?" if what else question
    possessive = found.re is _POSSESSIVE
    text = question[: found.start()] + (f"{label}'s" if possessive else label) + question[found.end() :]
    return re.sub(r"^\W*and\s+", "", text, flags=re.IGNORECASE)


def _proper_names(question: str, mentions: Iterable[Mention]) -> list[Mention]:
    """Mentions written as names: a capital past the first word; common nouns ("population") can name nodes as well."""
    return [m for m in mentions if m.span[0] > 0 and any(c.isupper() for c in question[m.span[0] : m.span[1]])]


def _is_whole_name(instead: re.Match[str], named: list[Mention]) -> bool:
    start, end = instead.span("name")
    return any(s <= start + 4 and e >= end for s, e in (m.span for m in named))
