"""Splits a query over several endpoints: each triple goes where its terms live."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from clear_kgqa.nlkgq.query_tree import plain_predicate, replace, triples_of, walk
from clear_kgqa_tools.errors import ConfigError, QueryError
from clear_kgqa_tools.terms import RDF_TYPE

Triple = tuple[Any, Any, Any]


def federated(tree: Any, endpoints: Mapping[str, str], home: str, allowed: Collection[str]) -> Any:
    """The tree with triples of other endpoints grouped into SERVICE patterns.

    `endpoints` maps native IRIs to the endpoint that holds them; what lives at `home` or nowhere known stays
    outside. A triple without a known predicate or class goes with the other triples of its subject where
    these agree. Raises ConfigError for an endpoint that is not allowed, QueryError for a path that joins two
    endpoints.
    """
    for endpoint in set(endpoints.values()) - {home}:
        if endpoint not in allowed:
            raise ConfigError(f"the wrapper names the endpoint {endpoint}, which is not among the allowed services")
    return replace(tree, lambda node: _split_group(node, endpoints, home)) if endpoints else tree


def _split_group(node: Any, endpoints: Mapping[str, str], home: str) -> Any:
    from rdflib.plugins.sparql.parserutils import CompValue

    if getattr(node, "name", "") != "GroupGraphPatternSub":
        return None
    parts = []
    for part in node.part or []:
        parts += _split_block(part, endpoints, home) if part.name == "TriplesBlock" else [part]
    return CompValue(node.name, part=parts)


def _split_block(block: Any, endpoints: Mapping[str, str], home: str) -> list[Any]:
    from rdflib import URIRef
    from rdflib.plugins.sparql.parserutils import CompValue

    triples = list(triples_of(block))
    by_endpoint: dict[str, list[Any]] = {"": []}
    for triple, endpoint in zip(triples, _routes(triples, endpoints), strict=True):
        by_endpoint.setdefault("" if endpoint == home else endpoint, []).append(list(triple))
    parts = []
    for endpoint, flat in by_endpoint.items():
        inner = CompValue("TriplesBlock", triples=flat)
        if endpoint:
            group = CompValue("GroupGraphPatternSub", part=[inner])
            inner = CompValue("ServiceGraphPattern", term=URIRef(endpoint), graph=group)
        parts += [inner] if flat else []
    return parts


def _routes(triples: list[Triple], endpoints: Mapping[str, str]) -> list[str]:
    """The endpoint of each triple, empty for home."""
    routes = [_own_route(triple, endpoints) for triple in triples]
    of_subject: dict[str, set[str]] = {}
    for (subject, _, _), route in zip(triples, routes, strict=True):
        if route is not None:
            of_subject.setdefault(str(subject), set()).add(route)
    agreed = {subject: next(iter(found)) for subject, found in of_subject.items() if len(found) == 1}
    return [agreed.get(str(t[0]), "") if route is None else route for t, route in zip(triples, routes, strict=True)]


def _own_route(triple: Triple, endpoints: Mapping[str, str]) -> str | None:
    """The endpoint that a triple's own terms name, "" for home, None where they name nothing."""
    from rdflib import URIRef, Variable

    predicate = plain_predicate(triple[1])
    if isinstance(predicate, Variable) or str(predicate) == RDF_TYPE:
        found = {endpoints[str(t)] for t in triple[::2] if str(t) in endpoints}
        return found.pop() if len(found) == 1 else None
    iris = [iri for iri in walk(triple[1]) if isinstance(iri, URIRef)]
    found = {endpoints.get(str(iri), "") for iri in iris}
    if len(found) > 1:
        raise QueryError("one path joins two endpoints; write its steps as triples with a variable between them")
    return found.pop() if found else None
