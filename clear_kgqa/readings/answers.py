"""Running the queries of many readings at once, each cut to a few hundred answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from clear_kgqa.readings.reading import Reading
from clear_kgqa_tools.errors import LimitExceeded
from clear_kgqa_tools.graph import KnowledgeGraph, Limits, trusted
from clear_kgqa_tools.terms import QueryResult, Term

MOST = 300  # answers kept per reading; readings with more are never merged
BATCH = 25


@dataclass(frozen=True)
class Answers:
    """The answers of one reading: distinct terms; `truncated` where there are more or the query ran too long."""

    terms: tuple[Term, ...] = ()
    truncated: bool = False

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(t.n3() for t in self.terms)


def _part(i: int, reading: Reading) -> str:
    if reading.form == "ask":
        inside = reading.query.removeprefix("ASK ")
        return f"{{ SELECT ({i} AS ?r) ?x WHERE {{ BIND(EXISTS {inside} AS ?x) }} }}"
    if reading.form == "count":
        return f"{{ SELECT ({i} AS ?r) (?count AS ?x) WHERE {{ {{ {reading.query} }} }} }}"
    limit = "" if reading.order else f" LIMIT {MOST + 1}"
    return f"{{ SELECT ({i} AS ?r) ?x WHERE {{ {{ {reading.query}{limit} }} }} }}"


def run_all(graph: KnowledgeGraph, readings: list[Reading], seconds: float = 4.0) -> list[Answers]:
    """The answers of each reading, in order. A batch that is stopped is run again in halves, so one bad query costs
    only itself."""
    out: list[Answers] = []
    for at in range(0, len(readings), BATCH):
        out += _batch(graph, readings[at : at + BATCH], seconds)
    return out


def _batch(graph: KnowledgeGraph, readings: list[Reading], seconds: float) -> list[Answers]:
    query = "SELECT ?r ?x WHERE { " + " UNION ".join(_part(i, r) for i, r in enumerate(readings)) + " }"
    try:
        result = graph.query(trusted(query), Limits(seconds=seconds))
    except LimitExceeded:
        if len(readings) == 1:
            return [Answers(truncated=True)]
        half = len(readings) // 2
        return _batch(graph, readings[:half], seconds / 2) + _batch(graph, readings[half:], seconds / 2)
    return _sorted_out(result, len(readings))


def _sorted_out(result: QueryResult, number: int) -> list[Answers]:
    found: list[list[Term]] = [[] for _ in range(number)]
    for which, term in result.rows:
        if which is not None and term is not None:
            found[int(which.value)].append(term)
    return [Answers(tuple(f[:MOST]), len(f) > MOST or result.incomplete) for f in found]
