"""Composing readings: from the patterns around each candidate to complete queries of every supported form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from clear_kgqa.readings.cues import Bound, Grade, lexicon
from clear_kgqa.readings.question import Candidate, Question
from clear_kgqa.readings.reading import (
    Anchor,
    AnswerForm,
    Order,
    Reading,
    Span,
    TypeConstraint,
    ValueFilter,
    triples,
)
from clear_kgqa.readings.words import Word, content_stems
from clear_kgqa_tools.graph import Limits, trusted
from clear_kgqa_tools.nodes import Hop, Pattern
from clear_kgqa_tools.terms import XSD, Term, iri_ref

PATTERNS_PER_NODE = 24
BASES = 12
NEAR = 0.68  # cosine from which a property counts as named by an attribute word
QUICK = Limits(seconds=2.0, rows=400)


def overlaps(a: Span, b: Span) -> bool:
    return a[0] < b[1] and b[0] < a[1]


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
    """Each base with each class that the question names outside its mentions."""
    for base in bases:
        for constraint in question.types:
            if base.type is None and disjoint(base, constraint.span):
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
                if known is None or known.iri in hidden or (known.iri == back.property and way != back.direction):
                    continue
                hop = Hop(known.iri, known.label, "out" if way == "out" else "in")
                yield Reading((replace(anchor, hops=(*anchor.hops, hop)),))


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
    exact = (c for c in question.candidates if c.node.match in ("label", "alias") and c.patterns)
    return any(not any(overlaps(c.mention.span, s) for s in spans) for c in exact)


def _is_attribute(question: Question, word: Word) -> bool:
    """Whether a word is the name of a numeric property or of a date ("area"), whatever else may be called so."""
    return any(question.space.text(h[-1].property).label == {word.stem} for h in question.space.attributes())


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
    for p in ranked:
        score = float(rows[:, space.index[p.iri]].max())
        if score < NEAR or p.values in ("number", "date"):
            continue
        for base in sets:
            if disjoint(base, grade.span):
                hop = (Hop(p.iri, p.label, "out"),)
                order = Order(hop, grade.descending, grade.limit, grade.span, grade.offset, count=True)
                yield replace(base, order=order, features={"attribute": score})


def filtered(question: Question, sets: list[Reading], bound: Bound) -> Iterator[Reading]:
    """The sets bounded by a number or a year."""
    names = (bound.attribute, *lexicon()["units"].get(bound.attribute, ())) if bound.attribute else ()
    if bound.year:
        paths = [(h, 0.6) for h in _date_paths(question)][:6]
    else:
        named = [(h, 1.0) for h in named_attribute(question, frozenset([bound.span]))]
        paths = named or (attribute_paths(question, names) if names else [])
    value = Term(f"{bound.value:.12g}", "literal", XSD + ("integer" if bound.value == int(bound.value) else "decimal"))
    for hops, score in paths:
        for base in sets:
            if _apart(question, base, bound.span, hops):
                test = ValueFilter(hops, bound.operator, value, bound.span, bound.year)
                yield replace(base, filters=(*base.filters, test), features={"attribute": score})


def _date_paths(question: Question) -> list[tuple[Hop, ...]]:
    known = question.space.bundle.schema.property_by_iri
    dates = [h for h in question.space.attributes() if known[h[-1].property].values == "date"]
    return sorted(dates, key=lambda h: -question.near(h))


def asked(question: Question) -> Iterator[Reading]:
    """Yes/no readings: a path between two entities (one that exists, or one that would fit), or a class membership."""
    for first in question.candidates:
        for constraint in question.types:
            if not overlaps(first.mention.span, constraint.span):
                yield _is_a(first, constraint)
        for second in question.candidates:
            if first is not second and not overlaps(first.mention.span, second.mention.span):
                yield from _between(question, first, second)


def _is_a(candidate: Candidate, constraint: TypeConstraint) -> Reading:
    target = Anchor(replace(candidate.node, iri=constraint.iri, label=constraint.label), constraint.span, ())
    hop = Hop(constraint.predicate, "type", "out")
    return Reading((Anchor(candidate.node, candidate.mention.span, (hop,)),), target=target, form="ask")


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
    ends = set(known.ranges if last.direction == "out" else known.domains) if known else set()
    if known and types and not any(schema.class_by_iri[e].count for e in ends if e in schema.class_by_iri):
        ends = types if question.space.leads_to(known.iri, types) else ends
    hits = pattern.sample is not None and pattern.sample.value == second.node.iri
    if last.direction != "out" or not (hits or (types & ends) or not (types and ends)):
        return None
    return float(bool(types & ends) or hits)


def linked(question: Question, most: int = 12) -> Iterator[Reading]:
    """Two-hop chains of outgoing properties that really join two entities ("Is Lyon in Europe?").

    Where no word names the relation, a chain leads from the part to the whole: nodes have one such value, not several.
    """
    known, hidden = question.space.bundle.schema.property_by_iri, set(question.space.bundle.profile.hidden)
    pairs = [
        (a, b) for a in question.candidates for b in question.candidates if not overlaps(a.mention.span, b.mention.span)
    ]
    for first, second in pairs[:most]:
        a, b = iri_ref(first.node.iri), iri_ref(second.node.iri)
        named = question.view([first.mention.span, second.mention.span]).left
        barred = hidden if named else hidden | question.space.several
        query = f"SELECT ?p ?q WHERE {{ {a} ?p ?m . ?m ?q {b} . FILTER(isIRI(?m)) }} LIMIT 20"
        for row in question.space.bundle.graph.query(trusted(query), QUICK).rows:
            iris = [t.value for t in row if t is not None]
            if len(iris) == 2 and all(i in known and i not in barred for i in iris):
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
    for a, b in _alternatives(question):
        among = (Anchor(a.node, a.mention.span, ()), Anchor(b.node, b.mention.span, ()))
        for candidate in question.candidates:
            if any(overlaps(candidate.mention.span, x.mention.span) for x in (a, b)):
                continue
            for pattern in question.ranked(candidate)[:PATTERNS_PER_NODE]:
                yield Reading((Anchor(candidate.node, candidate.mention.span, pattern.hops),), among=among)


def _alternatives(
    question: Question, between_words: tuple[str, ...] = (" or ",)
) -> Iterator[tuple[Candidate, Candidate]]:
    """Candidates on the two sides of an "or" (or of "larger than")."""
    for a in question.candidates:
        for b in question.candidates:
            between = question.text[a.mention.span[1] : b.mention.span[0]].casefold()
            near = a.mention.span[1] <= b.mention.span[0] and len(between) <= 24
            if near and any(w in between for w in between_words):
                yield a, b


def compared(question: Question, grade: Grade) -> Iterator[Reading]:
    """Which of the named entities has more: each pair of candidates around "or"."""
    named = [(h, 1.0) for h in named_attribute(question, frozenset([grade.span]))]
    paths = named or attribute_paths(question, grade.attributes)
    for a, b in _alternatives(question, (" or ", " than ")):
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
