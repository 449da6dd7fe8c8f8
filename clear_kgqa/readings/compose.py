"""Composing readings: from the patterns around each candidate to sets of answers, by paths, classes and constraints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from clear_kgqa.readings.question import Candidate, Question
from clear_kgqa.readings.reading import Anchor, Reading, Span, overlaps, triples
from clear_kgqa.readings.words import Word, content_stems
from clear_kgqa_tools.graph import Limits, trusted
from clear_kgqa_tools.nodes import Hop

PATTERNS_PER_NODE = 24
BASES = 18
QUICK = Limits(seconds=2.0, rows=400)


def one_hop(question: Question) -> list[Reading]:
    """Every pattern of every candidate as a plain list reading; the best few patterns per node."""
    out = []
    for candidate in question.candidates:
        for pattern in question.ranked(candidate)[:PATTERNS_PER_NODE]:
            anchor = Anchor(candidate.node, candidate.mention.span, pattern.hops, candidate.value)
            out.append(Reading((anchor,), features={"expected": float(pattern.count)}))
    return out


def disjoint(reading: Reading, span: Span) -> bool:
    spans = [a.span for a in reading.entities] + ([reading.type.span] if reading.type else [])
    return not any(overlaps(s, span) for s in spans)


def several(reading: Reading) -> bool:
    """Whether a reading may have more than one answer; only such sets are ordered, bounded or counted."""
    return reading.features.get("expected", 2.0) > 1


def typed(question: Question, bases: Iterable[Reading]) -> Iterator[Reading]:
    """Each base with each class that the question names outside its mentions, unless the words name its property."""
    text = question.space.text
    for base in bases:
        ends = [text(a.hops[-1].property).label for a in base.anchors if a.hops[-1].direction == "out"]
        for constraint in question.types:
            if base.type is None and disjoint(base, constraint.span) and content_stems(constraint.label) not in ends:
                yield replace(base, type=constraint)


def joined(question: Question, bases: list[Reading]) -> Iterator[Reading]:
    """Two bases that share the answer: "bandleaders that play trumpet"."""
    known = question.space.bundle.schema.property_by_iri
    bases = [
        b
        for b in bases
        if known[b.anchors[0].hops[-1].property].values == "iri" or b.anchors[0].hops[-1].direction == "in"
    ]
    for i, first in enumerate(bases):
        for second in bases[i + 1 :]:
            if all(disjoint(first, a.span) for a in second.anchors):
                yield replace(first, anchors=first.anchors + second.anchors, features={})


def second_hop(question: Question, bases: list[Reading]) -> Iterator[Reading]:
    """One more hop from the answers of a base: "the currency of the country where Lyon is"."""
    graph, schema = question.space.bundle.graph, question.space.bundle.schema
    hidden = {*question.space.bundle.profile.hidden, *question.space.type_predicates}
    shared = any(w.lower in ("share", "shares", "same") for w in question.cues.words)  # a value with another node
    for base in bases:
        anchor = base.anchors[0]
        if len(anchor.hops) > 1:
            continue
        for way, triple in (("out", "?m ?p ?x"), ("in", "?x ?p ?m")):
            inner = triples(anchor.hops, anchor.ref, "?m", "i")
            query = (
                f"SELECT ?p (COUNT(*) AS ?n) WHERE {{ {{ SELECT ?m ?p ?x WHERE {{ "
                f"{{ SELECT DISTINCT ?m WHERE {{ {inner} }} LIMIT 30 }} {triple} }} LIMIT 3000 }} }} GROUP BY ?p"
            )
            for property_, _ in graph.query(trusted(query), QUICK).rows:
                known = schema.property_by_iri.get(property_.value) if property_ else None
                back = anchor.hops[-1]
                if (
                    known is None
                    or known.iri in hidden
                    or (known.iri == back.property and way != back.direction and not shared)
                ):
                    continue
                hop = Hop(known.iri, known.label, "out" if way == "out" else "in")
                yield Reading((replace(anchor, hops=(*anchor.hops, hop)),))


def base_sets(question: Question, bases: list[Reading]) -> list[Reading]:
    """Sets of things to order, filter or count: bases with and without a class, and each class alone."""
    alone = [] if _elsewhere(question) else [Reading(type=t) for t in question.types]
    return [b for b in (*typed(question, bases), *bases, *alone) if several(b)]


def _elsewhere(question: Question) -> bool:
    """Whether the question names a node besides its classes, so that all instances of a class cannot be meant."""
    spans = [t.span for t in question.types]
    spans += [g.span for g in question.cues.grades]  # "most" names a city as well
    spans += [b.span for b in question.cues.bounds]
    spans += [(w.start, w.end) for w in question.cues.words if w.text.islower() and _is_attribute(question, w)]
    exact = (c for c in question.candidates if c.node.match in ("label", "alias", "demonym") and c.patterns)
    return any(not any(overlaps(c.mention.span, s) for s in spans) for c in exact)


def _is_attribute(question: Question, word: Word) -> bool:
    """Whether a word is the name of a numeric property or of a date ("area"), whatever else may be called so."""
    return any(question.space.text(h[-1].property).label == {word.stem} for h in question.space.attributes())


def alternatives(
    question: Question, between_words: tuple[str, ...] = (" or ",)
) -> Iterator[tuple[Candidate, Candidate]]:
    """Candidates on the two sides of an "or" (or of "larger than")."""
    for a in question.candidates:
        for b in question.candidates:
            between = question.text[a.mention.span[1] : b.mention.span[0]].casefold()
            near = a.mention.span[1] <= b.mention.span[0] and len(between) <= 24
            if near and any(w in between for w in between_words):
                yield a, b
