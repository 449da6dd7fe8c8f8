"""Readings with a superlative, a comparison or a bound on a number or a date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from clear_kgqa.readings.amounts import Bound, Grade
from clear_kgqa.readings.compose import QUICK, alternatives, disjoint
from clear_kgqa.readings.english import lexicon
from clear_kgqa.readings.question import Candidate, Question
from clear_kgqa.readings.reading import (
    Anchor,
    AnswerForm,
    Order,
    Reading,
    Span,
    TypeConstraint,
    ValueFilter,
    overlaps,
    triples,
)
from clear_kgqa.readings.words import content_stems
from clear_kgqa_tools.graph import trusted
from clear_kgqa_tools.nodes import Hop
from clear_kgqa_tools.terms import XSD, Term

NAMED = 0.9  # cosine from which nothing else is looked for
NEAR = 0.68  # cosine from which a property counts as named by an attribute word
_THAN = re.compile(r"\s*(?:\w+\s+){0,2}than\s+(?:the\s+)?", re.I)


def attribute_paths(question: Question, names: tuple[str, ...], most: int = 4) -> list[tuple[tuple[Hop, ...], float]]:
    """Numeric or date paths that one of the names may mean, best first with a score 0..1."""
    vectors = question.space.similarity(question.space.bundle.similarity.encode(list(names)))
    stems = [content_stems(n) for n in names]
    out = []
    for hops in question.space.attributes():
        text = question.space.text(hops[-1].property)
        both = text.names.union(*(question.space.text(h.property).names for h in hops))
        lexical = max((1.0 if s and s <= text.names else 0.95 if s and s <= both else 0.0 for s in stems), default=0.0)
        score = max(lexical, max(question.space.path_similarity(row, hops) for row in vectors))
        if score >= NEAR:
            out.append((hops, score))
    return sorted(out, key=lambda pair: -pair[1])[:most]


def named_attribute(question: Question, spans: frozenset[Span]) -> list[tuple[Hop, ...]]:
    """Numeric or date paths whose label stands in the question itself ("by population")."""
    left = question.view(spans).stems
    out = []
    for hops in question.space.attributes():
        label = question.space.text(hops[-1].property).label
        if label and label <= left:
            out.append(hops)
    return out


def _apart(question: Question, base: Reading, span: Span, hops: tuple[Hop, ...]) -> bool:
    """Whether a set leaves alone the words that grade or bound it, the name of the attribute among them ("area" names
    a county as well)."""
    label = question.space.text(hops[-1].property).label
    spans = [span, *((w.start, w.end) for w in question.cues.words if w.stem in label)]
    return all(disjoint(base, s) for s in spans)


def ordered(question: Question, sets: list[Reading], grade: Grade) -> Iterator[Reading]:
    """The sets with the most or least of what a superlative grades."""
    spans = frozenset([grade.span])
    named = [(h, 1.0) for h in named_attribute(question, spans)]
    paths = named or attribute_paths(question, grade.attributes)
    for hops, score in paths:
        last = question.space.bundle.schema.property_by_iri[hops[-1].property]
        descending = grade.descending
        if grade.dates and last.values == "date":
            descending = not _means_old(question, grade)
        elif last.values == "date" and not grade.dates and not named:
            continue
        for base in sets:
            if _apart(question, base, grade.span, hops):
                order = Order(hops, descending, grade.limit, grade.span, grade.offset)
                yield replace(base, order=order, form="select", features={"attribute": score})
    if grade.count:
        yield from _most_values(question, sets, grade)


def _means_old(question: Question, grade: Grade) -> bool:
    word = question.text[grade.span[0] : grade.span[1]].casefold()
    return any(w in word for w in ("old", "earl", "first", "ancient", "elde"))


def _most_values(question: Question, sets: list[Reading], grade: Grade) -> Iterator[Reading]:
    """ "the most official languages": order by the number of values."""
    space = question.space
    rows = space.similarity(space.bundle.similarity.encode(list(grade.attributes)))
    ranked = sorted(space.properties, key=lambda p: -float(rows[:, space.index[p.iri]].max()))[:2]
    counted = Order((), grade.descending, grade.limit, grade.span, grade.offset, count=True)
    bases = [b for b in sets if disjoint(b, grade.span)]
    scores = [(p, float(rows[:, space.index[p.iri]].max())) for p in ranked if p.values not in ("number", "date")]
    named = [(p, score) for p, score in scores if score >= NAMED]
    of_class = [] if named else list(_most_of_class(question, bases, counted))
    yield from of_class
    for p, score in scores if not of_class else ():
        if score >= NEAR:
            order = replace(counted, hops=(Hop(p.iri, p.label, "out"),))
            yield from (replace(base, order=order, features={"attribute": score}) for base in bases)


def _most_of_class(question: Question, bases: list[Reading], counted: Order) -> Iterator[Reading]:
    """ "the most countries": order by the number of instances of a class that a property joins to the answers."""
    for of in question.types:
        for base in bases if overlaps(of.span, counted.span) else ():
            for hop in _joining(question, base.type.iri, of) if base.type else ():
                yield replace(base, order=replace(counted, hops=(hop,), of=of), features={"attribute": 1.0})


def _joining(question: Question, iri: str, of: TypeConstraint) -> list[Hop]:
    """The properties that join instances of two classes; where a word of the question names some, only those."""
    hops = []
    for p in question.space.properties:
        if iri in p.domains and of.iri in p.ranges:
            hops.append(Hop(p.iri, p.label, "out"))
        if iri in p.ranges and of.iri in p.domains:
            hops.append(Hop(p.iri, p.label, "in"))
    named = [h for h in hops if question.view([of.span]).reaches(h.property)]
    return named or hops


def beyond(question: Question, sets: list[Reading], grade: Grade) -> Iterator[Reading]:
    """The sets bounded by the value of a named node: "countries bigger than India"."""
    named = [(h, 1.0) for h in named_attribute(question, frozenset([grade.span]))]
    for candidate in question.candidates:
        span = candidate.mention.span
        if candidate.value is not None or not _THAN.fullmatch(question.text[grade.span[1] : span[0]]):
            continue
        whole, target = (grade.span[0], span[1]), Anchor(candidate.node, span, ())
        bases = [b for b in (*sets, *(Reading(type=t) for t in question.types)) if disjoint(b, whole)]
        for hops, score in named or attribute_paths(question, grade.attributes):
            query = f"SELECT ?v WHERE {{ {triples(hops, target.ref, '?v', 'm')} }}"
            for (value,) in question.space.bundle.graph.query(trusted(query), QUICK).rows[:1]:
                if value is None:
                    continue
                test = ValueFilter(hops, ">" if grade.descending else "<", value, whole)
                for base in bases:
                    yield replace(base, filters=(*base.filters, test), target=target, features={"attribute": score})


def own_bounds(question: Question, bound: Bound) -> Iterator[Reading]:
    """Whether the value of a named node is within a bound: "Is the population of Spain over 50 million?"."""
    for hops, score in _bounded_paths(question, bound):
        for candidate in question.candidates:
            has = any(p.hops[0] == hops[0] for p in candidate.patterns)
            if has and candidate.value is None and not overlaps(candidate.mention.span, bound.span):
                among = (Anchor(candidate.node, candidate.mention.span, ()),)
                test = ValueFilter(hops, bound.operator, _value(bound), bound.span, bound.year)
                yield Reading(among=among, filters=(test,), form="ask", features={"attribute": score})


def filtered(question: Question, sets: list[Reading], bound: Bound) -> Iterator[Reading]:
    """The sets bounded by a number or a year."""
    for hops, score in _bounded_paths(question, bound):
        for base in sets:
            if _apart(question, base, bound.span, hops):
                test = ValueFilter(hops, bound.operator, _value(bound), bound.span, bound.year)
                yield replace(base, filters=(*base.filters, test), features={"attribute": score})


def _value(bound: Bound) -> Term:
    return Term(f"{bound.value:.12g}", "literal", XSD + ("integer" if bound.value == int(bound.value) else "decimal"))


def _bounded_paths(question: Question, bound: Bound) -> list[tuple[tuple[Hop, ...], float]]:
    """The paths that a bound may be on, with a score 0..1."""
    if bound.year:
        return [(h, 0.6) for h in _date_paths(question)][:6]
    named = [(h, 1.0) for h in named_attribute(question, frozenset([bound.span]))]
    names = (bound.attribute, *lexicon()["units"].get(bound.attribute, ())) if bound.attribute else ()
    return named or (attribute_paths(question, names) if names else [])


def _date_paths(question: Question) -> list[tuple[Hop, ...]]:
    known = question.space.bundle.schema.property_by_iri
    dates = [h for h in question.space.attributes() if known[h[-1].property].values == "date"]
    return sorted(dates, key=lambda h: -question.near(h))


def compared(question: Question, grade: Grade) -> Iterator[Reading]:
    """Which of the named entities has more: each pair of candidates around "or"."""
    named = [(h, 1.0) for h in named_attribute(question, frozenset([grade.span]))]
    paths = named or attribute_paths(question, grade.attributes)
    for a, b in alternatives(question, (" or ", " than ")):
        if not any(overlaps(c.mention.span, grade.span) for c in (a, b)):
            yield from _pairs(question, a, b, paths, grade)


def _pairs(
    question: Question, a: Candidate, b: Candidate, paths: list[tuple[tuple[Hop, ...], float]], grade: Grade
) -> Iterator[Reading]:
    has = [{p.hops[0].property for p in c.patterns if p.hops[0].direction == "out"} for c in (a, b)]
    known = question.space.bundle.schema.property_by_iri
    for hops, score in paths:
        if not all(hops[0].property in h for h in has):
            continue
        descending = grade.descending
        if grade.dates and known[hops[-1].property].values == "date":
            descending = not _means_old(question, grade)
        among = (Anchor(a.node, a.mention.span, ()), Anchor(b.node, b.mention.span, ()))
        form: AnswerForm = "ask" if question.cues.ask and not question.cues.choice else "select"
        yield Reading(
            among=among,
            order=Order(hops, descending, 1, grade.span),
            form=form,
            features={"attribute": score},
        )
