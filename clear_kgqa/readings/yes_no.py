"""Yes/no readings: whether two nodes are joined, whether a node is of a class, and choices between two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from clear_kgqa.readings.compose import PATTERNS_PER_NODE, QUICK, alternatives
from clear_kgqa.readings.question import Candidate, Question
from clear_kgqa.readings.reading import Anchor, Reading, TypeConstraint, overlaps, within
from clear_kgqa_tools.graph import trusted
from clear_kgqa_tools.nodes import Hop, Pattern
from clear_kgqa_tools.terms import iri_ref


def asked(question: Question) -> Iterator[Reading]:
    """Yes/no readings: a path between two entities (one that exists, or one that would fit), or a class membership."""
    nodes = _nodes(question)
    names = [c.mention.span for c in nodes if c.node.match in ("label", "alias")]  # "States" of "the United States"
    for first in nodes:
        for constraint in question.types:
            if not any(within(constraint.span, n) for n in names) and not overlaps(first.mention.span, constraint.span):
                yield _is_a(first, constraint)
        for second in nodes:
            if first is not second and not overlaps(first.mention.span, second.mention.span):
                yield from _between(question, first, second)


def _is_a(candidate: Candidate, constraint: TypeConstraint) -> Reading:
    target = Anchor(replace(candidate.node, iri=constraint.iri, label=constraint.label), constraint.span, ())
    hop = Hop(constraint.predicate, "type", "out")
    return Reading(
        (Anchor(candidate.node, candidate.mention.span, (hop,)),), target=target, form="ask", features={"fits": 1.0}
    )


def _between(question: Question, first: Candidate, second: Candidate) -> Iterator[Reading]:
    """Paths from one entity to another: those that the first has to nodes of the second's kind.

    Where nothing but a preposition joins the two ("Is Lyon in France?"), a label that ends in it is what is meant.
    """
    target = Anchor(second.node, second.mention.span, ())
    types = set(second.node.type_iris)
    patterns = list(first.patterns)
    if not question.view([first.mention.span, second.mention.span]).left:
        if first.mention.span > second.mention.span:
            return  # no word names the relation: the order of the two does
        before = [w.lower for w in question.cues.words if w.end <= second.mention.span[0] and w.lower != "the"]
        led = [p for p in patterns if before and p.hops[-1].label.casefold().split()[-1:] == before[-1:]]
        patterns = led or patterns
    for pattern in patterns:
        fits = _fits(question, pattern, second, types)
        if fits is not None:
            anchor = Anchor(first.node, first.mention.span, pattern.hops)
            yield Reading((anchor,), target=target, form="ask", features={"fits": fits})


def _fits(question: Question, pattern: Pattern, second: Candidate, types: set[str]) -> float | None:
    """1 where a path ends in nodes of the wanted kind, 0 where that cannot be told, None where it does not."""
    last, schema = pattern.hops[-1], question.space.bundle.schema
    known = schema.property_by_iri.get(last.property)
    ends = set(question.space.classes_at(last))
    if known and types and not any(schema.class_by_iri[e].count for e in ends if e in schema.class_by_iri):
        ends = types if question.space.leads_to(known.iri, types) else ends
    hits = pattern.sample is not None and pattern.sample.value == second.node.iri
    if last.direction != "out" or not (hits or (types & ends) or not (types and ends)):
        return None
    return float(bool(types & ends) or hits)


def _nodes(question: Question) -> list[Candidate]:
    """The candidates that are nodes, no classes, and whose mention is not a part of a class's name ("US" of "US
    state")."""
    classes, spans = question.space.class_index, [t.span for t in question.types]
    nodes = [c for c in question.candidates if c.value is None and c.node.iri not in classes]
    return [c for c in nodes if not any(within(c.mention.span, s) for s in spans)]


def linked(question: Question, most: int = 12) -> Iterator[Reading]:
    """Two-hop chains of outgoing properties that really join two entities ("Is Lyon in Europe?").

    Where no word names the relation, a chain leads from the part to the whole: nodes have one such value, not several,
    and the whole does not lead back (as a neighbour does).
    """
    known, hidden = question.space.bundle.schema.property_by_iri, set(question.space.bundle.profile.hidden)
    nodes = _nodes(question)
    pairs = [(a, b) for a in nodes for b in nodes if not overlaps(a.mention.span, b.mention.span)]
    for first, second in pairs[:most]:
        a, b = iri_ref(first.node.iri), iri_ref(second.node.iri)
        named = question.view([first.mention.span, second.mention.span]).left
        barred = hidden if named else hidden | question.space.several
        one_way = "" if named else f" FILTER NOT EXISTS {{ {b} ?q ?m }}"
        query = f"SELECT ?p ?q WHERE {{ {a} ?p ?m . ?m ?q {b} . FILTER(isIRI(?m)){one_way} }} LIMIT 20"
        for row in question.space.bundle.graph.query(trusted(query), QUICK).rows:
            iris = [t.value for t in row if t is not None]
            back_and_forth = iris[0] == iris[-1] and iris[0] in question.space.several  # a neighbour's neighbour
            if len(iris) == 2 and not back_and_forth and all(i in known and i not in barred for i in iris):
                anchor = Anchor(first.node, first.mention.span, tuple(Hop(i, known[i].label, "out") for i in iris))
                target = Anchor(second.node, second.mention.span, ())
                yield Reading((anchor,), target=target, form="ask", features={"fits": 1.0})


def yes_or_no(question: Question) -> list[Reading]:
    """All yes/no readings; a single step that does not hold gives way to the chain by which the part is in the whole."""
    chains, several = list(linked(question)), question.space.several
    upward = {_step(c) for c in chains if not any(h.property in several for h in c.anchors[0].hops)}
    graph = question.space.bundle.graph
    steps = [r for r in asked(question) if _step(r) not in upward or graph.query(trusted(r.query), QUICK).boolean]
    return [*steps, *chains, *chosen(question)]


def _step(reading: Reading) -> tuple[str, Hop, str]:
    """What a yes/no reading begins with, and the node it is about to end in."""
    anchor, target = reading.anchors[0], reading.target
    return anchor.node.iri, anchor.hops[0], target.node.iri if target else ""


def chosen(question: Question) -> Iterator[Reading]:
    """A choice between two named answers: "is she a painter or a writer"."""
    for a, b in alternatives(question):
        among = (Anchor(a.node, a.mention.span, ()), Anchor(b.node, b.mention.span, ()))
        for candidate in question.candidates:
            if any(overlaps(candidate.mention.span, x.mention.span) for x in (a, b)):
                continue
            for pattern in question.ranked(candidate)[:PATTERNS_PER_NODE]:
                yield Reading((Anchor(candidate.node, candidate.mention.span, pattern.hops),), among=among)
