"""The schema of a graph from one harvest: properties and classes with labels, domains, ranges and counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import pyoxigraph as ox

from clear_kgqa_tools.harvest import Harvest
from clear_kgqa_tools.harvest_facts import METACLASSES, PropertyFacts
from clear_kgqa_tools.harvest_mediators import Mediators
from clear_kgqa_tools.harvest_names import opaque, term_names
from clear_kgqa_tools.schema import Class, Property, Schema
from clear_kgqa_tools.terms import XSD, iri_ref

_NUMBERS = frozenset(
    XSD + t
    for t in (
        "integer",
        "decimal",
        "double",
        "float",
        "int",
        "long",
        "short",
        "byte",
        "nonNegativeInteger",
        "positiveInteger",
        "negativeInteger",
        "nonPositiveInteger",
        "unsignedInt",
        "unsignedLong",
        "unsignedShort",
        "unsignedByte",
    )
)
_DATES = frozenset(
    XSD + t
    for t in (
        "date",
        "dateTime",
        "gYear",
        "gYearMonth",
        "gMonthDay",
        "gDay",
        "gMonth",
        "time",
        "dateTimeStamp",
    )
)
_NUMERIC_TEXT = re.compile(r"[+-]?\d+(\.\d+)?")
_CLASSES_KEPT, _CLASS_SHARE = 6, 0.1
_PURE = 0.95


def build_schema(harvest: Harvest, store: ox.Store) -> Schema:
    """Properties (with exact counts from the store) and classes, most used first.

    `extra` holds `inverse` (declared pairs of property IRIs), `numeric_text` (properties whose plain
    strings are all numbers, so that queries must cast them), `of_mediators` (their subjects are mediators).
    """
    mediators = Mediators(harvest, store)
    used = harvest.properties.keys() - set(harvest.profile.hidden)
    entities = {harvest.property_entity(p) for p in harvest.properties} - harvest.properties.keys()
    unused = harvest.declared.properties - harvest.properties.keys() - set(harvest.profile.hidden) - entities
    properties = [_property(harvest, store, mediators, iri) for iri in used]
    properties += [_property(harvest, store, mediators, iri) for iri in unused - METACLASSES]
    joined = any(p.mediator for p in properties)
    extra = {
        "inverse": _inverse_pairs(harvest),
        "numeric_text": sorted(p for p in used if _numeric_text(harvest, p)),
        "of_mediators": sorted(p for p in used if joined and mediators.left_by(p, harvest.properties[p])),
    }
    return Schema(
        tuple(sorted(properties, key=lambda p: (-p.count, p.iri))),
        tuple(sorted(_classes(harvest), key=lambda c: (-c.count, c.iri))),
        len(store),
        extra,
    )


def _property(harvest: Harvest, store: ox.Store, mediators: Mediators, iri: str) -> Property:
    facts = harvest.properties.get(iri, PropertyFacts())
    entity = harvest.property_entity(iri)
    names = _names(harvest, (iri, entity))
    declared = harvest.declared
    domains = declared.domains.get(iri) or declared.domains.get(entity)
    ranges = declared.ranges.get(iri) or declared.ranges.get(entity)
    count, subjects, objects = _counts(store, iri) if facts.count else (0, 0, 0)
    return Property(
        iri,
        names[0],
        tuple(names[1:]),
        _comment(harvest, (iri, entity)),
        tuple(domains) if domains else _observed(harvest, (s for s, _, _ in facts.sample)),
        tuple(ranges) if ranges else _observed(harvest, (o for _, o, kind in facts.sample if kind == "iri")),
        count,
        subjects,
        objects,
        _values(facts, ranges),
        mediators.reached_by(iri, facts),
    )


def _names(harvest: Harvest, iris: Iterable[str]) -> list[str]:
    """Label and aliases of a property or class: declared ones, then those that its IRI tells."""
    names: list[str] = []
    made: list[str] = []
    for iri in iris:
        node = harvest.nodes.get(iri)
        if node is not None and node.label:
            names += [node.label, *(node.rest or ())]
        if not opaque(iri):
            made += term_names(iri)
    distinct: dict[str, str] = {}
    for name in (*names, *made):
        distinct.setdefault(name.casefold(), name)
    return list(distinct.values()) or [harvest.name(next(iter(iris)))]


def _comment(harvest: Harvest, iris: Iterable[str]) -> str:
    found = (harvest.nodes[iri].description for iri in iris if iri in harvest.nodes)
    return next((text for text in found if text), "")


def _counts(store: ox.Store, iri: str) -> tuple[int, int, int]:
    counts = "(COUNT(*) AS ?n) (COUNT(DISTINCT ?s) AS ?a) (COUNT(DISTINCT ?o) AS ?b)"
    text = f"SELECT {counts} WHERE {{ ?s {iri_ref(iri)} ?o }}"
    solutions = store.query(text, use_default_graph_as_union=any(True for _ in store.named_graphs()))
    assert isinstance(solutions, ox.QuerySolutions)
    n, a, b = next(solutions)
    return int(n.value), int(a.value), int(b.value)


def _observed(harvest: Harvest, nodes: Iterable[str]) -> tuple[str, ...]:
    """The most frequent classes among the nodes, those of at least a tenth of them."""
    seen: Counter[str] = Counter()
    total = 0
    for iri in nodes:
        total += 1
        facts = harvest.nodes.get(iri)
        seen.update(t for t in (facts.types if facts else ()) if t not in METACLASSES)
    return tuple(c for c, n in seen.most_common(_CLASSES_KEPT) if n >= _CLASS_SHARE * total)


def _kind(datatype: str) -> str:
    if datatype in ("iri", "bnode", "triple"):
        return "iri"
    if datatype in _NUMBERS:
        return "number"
    if datatype in _DATES:
        return "date"
    return "boolean" if datatype == XSD + "boolean" else "text"


def _values(facts: PropertyFacts, ranges: list[str] | None) -> str:
    kinds = Counter(_kind(kind) for _, _, kind in facts.sample)
    if not kinds:
        return _kind(ranges[0]) if ranges and ranges[0].startswith(XSD) else "iri"
    kind, n = kinds.most_common(1)[0]
    return kind if n >= _PURE * kinds.total() else "mixed"


def _numeric_text(harvest: Harvest, iri: str) -> bool:
    sample = harvest.properties[iri].sample
    return bool(sample) and all(_kind(k) == "text" and _NUMERIC_TEXT.fullmatch(v.strip()) for _, v, k in sample)


def _inverse_pairs(harvest: Harvest) -> list[list[str]]:
    """Declared inverse properties, each pair once (a symmetric one with itself), as the predicates in use."""
    by_entity = {harvest.property_entity(p): p for p in harvest.properties}
    pairs = {tuple(sorted((by_entity.get(a, a), by_entity.get(b, b)))) for a, b in harvest.declared.inverse.items()}
    return sorted(map(list, pairs))


def _classes(harvest: Harvest) -> list[Class]:
    declared = harvest.declared
    iris = (harvest.instances.keys() | declared.classes) - METACLASSES
    default = harvest.profile.type_predicates[0] if harvest.profile.type_predicates else ""
    found = []
    for iri in iris:
        if iri.startswith("_:"):
            continue
        names = _names(harvest, (iri,))
        parents = tuple(p for p in dict.fromkeys(declared.parents.get(iri, ())) if not p.startswith("_:"))
        found.append(
            Class(
                iri,
                names[0],
                tuple(names[1:]),
                _comment(harvest, (iri,)),
                harvest.instances[iri],
                parents,
                harvest.class_predicate.get(iri, default),
            )
        )
    return found
