"""Tells whether a reference query always has the same result, and which rows tie where it has not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from clear_kgqa.nlkgq.query_text import query_text
from clear_kgqa.nlkgq.query_tree import parse, walk
from clear_kgqa_tools import safety
from clear_kgqa_tools.graph import KnowledgeGraph, Limits
from clear_kgqa_tools.terms import XSD, Row, Term

FlagKind = Literal[
    "limit without order",
    "order may tie",
    "order ties",
    "random",
    "time",
    "sample",
    "concatenation order",
    "reduced",
    "other endpoint",
    "incomplete",
]
_CALLS: dict[str, FlagKind] = {
    "Builtin_RAND": "random",
    "Builtin_UUID": "random",
    "Builtin_STRUUID": "random",
    "Builtin_NOW": "time",
    "Aggregate_Sample": "sample",
    "Aggregate_GroupConcat": "concatenation order",
    "ServiceGraphPattern": "other endpoint",
}
_KEY = "_key"
_NUMBERS = ("integer", "int", "long", "short", "decimal", "float", "double", "nonNegativeInteger")


@dataclass(frozen=True, slots=True)
class Reference:
    """The result of a reference query made fit for scoring.

    Any answer is right that has all of `sure` and fills up to `size` rows from `tied` (empty where nothing
    ties). `flags` name what makes another run differ; without flags the result is deterministic on this
    snapshot.
    """

    flags: tuple[FlagKind, ...]
    columns: tuple[str, ...]
    sure: tuple[Row, ...]
    tied: tuple[Row, ...]
    size: int


def flags(sparql: str) -> tuple[FlagKind, ...]:
    """What in the query's text can make two runs differ, sorted. Raises QueryError if it cannot be parsed."""
    return tuple(sorted(set(_static(parse(sparql)))))


def _static(tree: Any) -> Iterator[FlagKind]:
    for node in walk(tree):
        name = getattr(node, "name", "")
        if name in _CALLS:
            yield _CALLS[name]
        if name in ("SelectQuery", "SubSelect"):
            if (node.modifier or "").upper() == "REDUCED":
                yield "reduced"
            if node.limitoffset:
                yield "order may tie" if node.orderby else "limit without order"


def reference(sparql: str, graph: KnowledgeGraph, limits: Limits | None = None) -> Reference:
    """Run a query without its outermost LIMIT and OFFSET, and see whether a cut falls between equal rows.

    With ORDER BY the rows on either side of a cut are compared by the order's own keys; without it all rows
    tie. Raises what running the query raises.
    """
    tree = parse(sparql)
    cut = tree.limitoffset if tree.name == "SelectQuery" else None
    if not cut:
        result = graph.query(safety.check(query_text(tree)), limits)
        rows = tuple(result.rows)
        return Reference(_flags(tree, False, result.incomplete), result.columns, rows, (), len(rows))
    keys = len(tree.orderby.condition) if tree.orderby else 0
    result = graph.query(safety.check(query_text(_uncut(tree, graph, limits))), limits)
    shown = len(result.columns) - keys
    rows_and_keys = [(row[:shown], tuple(_comparable(t) for t in row[shown:])) for row in result.rows]
    if tree.modifier == "DISTINCT":
        rows_and_keys = list({row: (row, key) for row, key in reversed(rows_and_keys)}.values())[::-1]
    start = int(cut.offset or 0)
    end = len(rows_and_keys) if cut.limit is None else min(start + int(cut.limit), len(rows_and_keys))
    sure, tied = _split(rows_and_keys, start, end)
    found = _flags(tree, bool(tied), result.incomplete)
    return Reference(found, result.columns[:shown], sure, tied, max(0, end - start))


def _flags(tree: Any, tied: bool, incomplete: bool) -> tuple[FlagKind, ...]:
    """The flags of a query that was run: what is known of its outermost cut replaces what might be."""
    from rdflib.plugins.sparql.parserutils import CompValue

    outermost = CompValue(tree.name, **{k: v for k, v in tree.items() if k != "limitoffset"})
    found = set(_static(outermost))
    if tied:
        found.add("order ties" if tree.orderby else "limit without order")
    if incomplete:
        found.add("incomplete")
    return tuple(sorted(found))


def _uncut(tree: Any, graph: KnowledgeGraph, limits: Limits | None) -> Any:
    """The query without LIMIT and OFFSET, its order keys as further columns."""
    from rdflib import Variable
    from rdflib.plugins.sparql.parserutils import CompValue

    conditions = tree.orderby.condition if tree.orderby else []
    keys = [CompValue("vars", expr=c.expr, evar=Variable(f"{_KEY}{i}")) for i, c in enumerate(conditions)]
    columns = tree.projection
    if columns is None:  # only the engine knows the columns of SELECT *
        named = graph.query(safety.check(query_text(tree)), limits).columns
        columns = [CompValue("vars", var=Variable(name)) for name in named]
    fields = {k: v for k, v in tree.items() if k not in ("limitoffset", "projection")}
    return CompValue(tree.name, projection=[*columns, *keys], **fields)


Key = tuple[object, ...]


def _comparable(term: Term | None) -> object:
    """Equal for terms that ORDER BY cannot tell apart: 1, 1.0 and "1.00"^^xsd:decimal."""
    if term is None or term.datatype.removeprefix(XSD) not in _NUMBERS:
        return term
    try:
        return float(term.value)
    except ValueError:
        return term


def _split(rows: list[tuple[Row, Key]], start: int, end: int) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Rows that every run returns, and the different rows that share the order keys of a cut."""
    torn = set()
    for at in (start, end):
        if 0 < at < len(rows) and rows[at - 1][1] == rows[at][1]:
            key = rows[at][1]
            torn |= {key} if len({row for row, other in rows if other == key}) > 1 else set()
    sure = tuple(row for row, key in rows[start:end] if key not in torn)
    return sure, tuple(dict.fromkeys(row for row, key in rows if key in torn))
