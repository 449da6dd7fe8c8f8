"""A question back to the user, its options, and what a reply means."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

GIVEN_UP = 2
"""Replies not understood after which a clarification waits for a person alone: a program has no more to say."""

SlotKind = Literal["entity", "intent", "form", "reading"]


@dataclass(frozen=True, slots=True)
class Option:
    """One choice. Built from IRIs the graph returned, never from a model's own text.

    `fact` is the one statement that tells this option from the others; `path` the verbalised path of properties;
    `sparql` the query this option would run (empty where options stand for many readings); `share` its probability
    before the question; `readings` the indexes of the readings it keeps; `answers` what it would answer, in words, for
    those who ask (never part of its line).
    """

    iri: str
    label: str
    type: str = ""
    description: str = ""
    fact: str = ""
    path: str = ""
    sparql: str = ""
    share: float = 0.0
    readings: tuple[int, ...] = ()
    answers: str = ""

    def line(self) -> str:
        """The option in one line, as a menu shows it."""
        told = [t for t in (self.type, self.description) if t]
        if self.fact and self.fact not in self.description:
            told.append(self.fact)
        return self.label + (f" ({'; '.join(told)})" if told else "") + (f" [{self.path}]" if self.path else "")


@dataclass(frozen=True, slots=True)
class Clarification:
    """A pending question: which slot it settles, the text, at most five options, and the part of the question asked about.

    `span` holds the character offsets of that part in the user's question, (0, 0) where it is the whole; `tries` counts
    the replies to it that were not understood.
    Besides the options every clarification accepts "none of these", "you decide" and free text.
    """

    id: str
    slot: str
    kind: SlotKind
    question: str
    options: tuple[Option, ...]
    span: tuple[int, int] = (0, 0)
    value: float = 0.0
    tries: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Clarification:
        options = tuple(Option(**{**o, "readings": tuple(o["readings"])}) for o in data["options"])
        return Clarification(**{**data, "options": options, "span": tuple(data["span"])})


ReplyKind = Literal["options", "none", "delegate", "new_question", "unclear", "why"]


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as understood: the chosen option indexes, "none of these", "you decide", a new question, unclear, or why it
    is asked.

    `sure` says that the user chose explicitly (a number or a unique label), so no noise is assumed; `excluding` that
    `chosen` is what an exclusion ("not the film") leaves, of which one is meant.
    """

    kind: ReplyKind
    text: str
    chosen: tuple[int, ...] = ()
    sure: bool = False
    excluding: bool = False
