"""SPARQL queries as rdflib parse trees with every IRI written out, fit to be rewritten and printed again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from clear_kgqa.evaluation.query_shape import tidy
from clear_kgqa_tools import safety
from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.safety_parse import parsed_tree

# rdflib's grammar drops the IRI of an inverse step inside a negated property set.
_LOSSY = "InversePath"


def parse(text: str, prefixes: Mapping[str, str] | None = None) -> Any:
    """The query node of a checked query: SelectQuery, AskQuery, ConstructQuery or DescribeQuery.

    Prefixed names and relative IRIs are resolved, literals are rdflib Literals in their own lexical form, and
    sets of triples keep rdflib's flat lists (subject, predicate, object, subject, ...). `prefixes` hold
    besides those that the query declares. Raises QueryError for what the safety check refuses.
    """
    _, (prologue, query) = parsed_tree(safety.check(tidy(text), prefixes or {}).text)
    base, declared = "", dict(prefixes or {})
    for part in prologue:
        if part.name == "Base":
            base = str(part.iri)
        else:
            declared[part.prefix or ""] = str(part.iri)
    return _resolve(query, declared, base)


def _resolve(node: Any, prefixes: Mapping[str, str], base: str) -> Any:
    from rdflib import Literal, URIRef

    def resolved(node: Any) -> Any:
        name = getattr(node, "name", "")
        if name == _LOSSY:
            raise QueryError("an inverse step inside a negated property set is not supported; write it as a FILTER")
        if name == "pname":
            return URIRef(_expand(node.prefix or "", node.localname or "", prefixes))
        if name == "literal":
            return Literal(str(node.string), lang=node.lang, datatype=node.datatype, normalize=False)
        if isinstance(node, URIRef) and base and ":" not in node:
            return URIRef(str(node), base=base)
        return None

    return replace(node, resolved)


def _expand(prefix: str, local: str, prefixes: Mapping[str, str]) -> str:
    if prefix not in prefixes:
        raise QueryError(f"the prefix {prefix}: is not declared")
    return prefixes[prefix] + local.replace("\\", "")


def replace(node: Any, visit: Callable[[Any], Any]) -> Any:
    """A copy of the tree with each node, children first, replaced by what `visit` returns, if not None."""
    from pyparsing import ParseResults
    from rdflib.plugins.sparql.parserutils import CompValue

    if isinstance(node, CompValue):
        node = CompValue(node.name, **{k: replace(v, visit) for k, v in node.items()})
    elif isinstance(node, (list, ParseResults)):
        return [replace(item, visit) for item in node]
    found = visit(node)
    return node if found is None else found


def walk(node: Any) -> Iterator[Any]:
    """Every node of the tree, parents first; lists are entered, not yielded."""
    from rdflib.plugins.sparql.parserutils import CompValue

    if isinstance(node, list):
        for item in node:
            yield from walk(item)
        return
    yield node
    if isinstance(node, CompValue):
        for value in node.values():
            yield from walk(value)


def triples_of(block: Any) -> Iterator[tuple[Any, Any, Any]]:
    """The triples of a TriplesBlock, in order; predicates are IRIs, variables or property paths."""
    for flat in block.triples or ():
        yield from zip(flat[::3], flat[1::3], flat[2::3], strict=True)


def plain_predicate(predicate: Any) -> Any:
    """The IRI or variable behind a predicate that is no real path, else None."""
    while getattr(predicate, "name", "") in ("PathAlternative", "PathSequence", "PathElt"):
        parts = predicate.part if isinstance(predicate.part, list) else [predicate.part]
        if len(parts) > 1 or predicate.mod:
            return None
        predicate = parts[0]
    return None if hasattr(predicate, "name") and hasattr(predicate, "part") else predicate
