"""Counting the edges around many nodes in few queries, bounded on hubs, and joining two hops at mediators."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clear_kgqa_tools.graph import KnowledgeGraph, trusted
from clear_kgqa_tools.nodes import Direction
from clear_kgqa_tools.schema import Schema
from clear_kgqa_tools.terms import QueryResult, Term, iri_ref

_NODES_PER_QUERY = 20  # the time to plan a union grows faster than its parts
_PROPERTIES_LOOKED_UP = 400
_DIRECTIONS: tuple[Direction, Direction] = ("out", "in")
Step = tuple[str, Direction]


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges of one node along one path: (property, direction) steps, their number and one end."""

    node: str
    steps: tuple[Step, ...]
    count: int
    sample: Term | None = None
    capped: bool = False


class EdgeCounter:
    """Counts edges around nodes of one graph. Raises what its graph raises."""

    def __init__(self, graph: KnowledgeGraph, schema: Schema, type_predicates: Iterable[str]) -> None:
        self._graph = graph
        self._types = "".join(f" && ?q != {iri_ref(p)}" for p in type_predicates)
        self._to_mediators = {p.iri for p in schema.properties if p.mediator}
        self._of_mediators = set(schema.extra.get("of_mediators", ()))
        self._objects = [p.iri for p in schema.properties if p.values in ("iri", "mixed")][:_PROPERTIES_LOOKED_UP]
        self._properties = [p.iri for p in schema.properties if p.count][:_PROPERTIES_LOOKED_UP]

    def around(self, nodes: list[str], limit: int) -> list[Edges]:
        """One-hop edges both ways and two-hop edges through mediators, `limit` at most per node and way."""
        found: list[Edges] = []
        for start in range(0, len(nodes), _NODES_PER_QUERY):
            some = nodes[start : start + _NODES_PER_QUERY]
            near = self._one_hop(some, limit)
            found += [*near, *self._unseen(near, limit), *self._two_hop(near, limit)]
        return found

    def _one_hop(self, nodes: list[str], limit: int) -> list[Edges]:
        parts = []
        for number, iri in enumerate(nodes):
            for way, triple in enumerate((f"{iri_ref(iri)} ?p ?x", f"?x ?p {iri_ref(iri)}")):
                parts.append(_part(2 * number + way, "?p ?x", triple, limit))
        rows = list(self._counted(parts, "?p"))
        totals: Counter[int] = Counter()
        for at, _, count, _ in rows:
            totals[at] += count
        return [
            Edges(nodes[at // 2], ((p.value, _DIRECTIONS[at % 2]),), count, sample, totals[at] >= limit)
            for at, p, count, sample in rows
        ]

    def _unseen(self, near: list[Edges], limit: int) -> list[Edges]:
        """Properties of a hub that were beyond the limit: known to be there, not counted."""
        seen: dict[Step, set[str]] = defaultdict(set)
        for edges in near:
            if edges.capped:
                seen[(edges.node, edges.steps[0][1])].add(edges.steps[0][0])
        found = []
        for (node, way), properties in seen.items():
            others = [p for p in (self._objects if way == "in" else self._properties) if p not in properties]
            values = " ".join(map(iri_ref, others))
            triple = f"?x ?p {iri_ref(node)}" if way == "in" else f"{iri_ref(node)} ?p ?x"
            text = f"SELECT ?p WHERE {{ VALUES ?p {{ {values} }} FILTER EXISTS {{ {triple} }} }}"
            for (p,) in self._graph.query(trusted(text)).rows if others else ():
                if p is not None:
                    found.append(Edges(node, ((p.value, way),), 1, None, True))
        return found

    def _two_hop(self, near: list[Edges], limit: int) -> Iterator[Edges]:
        firsts = [(e.node, e.steps[0]) for e in near if self._joins(e.steps[0])]
        for start in range(0, len(firsts), _NODES_PER_QUERY):
            some = firsts[start : start + _NODES_PER_QUERY]
            parts = [part for number, first in enumerate(some) for part in self._joined(number, *first, limit)]
            for at, q, count, sample in self._counted(parts, "?q"):
                (node, step), way = some[at // 2], _DIRECTIONS[at % 2]
                if way == "out" or q.value in self._to_mediators:
                    yield Edges(node, (step, (q.value, way)), count, sample, count >= limit)

    def _joins(self, step: Step) -> bool:
        return step[0] in (self._to_mediators if step[1] == "out" else self._of_mediators)

    def _joined(self, number: int, node: str, step: Step, limit: int) -> Iterator[str]:
        """Sub-selects for what lies beyond the mediators that a step leads to.

        Away from the node only what the mediator says; against the first step also its owners.
        """
        (p, way), ref = step, iri_ref(node)
        first = f"{ref} {iri_ref(p)} ?m" if way == "out" else f"?m {iri_ref(p)} {ref}"
        yield _part(
            2 * number,
            "?q ?x",
            f"{first} . ?m ?q ?x FILTER(?x != {ref} && ?q != {iri_ref(p)}{self._types})",
            limit,
        )
        if way == "in" and self._to_mediators:
            # Its owners are sorted out afterwards: VALUES ?q would be joined before ?m is known.
            yield _part(2 * number + 1, "?q ?x", f"{first} . ?x ?q ?m", limit)

    def _counted(self, parts: Iterable[str], variable: str) -> Iterator[tuple[int, Term, int, Term | None]]:
        """(number of the part, property, count, one end) for the union of the parts."""
        union = " UNION ".join(parts)
        if not union:
            return
        text = (
            f"SELECT ?at {variable} (COUNT(*) AS ?n) (SAMPLE(?x) AS ?one) WHERE {{ {union} }} GROUP BY ?at {variable}"
        )
        result: QueryResult = self._graph.query(trusted(text))
        for at, p, n, one in result.rows:
            if at is not None and p is not None and n is not None:
                yield int(at.value), p, int(n.value), one


def _part(number: int, columns: str, pattern: str, limit: int) -> str:
    return f"{{ SELECT ({number} AS ?at) {columns} WHERE {{ {pattern} }} LIMIT {limit} }}"
