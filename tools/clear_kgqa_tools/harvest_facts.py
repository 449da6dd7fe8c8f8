"""What one pass over a graph learns of its nodes, its properties and its own schema."""

from __future__ import annotations

from dataclasses import dataclass, field

from clear_kgqa_tools.terms import XSD

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SAMPLE = 400
STRINGS = frozenset({XSD + "string", RDF + "langString", RDF + "dirLangString"})
DOMAINS = frozenset({RDFS + "domain", "http://schema.org/domainIncludes", "https://schema.org/domainIncludes"})
RANGES = frozenset({RDFS + "range", "http://schema.org/rangeIncludes", "https://schema.org/rangeIncludes"})
PROPERTY_TYPES = frozenset(
    {
        RDF + "Property",
        OWL + "ObjectProperty",
        OWL + "DatatypeProperty",
        OWL + "AnnotationProperty",
        OWL + "FunctionalProperty",
        OWL + "SymmetricProperty",
        OWL + "TransitiveProperty",
        OWL + "InverseFunctionalProperty",
        "http://wikiba.se/ontology#Property",
    }
)
CLASS_TYPES = frozenset({RDFS + "Class", OWL + "Class", RDFS + "Datatype"})
METACLASSES = (
    PROPERTY_TYPES
    | CLASS_TYPES
    | {OWL + "Ontology", OWL + "NamedIndividual", OWL + "Thing", RDFS + "Resource", OWL + "Restriction"}
)
SYMMETRIC = OWL + "SymmetricProperty"
NEVER = 1_000_000


class NodeFacts:
    """What the pass learnt of one node; `rank` orders its labels (lower is better)."""

    __slots__ = (
        "description",
        "description_rank",
        "incoming",
        "label",
        "outgoing",
        "popularity",
        "rank",
        "rest",
        "types",
    )

    def __init__(self) -> None:
        self.label = ""
        self.rank = NEVER
        self.rest: list[str] | None = None
        self.description = ""
        self.description_rank = NEVER
        self.types: tuple[str, ...] = ()
        self.incoming = 0
        self.outgoing = 0
        self.popularity: float | None = None


@dataclass
class PropertyFacts:
    """Count of a property and an even sample of (subject, object, kind: iri, bnode, triple or datatype)."""

    count: int = 0
    sample: list[tuple[str, str, str]] = field(default_factory=list)


@dataclass
class Declared:
    """What the graph says of its own schema."""

    domains: dict[str, list[str]] = field(default_factory=dict)
    ranges: dict[str, list[str]] = field(default_factory=dict)
    parents: dict[str, list[str]] = field(default_factory=dict)
    inverse: dict[str, str] = field(default_factory=dict)
    properties: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
