"""What a SPARQL query asks for, read from its algebra: form, triple patterns, nodes and predicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.safety_parse import PARSING
from clear_kgqa_tools.safety_tokens import Token, tokens

Triple = tuple[str, str, str]
ShapeForm = Literal["select", "count", "ask", "construct", "describe"]


@dataclass(frozen=True, slots=True)
class QueryShape:
    """The skeleton of a query.

    `triples` hold IRIs and literals as text and variables as "?name", paths as one text; `nodes` are the IRIs
    that stand for entities and classes (also in VALUES and FILTER); `predicates` those of triples and paths;
    `constraints` what narrows the answers beside triples: filter, minus, order, limit, group.
    """

    form: ShapeForm
    triples: tuple[Triple, ...]
    nodes: tuple[str, ...]
    predicates: tuple[str, ...]
    constraints: frozenset[str]


def tidy(sparql: str) -> str:
    """Close the gaps in `wdt:P279 * wd:Q5` and `"1" ^^ xsd:integer`, which rdflib cannot read."""
    found = tokens(sparql)
    return "".join(t.text for at, t in enumerate(found) if t.kind != "space" or not _gap(found, at))


def _gap(found: list[Token], at: int) -> bool:
    before, after = found[max(0, at - 2) : at], [t.text for t in found[at + 1 : at + 3]]
    typed = ["^", "^"] in (after, [t.text for t in before])
    path = before and before[-1].kind in ("pname", "iri") and after[:1] and after[0] in "*+?"
    return typed or bool(path and after[1:] and after[1].isspace())


@lru_cache(maxsize=4096)
def shape_of(sparql: str) -> QueryShape:
    """The shape of a complete query (prefixes declared); raises QueryError where rdflib cannot read it."""
    algebra = _algebra(tidy(sparql))
    parts = list(_walk(algebra))
    triples = [t for part in parts if part.name in ("BGP", "TriplesBlock") for t in part.get("triples") or ()]
    predicates = [iri for _, p, _ in triples for iri in _path_iris(p)]
    ends = [t for triple in triples for t in (triple[0], triple[2])]
    return QueryShape(
        _form(algebra.name, parts),
        tuple((_text(s), _text(p), _text(o)) for s, p, o in triples),
        tuple(dict.fromkeys(str(t) for t in [*ends, *_loose_iris(parts)] if _is_iri(t))),
        tuple(dict.fromkeys(predicates)),
        frozenset(_constraints(parts)),
    )


def _algebra(sparql: str) -> Any:
    with PARSING:  # neither rdflib's parser nor its first import is safe in two threads
        from rdflib.plugins.sparql.algebra import translateQuery
        from rdflib.plugins.sparql.parser import parseQuery

        try:
            return translateQuery(parseQuery(sparql)).algebra
        except Exception as error:  # rdflib raises plain Exception for an undeclared prefix, pyparsing its own
            raise QueryError(f"cannot parse the query: {' '.join(str(error).split())[:200]}") from error


_CONSTRAINTS = {
    "Filter": "filter",
    "Minus": "minus",
    "OrderBy": "order",
    "Slice": "limit",
    "Builtin_NOTEXISTS": "minus",
}


def _constraints(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        if part.name in _CONSTRAINTS:
            yield _CONSTRAINTS[part.name]
        elif part.name == "Group" and part.get("expr"):  # a bare aggregate is a Group without expression
            yield "group"


def _walk(value: Any) -> Iterator[Any]:
    """All algebra nodes below and including this one."""
    from rdflib.plugins.sparql.parserutils import CompValue

    if isinstance(value, CompValue):
        yield value
        for child in value.values():
            yield from _walk(child)
    elif isinstance(value, list | tuple | set):
        for child in value:
            yield from _walk(child)


def _form(name: str, parts: list[Any]) -> ShapeForm:
    if name != "SelectQuery":
        return {"AskQuery": "ask", "DescribeQuery": "describe"}.get(name, "construct")  # type: ignore[return-value]
    grouped = any(part.name == "Group" and part.get("expr") for part in parts)
    counted = any(part.name == "Aggregate_Count" for part in parts)
    return "count" if counted and not grouped else "select"


def _path_iris(predicate: Any) -> Iterator[str]:
    from rdflib.paths import Path

    if not isinstance(predicate, Path):
        if _is_iri(predicate):
            yield str(predicate)
        return
    inner = [getattr(predicate, name, None) for name in ("arg", "path")]
    for part in [*(getattr(predicate, "args", None) or ()), *(p for p in inner if p is not None)]:
        yield from _path_iris(part)


def _loose_iris(parts: list[Any]) -> Iterator[Any]:
    """IRIs outside triples: in VALUES rows and in expressions."""
    for part in parts:
        if part.name == "values":
            yield from (t for row in part.get("res") or () if isinstance(row, dict) for t in row.values())
        elif part.name not in ("BGP", "TriplesBlock", "Function"):
            for value in part.values():
                yield from (t for t in (value if isinstance(value, list) else [value]) if _is_iri(t))


def _is_iri(term: Any) -> bool:
    from rdflib import URIRef

    return isinstance(term, URIRef)


def _text(term: Any) -> str:
    from rdflib import BNode, Variable

    if isinstance(term, Variable | BNode):
        return f"?{term}"
    return str(term)
