"""Rewrites queries on their parse tree: readable terms to native ones and back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from clear_kgqa.nlkgq.federation import federated
from clear_kgqa.nlkgq.query_text import path_text, query_text
from clear_kgqa.nlkgq.query_tree import parse, plain_predicate, replace, walk
from clear_kgqa.nlkgq.wrapper import NAMESPACE, PREFIX, Wrapper
from clear_kgqa_tools import safety
from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.graph import CheckedQuery


def to_native(sparql: str, wrapper: Wrapper, home: str = "", allowed: Collection[str] = ()) -> CheckedQuery:
    """The query with native IRIs and paths in place of readable terms, checked and ready to run.

    Triples whose terms live at an endpoint other than `home` are sent there by a SERVICE that is added here;
    `allowed` lists the endpoints that may be called. Raises QueryError for an unknown term (with close ones),
    a path term where a path cannot stand, or a SERVICE in the query itself; ConfigError for an endpoint not
    allowed.
    """
    tree = parse(sparql, {**wrapper.prefixes, PREFIX: NAMESPACE})
    tree = replace(tree, lambda node: _native(node, wrapper))
    for node in walk(tree):
        if str(node).startswith(NAMESPACE) and not hasattr(node, "name"):
            raise QueryError(_misplaced(str(node), wrapper))
    tree = federated(tree, wrapper.endpoints, home, allowed)
    return safety.check(query_text(tree, wrapper.prefixes), allowed_services=allowed)


def _native(node: Any, wrapper: Wrapper) -> Any:
    from rdflib import URIRef
    from rdflib.plugins.sparql.parserutils import CompValue

    if isinstance(node, URIRef) and str(node) in wrapper.iris:
        return URIRef(wrapper.iris[str(node)])
    name = getattr(node, "name", "")
    if name == "PathElt" and str(node.part) in wrapper.paths:
        return _element(wrapper.paths[str(node.part)], node.mod)
    if name == "PathSequence":
        return CompValue(name, part=[step for element in node.part for step in _spliced(element)])
    return None


def _spliced(element: Any) -> list[Any]:
    """The steps of an element that is a bracketed sequence, else the element."""
    inner = element.part
    if element.name != "PathElt" or element.mod or getattr(inner, "name", "") != "PathAlternative":
        return [element]
    return list(inner.part[0].part) if len(inner.part) == 1 else [element]


def _element(part: Any, modifier: Any = None) -> Any:
    from rdflib.plugins.sparql.parserutils import CompValue

    return CompValue("PathElt", part=part, **({"mod": modifier} if modifier else {}))


def _misplaced(iri: str, wrapper: Wrapper) -> str:
    name = iri.removeprefix(NAMESPACE)
    if iri in wrapper.paths:
        return f"{PREFIX}:{name} stands for a path and can only be a predicate"
    close = get_close_matches(name, [t.name for t in wrapper.terms], 3)
    hint = f"; close ones: {', '.join(f'{PREFIX}:{c}' for c in close)}" if close else ""
    return f"{PREFIX}:{name} is not a term of the vocabulary{hint}"


def to_readable(sparql: str, wrapper: Wrapper) -> str:
    """The query with readable terms in place of native IRIs and paths; what has no term stays native.

    Where several terms stand for one IRI, the first is used. Raises QueryError where the query is refused.
    """
    prefixes = {**wrapper.prefixes, PREFIX: NAMESPACE}
    tree = replace(parse(sparql, prefixes), lambda node: _with_path_terms(node, _path_terms(wrapper)))
    names: dict[str, str] = {}
    for readable, iri in wrapper.iris.items():
        names.setdefault(iri, readable)
    return query_text(replace(tree, lambda node: _readable(node, names)), prefixes)


def _readable(node: Any, names: Mapping[str, str]) -> Any:
    from rdflib import URIRef

    return URIRef(names[str(node)]) if isinstance(node, URIRef) and str(node) in names else None


def _path_terms(wrapper: Wrapper) -> dict[tuple[str, ...], str]:
    """The steps of each path term's native side -> its readable IRI; alternatives count as one step."""
    found: dict[tuple[str, ...], str] = {}
    for readable, path in wrapper.paths.items():
        if plain_predicate(path) is None:
            found.setdefault(_steps(path), readable)
    return found


def _steps(path: Any) -> tuple[str, ...]:
    while path.name == "PathAlternative" and len(path.part) == 1:
        path = path.part[0]
    return tuple(path_text(p) for p in path.part) if path.name == "PathSequence" else (path_text(path),)


def _with_path_terms(node: Any, terms: Mapping[tuple[str, ...], str]) -> Any:
    from rdflib import URIRef
    from rdflib.plugins.sparql.parserutils import CompValue

    name = getattr(node, "name", "")
    if name == "PathAlternative" and len(node.part) > 1 and (path_text(node),) in terms:
        element = _element(URIRef(terms[(path_text(node),)]))
        return CompValue(name, part=[CompValue("PathSequence", part=[element])])
    if name != "PathSequence":
        return None
    steps, parts, at = [path_text(p) for p in node.part], [], 0
    while at < len(steps):
        end = next((e for e in range(len(steps), at, -1) if tuple(steps[at:e]) in terms), None)
        parts.append(node.part[at] if end is None else _element(URIRef(terms[tuple(steps[at:end])])))
        at = end or at + 1
    return CompValue(name, part=parts)
