"""The safety check that every outside query passes: form, SERVICE, updates, size, prefixes, quirks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.graph import CheckedQuery
from clear_kgqa_tools.rewrite import odd_names, supported
from clear_kgqa_tools.safety_parse import parsed_tree
from clear_kgqa_tools.safety_plain import plain_form
from clear_kgqa_tools.safety_tokens import Token, declared, expand, normalise, scan, significant
from clear_kgqa_tools.terms import Form, iri_ref
from clear_kgqa_tools.text import cut, one_line

MAX_BYTES = 20_000
MAX_TOTAL_BYTES = 100_000  # with literals and IRIs
MAX_REPLY = 200_000  # with comments and what a model wrote around the query
MAX_DEPTH = 30
# rdflib takes up to 5 ms for one token of a long list or sum, 0.2 ms for an IRI in VALUES.
MAX_TOKENS = 1_500
MAX_TERMS = 5_000
_UPDATES = {"INSERT", "DELETE", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH"}
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n`]*\n(.*?)(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.DOTALL | re.M)
_QUERY_START = re.compile(
    r"\b(?:PREFIX\s+[\w\-.]*:\s*<|BASE\s*<|SELECT\s*(?:DISTINCT\b|REDUCED\b|[?$*(#]|[\w\-]*[:(])"
    r"|ASK\s*(?:\{|WHERE\b|FROM\b)|CONSTRUCT\s*(?:\{|WHERE\b|FROM\b)|DESCRIBE\s*(?:[?$<*]|[\w\-]*:))",
    re.IGNORECASE,
)
_LABEL_SERVICE = "http://wikiba.se/ontology#label"


def check(
    query: str,
    prefixes: Mapping[str, str] = {},
    allowed_services: Collection[str] = (),
    named_graphs: Collection[str] | None = None,
    dialects: Collection[str] = (),
) -> CheckedQuery:
    """The query made complete and proven read-only; raises QueryError with one line that a model can act on.

    `prefixes` are added where used and not declared; `allowed_services` are the exact IRIs that SERVICE may
    call; `named_graphs` those that FROM may name (None: not known); `dialects` what the endpoint offers
    beyond SPARQL ("virtuoso": bif:contains). Cached by text.
    """
    text = query.strip(" \n\t")
    form = plain_form(text)
    if form is not None:
        return CheckedQuery(_with_prefixes(text, prefixes), form)
    graphs = None if named_graphs is None else frozenset(named_graphs)
    return _check(query, tuple(prefixes.items()), frozenset(allowed_services), graphs, frozenset(dialects))


@lru_cache(maxsize=1024)
def _check(
    query: str,
    known: tuple[tuple[str, str], ...],
    services: frozenset[str],
    graphs: frozenset[str] | None,
    dialects: frozenset[str],
) -> CheckedQuery:
    if len(query) > MAX_REPLY:
        raise QueryError(f"the query is too long: {len(query):,} characters, at most {MAX_BYTES:,} are taken")
    prefixes = dict(known)
    text = normalise(extract(query)).rstrip("; \n")
    _check_size(text)
    _check_read_only(text)
    _check_label_service(text, services)
    text, notes = supported(text, prefixes)
    form, tree, text, names = _parsed(text, prefixes)
    text = _with_prefixes(text, prefixes)
    found = significant(text)
    _check_text_search(found, dialects)
    _check_services(tree, found, services)
    dataset = _check_datasets(tree, declared(found)[0], graphs)
    return CheckedQuery(text, form, (*notes, *names, *_blank_nodes(found)), dataset)


def extract(reply: str) -> str:
    """The query in a model's reply: without its Markdown fence, prose before it, a bare `sparql` line."""
    text = reply.replace("\ufeff", "").strip()
    if re.fullmatch(r"`[^`]+`", text):
        text = text[1:-1]
    if _starts_as_query(text):
        return text
    fence = _FENCE.search(text)
    if fence and (_starts_as_query(fence[1]) or _QUERY_START.search(fence[1])):
        text = fence[1]
    if not _starts_as_query(text) and (start := _QUERY_START.search(text)):
        text = text[start.start() :]
    return text


def _starts_as_query(text: str) -> bool:
    first = next((t for t in scan(text) if t.kind not in ("space", "comment")), None)
    return first is not None and (first.word in _UPDATES or _QUERY_START.match(text, first.start) is not None)


def _check_size(text: str) -> None:
    """Refuse what is too long or too deep for a parser, counted outside literals and IRIs."""
    if not text:
        raise QueryError("the query is empty")
    found = significant(text)
    code = [t for t in found if t.kind not in ("string", "iri")]
    total = len(text.encode("utf-8", "replace"))
    size = total - sum(len(t.text.encode("utf-8", "replace")) for t in found if t.kind in ("string", "iri"))
    if size > MAX_BYTES or total > MAX_TOTAL_BYTES:
        raise QueryError(f"the query is too long: {total:,} bytes, at most {MAX_BYTES:,} are taken")
    if len(code) > MAX_TOKENS or len(found) > MAX_TERMS:
        raise QueryError(f"the query is too long: {len(found):,} words and signs, at most {MAX_TOKENS:,}")
    if control := re.search("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]", text):
        raise QueryError(f"the query holds the control character U+{ord(control[0]):04X}")
    if max(_depths(code), default=0) > MAX_DEPTH:
        raise QueryError(f"the query is nested too deeply: at most {MAX_DEPTH} brackets are taken")


