"""A reading: one complete interpretation of a question, its query and its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from clear_kgqa_tools.nodes import Hop, Node
from clear_kgqa_tools.terms import Term, iri_ref

AnswerForm = Literal["select", "count", "ask"]
Span = tuple[int, int]


def overlaps(a: Span, b: Span) -> bool:
    """Whether two spans share a character."""
    return a[0] < b[1] and b[0] < a[1]


def within(a: Span, b: Span) -> bool:
    """Whether a span is a part of another."""
    return a != b and b[0] <= a[0] and a[1] <= b[1]


@dataclass(frozen=True, slots=True)
class Anchor:
    """An entity (or a literal `value`) of the question and the path that leads from it to the answer variable.

    `hops` read from the entity outwards. `span` holds character offsets of its mention.
    """

    node: Node
    span: Span
    hops: tuple[Hop, ...]
    value: Term | None = None

    @property
    def ref(self) -> str:
        """The entity or value as it stands in a query."""
        return iri_ref(self.node.iri) if self.value is None else self.value.n3()


@dataclass(frozen=True, slots=True)
class TypeConstraint:
    """The answer must be an instance of a class (or of a node that plays one, such as an occupation)."""

    iri: str
    label: str
    predicate: str
    span: Span
    subclass: str = ""


@dataclass(frozen=True, slots=True)
class ValueFilter:
    """A bound on a value of the answer: `?x path ?v FILTER(?v op value)`; `year` compares the year of a date."""

    hops: tuple[Hop, ...]
    operator: str
    value: Term
    span: Span
    year: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """The answers with the most or least of a value (or, with `count`, the most values, those of the class `of` where
    one is given); `limit` of them."""

    hops: tuple[Hop, ...]
    descending: bool
    limit: int
    span: Span
    offset: int = 0
    count: bool = False
    of: TypeConstraint | None = None


@dataclass(frozen=True, eq=False)
class Reading:
    """What a question may mean; compared by identity, `query` tells two equal ones.

    `among` restricts the answer to named entities (comparison); `target` is the second entity of a yes/no question, or
    the one whose value a filter compares with.
    """

    anchors: tuple[Anchor, ...] = ()
    type: TypeConstraint | None = None
    filters: tuple[ValueFilter, ...] = ()
    order: Order | None = None
    among: tuple[Anchor, ...] = ()
    target: Anchor | None = None
    form: AnswerForm = "select"
    features: dict[str, float] = field(default_factory=dict)

    @cached_property
    def entities(self) -> tuple[Anchor, ...]:
        """Every mention that the reading resolves, in question order."""
        extra = (self.target,) if self.target else ()
        return tuple(sorted((*self.anchors, *self.among, *extra), key=lambda a: a.span))

    @property
    def path_key(self) -> tuple[tuple[str, str], ...]:
        """The properties and directions of the main path: the intent, apart from the entities."""
        hops = [h for a in self.anchors for h in a.hops]
        hops += [h for f in self.filters for h in f.hops]
        hops += list(self.order.hops) if self.order else []
        return tuple((h.property, h.direction) for h in hops)

    @cached_property
    def query(self) -> str:
        """The complete SPARQL query, IRIs in full."""
        return render(self)

    def line(self, names: Mapping[str, str] = MappingProxyType({})) -> str:
        """The reading in one line, in the labels of the graph; `names` replaces labels that several nodes share."""
        return verbalise(self, names)

    def to_json(self) -> dict[str, Any]:
        return {
            "sparql": self.query,
            "interpretation": self.line(),
            "form": self.form,
            "entity": self.entities[0].node.iri if self.entities else "",
            "entities": [a.node.iri for a in self.entities],
            "path": " / ".join(("^" if d == "in" else "") + p for p, d in self.path_key),
        }


PREPOSITIONS = frozenset(["of", "in", "by", "from", "to", "at", "with", "on", "for", "as", "into"])


def triples(hops: tuple[Hop, ...], start: str, end: str, tag: str) -> str:
    """The triple patterns of a path from `start` to `end`; intermediate variables are `?{tag}1`, `?{tag}2`..."""
    out, at = [], start
    for i, hop in enumerate(hops):
        to = end if i == len(hops) - 1 else f"?{tag}{i + 1}"
        s, o = (at, to) if hop.direction == "out" else (to, at)
        out.append(f"{s} {iri_ref(hop.property)} {o} .")
        at = to
    return " ".join(out)


def _where(reading: Reading) -> str:
    parts = []
    if reading.among:
        parts.append("VALUES ?x { " + " ".join(a.ref for a in reading.among) + " }")
    for i, anchor in enumerate(reading.anchors):
        parts.append(triples(anchor.hops, anchor.ref, "?x", f"m{i or ''}"))
    if reading.type:
        parts.append(_is_of(reading.type, "?x"))
    for i, bound in enumerate(reading.filters):
        parts.append(triples(bound.hops, "?x", f"?f{i}", f"f{i}m"))
        left = f"YEAR(?f{i})" if bound.year else f"?f{i}"
        parts.append(f"FILTER({left} {bound.operator} {bound.value.n3()})")
    if reading.order:
        parts.append(triples(reading.order.hops, "?x", "?v", "vm"))
        if reading.order.of:
            parts.append(_is_of(reading.order.of, "?v"))
    return " ".join(parts)


def _is_of(constraint: TypeConstraint, variable: str) -> str:
    path = iri_ref(constraint.predicate) + (f"/{iri_ref(constraint.subclass)}*" if constraint.subclass else "")
    return f"{variable} {path} {iri_ref(constraint.iri)} ."


def render(reading: Reading) -> str:
    """Compose the SPARQL of a reading from escaped terms only, so that names can never change the query."""
    if reading.form == "ask":
        return _ask(reading)
    where = _where(reading)
    if reading.order:
        way, order = ("DESC" if reading.order.descending else "ASC"), reading.order
        key = "(COUNT(DISTINCT ?v))" if order.count else "(MAX(?v))" if order.descending else "(MIN(?v))"
        page = f"LIMIT {order.limit}" + (f" OFFSET {order.offset}" if order.offset else "")
        return f"SELECT ?x WHERE {{ {where} }} GROUP BY ?x ORDER BY {way}{key} ?x {page}"
    if reading.form == "count":
        return f"SELECT (COUNT(DISTINCT ?x) AS ?count) WHERE {{ {where} }}"
    return f"SELECT DISTINCT ?x WHERE {{ {where} }}"


def _ask(reading: Reading) -> str:
    if reading.order and len(reading.among) == 2:
        first, second = (
            triples(reading.order.hops, a.ref, v, v[1:]) for a, v in zip(reading.among, ("?a", "?b"), strict=True)
        )
        return f"ASK {{ {first} {second} FILTER(?a {'>' if reading.order.descending else '<'} ?b) }}"
    if reading.target is None:
        return f"ASK {{ {_where(reading)} }}"
    end = reading.target.ref
    parts = [triples(a.hops, a.ref, end, f"m{i or ''}") for i, a in enumerate(reading.anchors)]
    return f"ASK {{ {' '.join(parts)} }}"


def hop_words(hops: tuple[Hop, ...]) -> str:
    """A path in words: labels joined, an inverse step marked."""
    return ", then ".join(h.label if h.direction == "out" else f"has {h.label}" for h in hops)


def _relational(label: str) -> bool:
    """Whether a property's label reads on into its object: "located in", "member of"."""
    return label.rsplit(" ", 1)[-1].casefold() in PREPOSITIONS


