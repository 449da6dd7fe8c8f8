"""Which IRIs a query may use: those that were offered, and the graph's bookkeeping of labels and types."""

from __future__ import annotations

from collections.abc import Iterable

from clear_kgqa.mars.enrichment import classes_of
from clear_kgqa.mars.linking import Linked
from clear_kgqa.mars.offers import Offer
from clear_kgqa.readings.reading import TypeConstraint
from clear_kgqa_tools.profile import Profile
from clear_kgqa_tools.terms import RDF_TYPE, RDFS_LABEL, XSD


def offered_iris(
    offers: Iterable[Offer], linked: Iterable[Linked], classes: Iterable[TypeConstraint], profile: Profile
) -> frozenset[str]:
    """Every IRI that may stand in a query."""
    offers = list(offers)
    out = {RDF_TYPE, RDFS_LABEL, *profile.labels, *profile.type_predicates, *profile.subclass}
    for offer in offers:
        out.update(offer.iris)
        out.update(i.term.value for i in offer.instances if i.term.kind == "iri")
    out.update(classes_of(offers))
    out.update(x.node.iri for x in linked if x.value is None)
    for constraint in classes:
        out.update((constraint.iri, constraint.predicate))
    return frozenset(out | _statement_forms(out, profile))


def _statement_forms(iris: set[str], profile: Profile) -> set[str]:
    """p:P and ps:P say the same as an offered wdt:P."""
    names = profile.prefixes
    if not profile.qualifiers or not all(p in names for p in ("wdt", "p", "ps")):
        return set()
    offered = [iri.removeprefix(names["wdt"]) for iri in iris if iri.startswith(names["wdt"])]
    return {names[form] + name for form in ("p", "ps") for name in offered}


def not_offered(sparql: str, offered: frozenset[str], profile: Profile) -> list[str]:
    """The IRIs of a query that were not offered, in order; raises QueryError for what is no safe query."""
    from rdflib import URIRef

    from clear_kgqa.nlkgq.query_tree import parse, walk

    found = (str(node) for node in walk(parse(sparql, profile.prefixes)) if isinstance(node, URIRef))
    return [iri for iri in dict.fromkeys(found) if iri not in offered and not iri.startswith(XSD)]
