"""Patterns around linked nodes and beyond offered ones: counted, verbalised, ranked by meaning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from clear_kgqa.mars.labels import Labels
from clear_kgqa.mars.linking import Linked
from clear_kgqa.mars.offers import END, Offer, Triple, verbalise
from clear_kgqa.readings.reader import Reader
from clear_kgqa.readings.reading import TypeConstraint
from clear_kgqa_tools.errors import LimitExceeded, QueryError
from clear_kgqa_tools.graph import Limits, trusted
from clear_kgqa_tools.nodes import Hop, Pattern
from clear_kgqa_tools.search_graph_pattern import NODES_LOOKED_AT
from clear_kgqa_tools.terms import iri_ref, string_literal

PATTERNS = 400  # looked at beyond one offer
ENDS = 5_000  # values of an offer among which nodes are picked to look beyond
_QUICK = Limits(seconds=5.0, rows=200)
_STATEMENT = ("wdt", "p", "ps", "pq")


class Patterns:
    """Finds offers in one graph. What it asks is bounded: a hub's objects are counted, never listed.

    Offers are worded in `labels`, the question's language, and compared with it in `searched`, that of its translation.
    """

    def __init__(self, reader: Reader, labels: Labels, searched: Labels) -> None:
        self._bundle, self._search = reader.bundle, reader.patterns
        self._labels, self._searched = labels, searched
        self._types = {c.predicate for c in reader.bundle.schema.classes}  # instances are offered for classes alone
        names = reader.bundle.profile.prefixes
        known = reader.bundle.profile.qualifiers and all(p in names for p in _STATEMENT)
        self._statements = tuple(names[p] for p in _STATEMENT) if known else ()

    def around(self, linked: list[Linked]) -> list[Offer]:
        """Every pattern of one step (two through a mediator) from the linked nodes."""
        found = self._search.around([x.node.iri for x in linked if x.value is None])
        out = [
            Offer(x.node.iri, _path(x.ref, p.hops), p.count, capped=p.capped)
            for x in linked
            for p in (found[x.node.iri] if x.value is None else ())
            if not (p.hops[0].property in self._types and p.hops[0].direction == "in")
        ]
        values = [offer for x in linked if x.value is not None for offer in self._holders(x)]
        return [*out, *values]

    def _holders(self, linked: Linked) -> list[Offer]:
        """The properties that a literal is a value of."""
        query = f"SELECT ?p (COUNT(*) AS ?n) WHERE {{ ?s ?p {linked.ref} }} GROUP BY ?p"
        rows = self._bundle.graph.query(trusted(query), _QUICK).rows
        hidden = set(self._bundle.profile.hidden)
        return [
            Offer("", ((END, iri_ref(p.value), linked.ref),), int(n.value))
            for p, n in rows
            if p is not None and n is not None and p.value not in hidden
        ]

    def instances_of(self, constraint: TypeConstraint) -> Offer:
        """The instances of a class as a pattern."""
        path = iri_ref(constraint.predicate) + (f"/{iri_ref(constraint.subclass)}*" if constraint.subclass else "")
        known = self._bundle.schema.class_by_iri.get(constraint.iri)
        return Offer(constraint.iri, ((END, path, iri_ref(constraint.iri)),), known.count if known else 0)

    def beyond(self, offer: Offer) -> list[Offer]:
        """The patterns that go on from the values of an offer, and its qualifiers where the profile has them."""
        body = " ".join(f"{' '.join(t)} ." for t in offer.renamed("?e"))
        # the inner limit holds where a chain of hubs has millions of ends
        nodes = (
            f"SELECT DISTINCT ?e WHERE {{ {{ SELECT ?e WHERE {{ {body} }} LIMIT {ENDS} }} }} LIMIT {NODES_LOOKED_AT}"
        )
        try:
            found = self._search(nodes, "", PATTERNS)
        except (QueryError, LimitExceeded):
            found = []  # its values are literals, or there are too many: nothing leads on
        before = offer.renamed(f"?step{len(offer.triples)}")
        last = offer.triples[-1]
        onward = [p for p in found if not self._back(last, p.hops[0])]
        offers = [_after(offer, before, p) for p in onward]
        return [*offers, *self._qualified(offer)]

    def _back(self, last: Triple, hop: Hop) -> bool:
        """Whether a step only returns along the last one."""
        return last[1] == iri_ref(hop.property) and (last[2] == END) != (hop.direction == "out")

    def _qualified(self, offer: Offer) -> list[Offer]:
        """What qualifies the last statement: wdt:P as p:P/ps:P with each pq:Q that it carries (Wikidata)."""
        if not self._statements or not offer.last_property.startswith(self._statements[0]):
            return []
        _, p, ps, pq = self._statements
        name = offer.last_property.removeprefix(self._statements[0])
        subject, _, value = offer.triples[-1]
        statement = f"?statement{len(offer.triples)}"
        own = ((subject, iri_ref(p + name), statement), (statement, iri_ref(ps + name), value))
        before = (*offer.triples[:-1], *own)
        body = " ".join(f"{' '.join(t)} ." for t in before)
        query = (
            f"SELECT ?q (COUNT(*) AS ?n) WHERE {{ {{ SELECT {statement} ?q WHERE {{ {body} {statement} ?q ?v "
            f"FILTER(STRSTARTS(STR(?q), {string_literal(pq)})) }} LIMIT 5000 }} }} GROUP BY ?q ORDER BY DESC(?n)"
        )
        try:
            rows = self._bundle.graph.query(trusted(query), _QUICK).rows
        except LimitExceeded:
            return []
        around = Offer(offer.source, before, 0).renamed(f"?step{len(offer.triples)}")
        return [
            Offer(offer.source, (*around, (statement, iri_ref(q.value), END)), int(n.value))
            for q, n in rows
            if q is not None and n is not None
        ]

    def ranked(self, offers: Iterable[Offer], question: str, first: int, most: int) -> list[Offer]:
        """The `most` offers closest in meaning to the question, in words and numbered from `first`."""
        distinct = list({o.pattern: o for o in offers}.values())
        if not distinct:
            return []
        texts = self._texts(distinct, self._searched)
        vectors = self._bundle.similarity.encode([question, *texts])
        scores = (vectors[1:] @ vectors[0]).tolist()
        scored = [replace(o, score=round(s, 4)) for o, s in zip(distinct, scores, strict=True)]
        best = sorted(scored, key=lambda o: -o.score)[:most]
        worded = zip(best, self._texts(best, self._labels), strict=True)
        return [replace(o, text=text, number=first + i) for i, (o, text) in enumerate(worded)]

    def _texts(self, offers: list[Offer], labels: Labels) -> list[str]:
        names = labels.of(iri for o in offers for iri in o.iris)
        return [verbalise(o.triples, names) for o in offers]


def _path(start: str, hops: tuple[Hop, ...], tag: str = "?m") -> tuple[Triple, ...]:
    """The triples of a path from a reference to `?object`."""
    out: list[Triple] = []
    for i, hop in enumerate(hops):
        end = END if i == len(hops) - 1 else f"{tag}{i + 1}"
        out.append(
            (start, iri_ref(hop.property), end) if hop.direction == "out" else (end, iri_ref(hop.property), start)
        )
        start = end
    return tuple(out)


def _after(offer: Offer, before: tuple[Triple, ...], pattern: Pattern) -> Offer:
    depth = len(offer.triples)
    onward = _path(f"?step{depth}", pattern.hops, f"?m{depth}")
    return Offer(offer.source, (*before, *onward), pattern.count, capped=pattern.capped)