def _depths(found: list[Token]) -> Iterator[int]:
    """How many brackets are open after each token."""
    depth = 0
    for token in found:
        depth += (token.text in "{([") - (token.text in "})]")
        yield depth


def _check_read_only(text: str) -> None:
    """Refuse updates by name, before a parser says something less clear."""
    found = significant(text)
    for token, depth in zip(found, _depths(found), strict=True):
        if depth == 0 and token.word in _UPDATES:
            raise QueryError(f"{token.word} is an update; only SELECT, ASK, CONSTRUCT and DESCRIBE run")


def _parsed(text: str, prefixes: Mapping[str, str]) -> tuple[Form, Any, str, list[str]]:
    """The query's form and rdflib tree; odd names are repaired where it does not parse without."""
    try:
        return *parsed_tree(text), text, []
    except QueryError:
        repaired, notes = odd_names(text, prefixes)
        if not notes:
            raise
        return *parsed_tree(repaired), repaired, notes


def _with_prefixes(text: str, prefixes: Mapping[str, str]) -> str:
    """Declare the known prefixes that are used and not declared; an unknown one is an error."""
    found = significant(text)
    own, at = declared(found)
    used = dict.fromkeys(t.text.partition(":")[0] for t in found if t.kind == "pname" and t.start not in at)
    missing = [p for p in used if p not in own and p != "bif"]  # built into Virtuoso, explained for the rest
    if unknown := [p for p in missing if p not in prefixes]:
        names = cut(", ".join(f"{p}:" for p in sorted(prefixes)) or "none", 300)
        raise QueryError(f"the prefix {unknown[0]}: is not declared; write full IRIs, or use one of: {names}")
    return "".join(f"PREFIX {p}: {iri_ref(prefixes[p])}\n" for p in missing) + text


def _check_text_search(found: list[Token], dialects: Collection[str]) -> None:
    """Explain Virtuoso's own predicates, which other engines reject or silently answer with nothing."""
    own = declared(found)[0]
    for token in found if "virtuoso" not in dialects else ():
        iri = expand(token, own) or (token.text if token.kind == "pname" else "")
        if iri.startswith("bif:"):
            raise QueryError(
                f'{iri} works on Virtuoso alone: use FILTER(CONTAINS(LCASE(STR(?x)), "word")), or SearchNodes'
            )


def _check_label_service(text: str, allowed: Collection[str]) -> None:
    """Explain Wikidata's label service, which is mostly written without its prefixes, before anything else is wrong."""
    found = significant(text)
    prefixes = {"wikibase": _LABEL_SERVICE.removesuffix("label"), **declared(found)[0]}
    called = {expand(name, prefixes) for before, name in pairwise(found) if before.word in ("SERVICE", "SILENT")}
    if _LABEL_SERVICE in called and _LABEL_SERVICE not in allowed:
        raise QueryError(
            "SERVICE wikibase:label works on Wikidata's own endpoint alone: use OPTIONAL { ?x rdfs:label "
            '?xLabel FILTER(LANG(?xLabel) = "en") } instead'
        )


def _check_services(tree: Any, found: list[Token], allowed: Collection[str]) -> None:
    """Deny SERVICE but to the exact IRIs allowed; the keyword count guards against a tree that lost one."""
    patterns = [node for node in _nodes(tree) if node.name == "ServiceGraphPattern"]
    prefixes = declared(found)[0]
    for pattern in patterns:
        iri = _iri(pattern.term, prefixes)
        if iri not in allowed:
            target = one_line(cut(iri or f"?{pattern.term}", 200))
            raise QueryError(f"SERVICE is not allowed: {target} would be called")
    if len(patterns) != sum(t.word == "SERVICE" for t in found):
        raise QueryError("SERVICE is not allowed in this place")


def _check_datasets(tree: Any, prefixes: Mapping[str, str], held: Collection[str] | None) -> bool:
    """Whether the query names its dataset; refuse graphs that are not held."""
    clauses = [node for node in _nodes(tree) if node.name == "DatasetClause"]
    for clause in clauses:
        iri = _iri(clause.default or clause.named, prefixes)
        if held is not None and iri not in held:
            names = one_line(cut(", ".join(sorted(held)), 300)) or "none, so leave FROM out"
            wanted = one_line(cut(str(iri), 200))
            raise QueryError(f"this graph holds no named graph {wanted}; it holds: {names}")
    return bool(clauses)


def _iri(term: Any, prefixes: Mapping[str, str]) -> str | None:
    """The IRI of a term of the tree; None for a variable or an unknown prefix."""
    from rdflib.term import URIRef

    if isinstance(term, URIRef):
        return str(term)
    if getattr(term, "name", "") == "pname":
        known = prefixes.get(term.prefix or "")
        return None if known is None else known + str(term.localname or "")
    return None


def _nodes(tree: Any) -> Iterator[Any]:
    """Every named node of an rdflib parse tree, wherever it hangs."""
    from pyparsing import ParseResults
    from rdflib.plugins.sparql.parserutils import CompValue

    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, CompValue):
            yield node
            stack.extend(node.values())
        elif isinstance(node, (list, tuple, ParseResults)):
            stack.extend(node)


def _blank_nodes(found: list[Token]) -> list[str]:
    label = next((t.text for t in found if t.kind == "bnode"), "")
    if not label:
        return []
    return [f"{label} in a query stands for any node, like a variable; it names no blank node of a result"]
