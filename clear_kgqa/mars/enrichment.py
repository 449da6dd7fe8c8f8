"""Enrichment: up to ten instances of each offered pattern, and the domain and range of its last property."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from clear_kgqa.mars.labels import Labels
from clear_kgqa.mars.offers import END, Instance, Offer
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import LimitExceeded
from clear_kgqa_tools.graph import Limits, trusted
from clear_kgqa_tools.terms import Term

INSTANCES = 10
CLASSES = 3
_LIMITS = Limits(seconds=4.0)
_AT_ONCE = 20
_LOOKED_AT = 100  # values among which the distinct ones are picked, as DISTINCT would look at all


def enriched(offers: list[Offer], bundle: GraphBundle, labels: Labels) -> list[Offer]:
    """The offers with instances, domains and ranges. Patterns that take too long stay without instances."""
    found: list[list[Term]] = []
    for at in range(0, len(offers), _AT_ONCE):
        found += _instances(offers[at : at + _AT_ONCE], bundle)
    named = labels.of(t.value for terms in found for t in terms if t.kind == "iri")
    return [_enriched(o, terms, bundle, named) for o, terms in zip(offers, found, strict=True)]


def _enriched(offer: Offer, terms: list[Term], bundle: GraphBundle, named: dict[str, str]) -> Offer:
    known = bundle.schema.property_by_iri.get(offer.last_property)
    shown = tuple(Instance(t, named.get(t.value, t.value)) for t in terms)
    if known is None:
        return replace(offer, instances=shown)
    return replace(offer, instances=shown, domains=known.domains[:CLASSES], ranges=known.ranges[:CLASSES])


def _instances(offers: list[Offer], bundle: GraphBundle) -> list[list[Term]]:
    found: list[list[Term]] = [[] for _ in offers]
    parts = (
        f"{{ SELECT ({i} AS ?at) {END} WHERE {{ {o.pattern} }} LIMIT {_LOOKED_AT} }}" for i, o in enumerate(offers)
    )
    query = f"SELECT ?at {END} WHERE {{ {' UNION '.join(parts)} }}"
    try:
        rows = bundle.graph.query(trusted(query), _LIMITS).rows if offers else []
    except LimitExceeded:
        return found
    for at, term in rows:
        if at is not None and term is not None and term.kind in ("iri", "literal"):
            found[int(at.value)].append(term)
    return [list(dict.fromkeys(terms))[:INSTANCES] for terms in found]


def classes_of(offers: Iterable[Offer]) -> list[str]:
    """The classes that stand as domain or range of the offers."""
    return list(dict.fromkeys(iri for o in offers for iri in (*o.domains, *o.ranges)))
