"""Numbered graph patterns as the reasoner is offered them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from clear_kgqa.mars.options import MarsOptions
from clear_kgqa_tools.terms import Term, iri_ref
from clear_kgqa_tools.text import cut, visible

END = "?object"
_CELL = 120
_TEXT = 600
_IRI = re.compile(r"<([^<>\s]+)>")
Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Instance:
    """One value at the end of a pattern."""

    term: Term
    label: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A pattern from a linked node to `?object`, one triple a step, references written as in a query.

    `source` is the node that it starts at; `count` the number of values (at least that where `capped`);
    `text` its words; `number` its place among all that were offered.
    """

    source: str
    triples: tuple[Triple, ...]
    count: int
    text: str = ""
    capped: bool = False
    score: float = 0.0
    number: int = 0
    instances: tuple[Instance, ...] = ()
    domains: tuple[str, ...] = ()
    ranges: tuple[str, ...] = ()

    @property
    def pattern(self) -> str:
        """The triples as they stand in a query."""
        return " ".join(f"{' '.join(t)} ." for t in self.triples)

    @property
    def iris(self) -> tuple[str, ...]:
        """The IRIs of the triples, in order."""
        return tuple(_IRI.findall(self.pattern))

    @property
    def last_property(self) -> str:
        """The property of the last step; empty where that is a path."""
        found = _IRI.fullmatch(self.triples[-1][1])
        return found[1] if found else ""

    def renamed(self, variable: str) -> tuple[Triple, ...]:
        """The triples with another variable at their end."""
        return tuple(tuple(variable if part == END else part for part in t) for t in self.triples)  # type: ignore[misc]


def verbalise(triples: Iterable[Triple], labels: Mapping[str, str]) -> str:
    """`subject label, property label, ?object` or its mirror, one a step (methods.md, section 3, step 4)."""
    return "; ".join(", ".join(_words(part, labels) for part in triple) for triple in triples)


def _words(part: str, labels: Mapping[str, str]) -> str:
    found = _IRI.search(part)
    return labels.get(found[1], found[1]) if found else part


def to_json(offer: Offer, options: MarsOptions, labels: Mapping[str, str]) -> dict[str, Any]:
    """What the reasoner is told of an offer: words and ids always, the rest as the options say."""
    shown: dict[str, Any] = {
        "number": offer.number,
        "pattern": cut(visible(offer.text), _TEXT),
        "sparql": offer.pattern,
    }
    if options.counts:
        shown["count"] = f"at least {offer.count}" if offer.capped else offer.count
    if options.enrichment:
        shown["instances"] = [_instance(i) for i in offer.instances]
        for name, iris in (("domain", offer.domains), ("range", offer.ranges)):
            if iris:
                shown[name] = [f"{_short(labels.get(iri, iri))} {iri_ref(iri)}" for iri in iris]
    return shown


def lines(offers: Iterable[Offer], options: MarsOptions, labels: Mapping[str, str]) -> str:
    """One JSON object a line; what a graph holds stays inside quotes."""
    return "\n".join(json.dumps(to_json(o, options, labels), ensure_ascii=False) for o in offers)


def _instance(instance: Instance) -> str:
    term = instance.term
    return f"{_short(instance.label)} {iri_ref(term.value)}" if term.kind == "iri" else _short(term.value)


def _short(text: str) -> str:
    return cut(visible(text), _CELL)
