"""What a graph can be asked: its properties and classes with labels, domains, ranges and counts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True, slots=True)
class Property:
    """A property in use. `domains` and `ranges` are class IRIs (declared, else the most frequent observed ones).

    `values` says what stands at its end: "iri", "number", "date", "text", "boolean" or "mixed"; `mediator` that the
    objects are nodes without a name of their own (Freebase CVT, RDF value nodes), which join two hops;
    `count` the number of triples, `subjects` and `objects` the distinct ends.
    """

    iri: str
    label: str
    aliases: tuple[str, ...] = ()
    comment: str = ""
    domains: tuple[str, ...] = ()
    ranges: tuple[str, ...] = ()
    count: int = 0
    subjects: int = 0
    objects: int = 0
    values: str = "iri"
    mediator: bool = False


@dataclass(frozen=True, slots=True)
class Class:
    """A class with the number of its instances. `predicate` is the property that assigns it (rdf:type, wdt:P31)."""

    iri: str
    label: str
    aliases: tuple[str, ...] = ()
    comment: str = ""
    count: int = 0
    parents: tuple[str, ...] = ()
    predicate: str = ""


@dataclass(frozen=True)
class Schema:
    """All properties and classes of a graph, most used first."""

    properties: tuple[Property, ...] = ()
    classes: tuple[Class, ...] = ()
    triples: int = 0
    extra: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def property_by_iri(self) -> dict[str, Property]:
        return {p.iri: p for p in self.properties}

    @cached_property
    def class_by_iri(self) -> dict[str, Class]:
        return {c.iri: c for c in self.classes}

    def to_json(self) -> dict[str, Any]:
        return {
            "properties": [asdict(p) for p in self.properties],
            "classes": [asdict(c) for c in self.classes],
            "triples": self.triples,
            "extra": self.extra,
        }

    @staticmethod
    def from_json(data: dict[str, Any]) -> Schema:
        """The inverse of `to_json`; unknown fields raise TypeError."""
        return Schema(
            tuple(Property(**{k: _tuple(v) for k, v in p.items()}) for p in data["properties"]),
            tuple(Class(**{k: _tuple(v) for k, v in c.items()}) for c in data["classes"]),
            data["triples"],
            data.get("extra", {}),
        )


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
