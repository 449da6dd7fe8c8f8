"""What a query asks, flattened: its triple patterns, answer variables, form and modifiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clear_kgqa.nlkgq.query_text import path_text
from clear_kgqa.nlkgq.query_tree import parse, triples_of, walk
from clear_kgqa_tools.terms import RDF_TYPE, Form

_FORMS: dict[str, Form] = {
    "SelectQuery": "select",
    "AskQuery": "ask",
    "ConstructQuery": "construct",
    "DescribeQuery": "describe",
}
_MODIFIER_NODES = {
    "OptionalGraphPattern": "optional",
    "MinusGraphPattern": "minus",
    "Filter": "filter",
    "Builtin_EXISTS": "exists",
    "Builtin_NOTEXISTS": "not exists",
    "SubSelect": "subquery",
    "GraphGraphPattern": "graph",
    "ServiceGraphPattern": "service",
    "Bind": "bind",
    "InlineData": "values",
    "ValuesClause": "values",
    "GroupClause": "group",
    "HavingClause": "having",
    "OrderClause": "order",
}


@dataclass(frozen=True, slots=True)
class Triple:
    """One triple pattern; each part as in a query with full IRIs: `?x`, `<iri>`, `"text"@en`, `<p>+`."""

    subject: str
    relation: str
    object: str


@dataclass(frozen=True, slots=True)
class QueryPattern:
    """The triple patterns of a query in order of appearance, wherever they stand (optional, union, EXISTS).

    `answers` are the variables whose values answer, inside COUNT and other aggregates too; `modifiers` are
    sorted words: "count", "distinct", "limit", "order", "union" and so on. Property sequences are split at
    fresh variables.
    """

    form: Form
    triples: tuple[Triple, ...]
    answers: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()


def query_pattern(sparql: str, prefixes: Mapping[str, str] | None = None) -> QueryPattern:
    """Parse a query into its pattern. Raises QueryError where the query is refused or cannot be parsed."""
    tree = parse(sparql, prefixes)
    triples = tuple(_flatten(tree))
    return QueryPattern(_FORMS[tree.name], triples, _answers(tree, triples), _modifiers(tree))


def _flatten(tree: Any) -> Iterator[Triple]:
    fresh = iter(range(1, 1_000_000))
    blanks: dict[str, str] = {}
    for node in walk(tree):
        if getattr(node, "name", "") == "TriplesBlock":
            for subject, predicate, obj in triples_of(node):
                yield from _steps(_term(subject, blanks), predicate, _term(obj, blanks), fresh)


def _term(node: Any, blanks: dict[str, str]) -> str:
    """A blank node in a query is a variable without a name."""
    from rdflib import BNode

    if isinstance(node, BNode):
        return blanks.setdefault(str(node), f"?_b{len(blanks) + 1}")
    return path_text(node) if str(node) != RDF_TYPE else f"<{RDF_TYPE}>"


def _steps(subject: str, predicate: Any, obj: str, fresh: Iterator[int]) -> Iterator[Triple]:
    """The triples of a path: sequences split, inverses turned round, everything else kept as one relation."""
    name = getattr(predicate, "name", "")
    if name == "PathSequence" and len(predicate.part) > 1:
        ends = [subject, *(f"?_{next(fresh)}" for _ in predicate.part[1:]), obj]
        for part, start, end in zip(predicate.part, ends, ends[1:], strict=False):
            yield from _steps(start, part, end, fresh)
    elif name in ("PathAlternative", "PathSequence") and len(predicate.part) == 1:
        yield from _steps(subject, predicate.part[0], obj, fresh)
    elif name == "PathElt" and not predicate.mod:
        yield from _steps(subject, predicate.part, obj, fresh)
    elif name == "PathEltOrInverse":
        yield from _steps(obj, predicate.part, subject, fresh)
    else:
        relation = path_text(predicate)
        yield Triple(subject, f"<{RDF_TYPE}>" if relation == "a" else relation, obj)


def _answers(tree: Any, triples: tuple[Triple, ...]) -> tuple[str, ...]:
    if tree.name == "AskQuery":
        return ()
    named = [*(tree.projection or ()), *(v for v in tree.var or () if _is_variable(v))]
    if not named and tree.name != "ConstructQuery":
        return tuple(
            dict.fromkeys(p for t in triples for p in (t.subject, t.relation, t.object) if p[0] == "?" and p[1] != "_")
        )
    if tree.name == "ConstructQuery":
        named = [tree.template or []]
    found = [f"?{v}" for part in named for v in walk(part) if _is_variable(v) and v != getattr(part, "evar", None)]
    return tuple(dict.fromkeys(found))


def _is_variable(node: Any) -> bool:
    from rdflib import Variable

    return isinstance(node, Variable)


def _modifiers(tree: Any) -> tuple[str, ...]:
    found = set()
    for node in walk(tree):
        name = getattr(node, "name", "")
        if name in _MODIFIER_NODES:
            found.add(_MODIFIER_NODES[name])
        elif name.startswith("Aggregate_"):
            found.add(name.removeprefix("Aggregate_").lower())
        elif name == "GroupOrUnionGraphPattern" and len(node.graph) > 1:
            found.add("union")
        elif name == "LimitOffsetClauses":
            found |= {word for word in ("limit", "offset") if getattr(node, word) is not None}
    if getattr(tree, "modifier", None):
        found.add(tree.modifier.lower())
    return tuple(sorted(found))