def _step(hop: Hop, inner: str) -> str:
    """The values at the end of a hop from what `inner` names."""
    if hop.direction == "out":
        return f"what {inner} is {hop.label}" if _relational(hop.label) else f"{hop.label} of {inner}"
    return f"what is {hop.label} {inner}" if _relational(hop.label) else f"what has as {hop.label} {inner}"


def _anchor_words(anchor: Anchor, names: Mapping[str, str]) -> str:
    words = names.get(anchor.node.iri, anchor.node.label)
    for hop in anchor.hops[:-1]:
        words = _step(hop, words)
    if not anchor.hops:
        return words
    last = anchor.hops[-1]
    if last.direction == "in":
        return f"that is {last.label} {words}" if _relational(last.label) else f"whose {last.label} is {words}"
    return _step(last, words)


def _bound_words(bound: ValueFilter) -> str:
    return f"with {hop_words(bound.hops)} {'in ' if bound.year else ''}{bound.operator} {bound.value.value}"


def _order_words(order: Order) -> str:
    amount = "number of values" if order.count else "value"
    what = (
        f"number of {order.of.label}: {hop_words(order.hops)}" if order.of else f"{amount} of {hop_words(order.hops)}"
    )
    rank = f" (rank {order.offset + 1})" if order.offset else ""
    return f"with the {'highest' if order.descending else 'lowest'} {what}{rank}"


def verbalise(reading: Reading, names: Mapping[str, str]) -> str:
    """One line such as "City whose country is Kenya, with population > 500000, counted"."""
    if reading.form == "ask" and reading.target:
        paths = " and ".join(
            f"{_anchor_words(a, names)} is {names.get(reading.target.node.iri, reading.target.node.label)}"
            for a in reading.anchors
        )
        return f"Is it true: {paths}?"
    if reading.form == "ask" and reading.order and len(reading.among) == 2:
        (a, b), more = (
            (names.get(x.node.iri, x.node.label) for x in reading.among),
            "more" if reading.order.descending else "less",
        )
        return f"Has {a} {more} {hop_words(reading.order.hops)} than {b}?"
    head = reading.type.label if reading.type else ""
    parts = [_anchor_words(a, names) for a in reading.anchors]
    if reading.among:
        head = " or ".join(names.get(a.node.iri, a.node.label) for a in reading.among)
    whose = f" (that of {names.get(reading.target.node.iri, reading.target.node.label)})" if reading.target else ""
    parts += [_bound_words(f) + whose for f in reading.filters]
    if reading.order:
        parts.append(_order_words(reading.order))
    if reading.form == "ask" and len(reading.among) == 1:
        return f"Is it true: {head} {', '.join(parts)}?"
    text = (head + " " if head else "") + ", ".join(parts)
    if reading.form == "count":
        return f"How many: {text}".strip()
    if reading.form == "ask":
        return f"Is there: {text}".strip()
    return (text[:1].upper() + text[1:]).strip()
