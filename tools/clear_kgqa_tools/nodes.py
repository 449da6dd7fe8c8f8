"""What SearchNodes and SearchGraphPattern find: nodes of the graph and the patterns around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from clear_kgqa_tools.terms import Term

Direction = Literal["out", "in"]
Match = Literal["label", "alias", "prefix", "fuzzy", "demonym"]


@dataclass(frozen=True, slots=True)
class Node:
    """An entity, class or other labelled node.

    `types` are labels of its classes and `type_iris` their IRIs; `popularity` a non-negative count (degree, or the
    profile's property); `match` how the searched name met it; `matched` the name that was met; `score` 0..100.
    """

    iri: str
    label: str
    types: tuple[str, ...] = ()
    type_iris: tuple[str, ...] = ()
    description: str = ""
    popularity: float = 0.0
    match: Match = "label"
    matched: str = ""
    score: float = 100.0

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Hop:
    """One step along a property; `out` follows subject to object."""

    property: str
    label: str
    direction: Direction

    def to_json(self) -> dict[str, str]:
        return {"property": self.property, "label": self.label, "direction": self.direction}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A path of one hop, or of two joined at a mediator, around a node.

    `count` is the number of values at its end (of solutions, bounded by `capped`), `sample` one of them and
    `sample_label` its label; `score` the cosine with the searched meaning, or 0 when nothing was ranked.
    """

    node: str
    hops: tuple[Hop, ...]
    count: int
    sample: Term | None = None
    sample_label: str = ""
    score: float = 0.0
    capped: bool = False

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        out["hops"] = tuple(h.to_json() for h in self.hops)
        out["sample"] = None if self.sample is None else self.sample.to_json()
        return out


class NodeSearch(Protocol):
    """Search nodes by name: a label index, or an endpoint's own text search."""

    def search(self, name: str, k: int = 10) -> list[Node]:
        """At most k nodes, exact label and alias first, then prefix, then fuzzy; ties by popularity."""
        ...

    def exact(self, names: list[str]) -> dict[str, list[Node]]:
        """For many names at once, the nodes whose folded label or alias equals the folded name (most popular first)."""
        ...

    def describe(self, iris: list[str]) -> dict[str, Node]:
        """The indexed nodes among the IRIs."""
        ...
