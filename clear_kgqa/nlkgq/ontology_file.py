"""Reads an ontology file (OWL or RDFS) as a schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.schema import Class, Property, Schema
from clear_kgqa_tools.terms import XSD
from clear_kgqa_tools.text import cut, one_line

# JSON-LD is left out: its contexts are fetched from wherever the file says.
_FORMATS = {".ttl": "turtle", ".nt": "nt", ".owl": "xml", ".rdf": "xml", ".xml": "xml"}
_VALUES = {
    "date": ("date", "dateTime", "gYear", "gYearMonth", "time"),
    "boolean": ("boolean",),
    "number": (
        "integer",
        "int",
        "decimal",
        "double",
        "float",
        "long",
        "nonNegativeInteger",
        "positiveInteger",
    ),
}


@dataclass(frozen=True, slots=True)
class GivenOntology:
    """An ontology file: its schema (without counts), its text and the prefixes that it declares."""

    schema: Schema
    text: str
    prefixes: dict[str, str]


def read_ontology(path: Path) -> GivenOntology:
    """Classes and properties of a Turtle, N-Triples or RDF/XML file; imports are not followed.

    Raises ConfigError for a file that cannot be read, another format, or no class and no property in it.
    """
    from xml.sax import SAXException

    from rdflib import Graph
    from rdflib.exceptions import ParserError
    from rdflib.plugins.parsers.notation3 import BadSyntax

    if path.suffix.lower() not in _FORMATS:
        raise ConfigError(f"{path}: an ontology is a {', '.join(_FORMATS)} file")
    try:
        text = path.read_text(encoding="utf-8-sig")
        graph = Graph(bind_namespaces="none").parse(data=text, format=_FORMATS[path.suffix.lower()])
    except (OSError, UnicodeDecodeError, BadSyntax, ParserError, SAXException, ValueError) as error:
        raise ConfigError(f"cannot read the ontology {path}: {cut(one_line(str(error)), 200)}") from error
    schema = Schema(tuple(_properties(graph)), tuple(_classes(graph)))
    if not schema.properties and not schema.classes:
        raise ConfigError(f"{path} declares no class and no property")
    return GivenOntology(schema, text, {str(p): str(ns) for p, ns in graph.namespaces()})


def _classes(graph: Any) -> Iterator[Class]:
    from rdflib import OWL, RDF, RDFS

    for node in _declared(graph, (OWL.Class, RDFS.Class)):
        parents = _iris(graph, graph.objects(node, RDFS.subClassOf))
        yield Class(
            str(node),
            _text(graph, node, RDFS.label),
            (),
            _text(graph, node, RDFS.comment),
            0,
            parents,
            str(RDF.type),
        )


def _properties(graph: Any) -> Iterator[Property]:
    from rdflib import OWL, RDF, RDFS

    for node in _declared(graph, (OWL.ObjectProperty, OWL.DatatypeProperty, RDF.Property)):
        ranges = _iris(graph, graph.objects(node, RDFS.range))
        literal = (node, RDF.type, OWL.DatatypeProperty) in graph or any(r.startswith(XSD) for r in ranges)
        domains = _iris(graph, graph.objects(node, RDFS.domain))
        label, comment = _text(graph, node, RDFS.label), _text(graph, node, RDFS.comment)
        values = _values(ranges) if literal else "iri"
        yield Property(str(node), label, (), comment, domains, ranges, values=values)


def _declared(graph: Any, kinds: Iterable[Any]) -> list[Any]:
    from rdflib import RDF, URIRef

    found = {node for kind in kinds for node in graph.subjects(RDF.type, kind) if isinstance(node, URIRef)}
    return sorted(found)


def _text(graph: Any, node: Any, predicate: Any) -> str:
    """The English text, else the one without a language, else the first."""
    order = {"en": 0, None: 1}
    texts = sorted(graph.objects(node, predicate), key=lambda t: (order.get(getattr(t, "language", None), 2), str(t)))
    return str(texts[0]) if texts else ""


def _iris(graph: Any, nodes: Iterable[Any]) -> tuple[str, ...]:
    """The IRIs among the nodes, and the members of unions."""
    from rdflib import OWL, URIRef
    from rdflib.collection import Collection

    found: set[str] = set()
    for node in nodes:
        if isinstance(node, URIRef):
            found.add(str(node))
        for union in graph.objects(node, OWL.unionOf):
            found |= {str(member) for member in Collection(graph, union) if isinstance(member, URIRef)}
    return tuple(sorted(found))


def _values(ranges: tuple[str, ...]) -> str:
    names = {r.removeprefix(XSD) for r in ranges}
    return next((kind for kind, types in _VALUES.items() if names & set(types)), "text")
