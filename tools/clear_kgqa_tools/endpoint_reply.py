"""Reading what an endpoint answers: status, headers and body into a result, or a line that says what came."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from clear_kgqa_tools.endpoint_http import Reply
from clear_kgqa_tools.errors import ClearKgqaError, EndpointError, LimitExceeded, QueryError
from clear_kgqa_tools.graph import CheckedQuery, Limits
from clear_kgqa_tools.terms import Kind, QueryResult, Row, Term
from clear_kgqa_tools.text import cut, one_line

RETRIED = (429, 502, 503, 504)
_TIMEOUT = re.compile(rb"TimeoutException|timed? ?out|S1T00|time limit", re.IGNORECASE)
# Virtuoso answers a division by zero (SQL state 22012) or a wrong type with 500 as well.
_QUERY_FAULT = re.compile(rb"Virtuoso (22|37|42)\w{3} Error")
_VIRTUOSO_ASK = "__ASK_RETVAL"
_KINDS: dict[object, Kind] = {
    "uri": "iri",
    "iri": "iri",
    "literal": "literal",
    "typed-literal": "literal",
    "bnode": "bnode",
}


def result(reply: Reply, query: CheckedQuery, limits: Limits, endpoint: str, seconds: float) -> QueryResult:
    """The rows of a reply. Raises QueryError, LimitExceeded or EndpointError, each in one line."""
    if reply.status not in (200, 206):
        raise refusal(reply, endpoint)
    if query.form in ("construct", "describe"):
        columns: tuple[str, ...] = ("subject", "predicate", "object")
        rows, boolean = _triples(reply, endpoint, limits.rows + 1), None
    else:
        columns, rows, boolean = _solutions(reply, query, endpoint)
    reasons = [*_partial(reply, len(rows))]
    if len(rows) > limits.rows:
        reasons.append(f"stopped at the limit of {limits.rows:,} rows")
    rows = rows[: limits.rows]
    return QueryResult(query.form, columns, rows, boolean, bool(reasons), "; ".join(reasons), seconds)


def refusal(reply: Reply, endpoint: str) -> ClearKgqaError:
    """The error for a status other than success."""
    said = _said(reply)
    if reply.status in (400, 413, 414, 422) or _QUERY_FAULT.match(reply.body):
        return QueryError(f"the endpoint refused the query ({reply.status}): {said}")
    if reply.status in (500, 504) and _TIMEOUT.search(reply.body):
        return LimitExceeded("the endpoint stopped the query at its own time limit; make it more selective")
    if reply.status in (401, 403, 407):
        return EndpointError(
            f"{endpoint} asks for credentials ({reply.status}); set CLEAR_KGQA_ENDPOINT_USER and "
            "CLEAR_KGQA_ENDPOINT_PASSWORD, or CLEAR_KGQA_ENDPOINT_HEADERS"
        )
    if 300 <= reply.status < 400:
        target = re.sub(r"//[^/@]*@", "//", reply.headers.get("Location", "elsewhere").partition("?")[0])
        return EndpointError(f"{endpoint} has moved to {one_line(cut(target, 200))}; use that address")
    if reply.status in RETRIED:
        asked = one_line(cut(reply.headers.get("Retry-After", ""), 40))
        wait = f", Retry-After {asked}" if asked else ""
        return EndpointError(f"{endpoint} is overloaded or asks to wait ({reply.status}{wait}): {said}")
    return EndpointError(f"{endpoint} answered with status {reply.status}: {said}")


def _said(reply: Reply) -> str:
    """The first words of an error page."""
    text = reply.body[:20_000].decode("utf-8", "replace")
    if "<html" in text[:500].lower():
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        text = f"an HTML page titled {title[1]!r}" if title else "an HTML page"
    return cut(one_line(text), 300) or "no explanation"


def _partial(reply: Reply, rows: int) -> Iterator[str]:
    """Why a reply that looks complete is not."""
    if reply.status == 206:
        yield "the endpoint sent partial content (206)"
    cap = reply.headers.get("X-SPARQL-MaxRows", "").strip()
    if cap.isdecimal() and 0 < int(cap[:18]) <= rows:
        yield f"the endpoint caps results at {int(cap[:18]):,} rows"
    if reply.headers.get("X-SQL-State", "").strip().upper() == "S1TAT":
        yield "the endpoint ran out of time and sent what it had (S1TAT)"


def _solutions(reply: Reply, query: CheckedQuery, endpoint: str) -> tuple[tuple[str, ...], list[Row], bool | None]:
    data = _json(reply, endpoint)
    try:
        if query.form == "ask":
            return (), [], _boolean(data)
        columns = tuple(str(name) for name in data["head"]["vars"])
        if not projected(query.text) <= set(columns):
            raise KeyError("columns")
        rows = [tuple(_term(row.get(name)) for name in columns) for row in data["results"]["bindings"]]
        return columns, rows, None
    except (KeyError, TypeError, AttributeError, RecursionError):
        raise EndpointError(f"{endpoint} answered with JSON, but no SPARQL results for this query") from None


def projected(text: str) -> set[str]:
    """The variables that a SELECT names as its columns; none where it takes all."""
    bare = re.sub(r"<[^<>\s]*>|^\s*#.*$", "", text, flags=re.MULTILINE)
    found = re.search(
        r"\bSELECT\s+(?:DISTINCT\s+|REDUCED\s+)?(.*?)\s*(?:\bFROM\b|\bWHERE\b|\{)", bare, re.I | re.DOTALL
    )
    if found is None:
        return set()
    named = re.findall(r"\bAS\s+[?$](\w+)\s*\)", found[1], re.I)
    return {*named, *re.findall(r"[?$](\w+)", _without_expressions(found[1]))}


def _without_expressions(text: str) -> str:
    """A projection without what stands in parentheses."""
    while (shorter := re.sub(r"\([^()]*\)", "", text)) != text:
        text = shorter
    return text


def _boolean(data: Any) -> bool:
    """The answer of an ASK; some settings of Virtuoso make it a table of one integer, empty for no."""
    if "boolean" not in data and data["head"]["vars"] == [_VIRTUOSO_ASK]:
        return any(row[_VIRTUOSO_ASK]["value"] != "0" for row in data["results"]["bindings"])
    if not isinstance(data["boolean"], bool):
        raise TypeError("boolean")
    return data["boolean"]


def _json(reply: Reply, endpoint: str) -> Any:
    """The body as JSON, or an error naming what it is instead."""
    try:
        return json.loads(reply.body.decode(_charset(reply)))
    except (ValueError, LookupError, RecursionError):
        if _TIMEOUT.search(reply.body[-20_000:]) and reply.body.lstrip()[:1] == b"{":
            # Blazegraph (Wikidata) breaks off its JSON and appends the exception, with status 200.
            raise LimitExceeded("the endpoint stopped the query at its own time limit") from None
        raise EndpointError(
            f"{endpoint} answered with {_what(reply)} where SPARQL results in JSON were expected"
        ) from None


def _charset(reply: Reply) -> str:
    charset = str(reply.headers.get_content_charset() or "utf-8")
    return "utf-8-sig" if charset.replace("-", "").lower() == "utf8" else charset


def _what(reply: Reply) -> str:
    """What a body is, in words: its look counts more than its Content-Type."""
    start = reply.body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1000].lower()
    declared = one_line(cut(reply.headers.get("Content-Type", ""), 100)) or "no Content-Type"
    if not start:
        return f"an empty body ({declared})"
    if b"<html" in start or start.startswith(b"<!doctype html"):
        return f"{_said(reply)} ({declared})"
    if start.startswith(b"<"):
        return f"XML ({declared})"
    if start[:1] in (b"{", b"["):
        return f"broken or cut-off JSON ({declared})"
    return f"text that begins {_said(reply)[:60]!r} ({declared})"


def _term(binding: Any) -> Term | None:
    """One bound value; a type or shape unknown to SPARQL raises KeyError or TypeError."""
    if binding is None:
        return None
    if binding["type"] == "triple":
        parts = (_term(binding["value"][part]) for part in ("subject", "predicate", "object"))
        return Term("<< " + " ".join(cast(Term, part).n3() for part in parts) + " >>", "triple")
    value, datatype, language = binding["value"], binding.get("datatype") or "", binding.get("xml:lang") or ""
    if not (isinstance(value, str) and isinstance(datatype, str) and isinstance(language, str)):
        raise TypeError("value")
    return Term(value, _KINDS[binding["type"]], datatype, language)


def _triples(reply: Reply, endpoint: str, limit: int) -> list[Row]:
    """At most `limit` triples of a CONSTRUCT or DESCRIBE."""
    import pyoxigraph as ox

    media_type = reply.headers.get("Content-Type", "").partition(";")[0].strip()
    fallback = ox.RdfFormat.TURTLE  # also reads N-Triples, which some servers send as text/plain
    rows: list[Row] = []
    try:
        for quad in ox.parse(reply.body, ox.RdfFormat.from_media_type(media_type) or fallback):
            if len(rows) >= limit:
                break
            rows.append((_node(quad.subject), _node(quad.predicate), _node(quad.object)))
    except (SyntaxError, ValueError, OSError):
        raise EndpointError(f"{endpoint} answered with {_what(reply)} where RDF was expected") from None
    return rows


def _node(term: Any) -> Term:
    import pyoxigraph as ox

    if isinstance(term, ox.NamedNode):
        return Term(term.value, "iri")
    if isinstance(term, ox.Literal):
        return Term(term.value, "literal", "" if term.language else term.datatype.value, term.language or "")
    return Term(term.value, "bnode") if isinstance(term, ox.BlankNode) else Term(str(term), "triple")
