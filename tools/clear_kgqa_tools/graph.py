"""The protocol of a knowledge graph: run a checked, read-only query within limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from clear_kgqa_tools.terms import Form, QueryResult


@dataclass(frozen=True, slots=True)
class Limits:
    """What one query may use: wall-clock seconds, megabytes of resident memory, rows returned."""

    seconds: float = 10.0
    megabytes: int = 1024
    rows: int = 50_000


@dataclass(frozen=True, slots=True)
class CheckedQuery:
    """A query that passed the safety check (or was built by our own code from escaped terms: `trusted`).

    `text` is complete (prefixes declared) and is what gets stored, shown and scored; `dataset` says that it names
    its own default graph (FROM), so the union of all graphs must not stand in for it.
    """

    text: str
    form: Form
    warnings: tuple[str, ...] = ()
    dataset: bool = False


def trusted(text: str, form: Form = "select") -> CheckedQuery:
    """Wrap a query that our own code composed from `Term.n3()` and `iri_ref`; never use it on outside text."""
    return CheckedQuery(text, form)


class KnowledgeGraph(Protocol):
    """A graph that answers read-only SPARQL: an embedded store or an endpoint. Safe to call from several threads."""

    def query(self, query: CheckedQuery, limits: Limits | None = None) -> QueryResult:
        """Run the query. Raises QueryError, LimitExceeded, EndpointError or Cancelled."""
        ...

    def cancel(self) -> None:
        """Stop whatever runs now, from another thread; the callers get Cancelled and the next query works."""
        ...

    def close(self) -> None:
        """Release processes and connections; calling it twice is harmless."""
        ...
