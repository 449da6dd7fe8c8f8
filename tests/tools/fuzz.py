"""Fuzzing of query text, labels and endpoint bodies against real servers on loopback.

`PYTHONPATH=.:tools python -m tests.tools.fuzz 100000` runs so many cases and prints a line for each
target; the test run takes CASES of them.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clear_kgqa_tools.endpoint import EndpointGraph
from clear_kgqa_tools.errors import ClearKgqaError
from clear_kgqa_tools.execute import ExecuteSPARQL
from clear_kgqa_tools.graph import Limits
from clear_kgqa_tools.safety import check
from clear_kgqa_tools.safety_tokens import significant
from clear_kgqa_tools.terms import Term, iri_ref, string_literal
from clear_kgqa_tools.text import visible
from tests.tools.misbehaving_server import JSON, ONE_ROW, Answer, MisbehavingServer
from tests.tools.sparql_server import sparql_server

CASES = 2_000
PREFIXES = {"ex": "http://ex.org/", "xsd": "http://www.w3.org/2001/XMLSchema#"}
TRAP = "TRAP"  # stands for the address of a listener that must never be called
WORDS = [
    "SELECT",
    "ASK",
    "CONSTRUCT",
    "DESCRIBE",
    "WHERE",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ".",
    ";",
    ",",
    "*",
    "?s",
    "?p",
    "?o",
    "<http://ex.org/p>",
    "ex:a",
    "ex:a.b.c",
    "ex:Lucas_(x)",
    "ex:Queen's_Park",
    "no:x",
    ":",
    "a",
    "_:b",
    "'x'",
    '"',
    "'",
    '"""',
    "'''",
    "\\",
    "\\u0053ERVICE",
    "\\u0022",
    "\\u000A",
    "\\U0000007D",
    "#",
    "```",
    "sparql",
    "`",
    "SERVICE",
    "SILENT",
    "<TRAP>",
    "FILTER",
    "EXISTS",
    "NOT",
    "MINUS",
    "OPTIONAL",
    "UNION",
    "GRAPH",
    "BIND",
    "AS",
    "VALUES",
    "FROM",
    "NAMED",
    "PREFIX",
    "BASE",
    "ex:",
    "INSERT",
    "DROP",
    "LOAD",
    "COUNT",
    "COUNT(*)",
    "CONCAT",
    "xsd:int(",
    "bif:contains",
    "1",
    "1.5e3",
    "!",
    "|",
    "/",
    "^",
    "+",
    "&&",
    "=",
    "<",
    ">",
    "@en",
    "^^",
    "ORDER",
    "BY",
    "LIMIT",
    "GROUP",
    "HAVING",
]
PIECES = [
    *WORDS,
    "\n",
    "\r",
    "\t",
    "\x00",
    "\x1b[2J",
    "\u202e",
    "\ufeff",
    "SERVICE <TRAP> { ?s ?p ?o }",
    "SELECT * { ?s ?p ?o }",
    "{ SERVICE SILENT <TRAP> { ?s ?p ?o } }",
    "ASK { ?s ?p 'INSERT #' }",
    "PREFIX ex: <http://ex.org/>",
    "?s ?p ?o .",
]
TEXT = st.text(max_size=60)
SOUP = st.lists(st.sampled_from(PIECES), max_size=25)
DEEP = st.tuples(st.sampled_from(["{", "(", "[", "!", "^", "SELECT * {", "1+", "ex:a/"]), st.integers(1, 300))
QUERIES = st.one_of(
    TEXT,
    SOUP.map(" ".join),
    SOUP.map("".join),
    SOUP.map(lambda pieces: "SELECT * { ?s ?p ?o . " + " ".join(pieces[:8]) + " }"),
    DEEP.map(lambda pair: "SELECT * { ?s ?p ?o FILTER(" + pair[0] * pair[1]),
)
LABELS = st.one_of(
    TEXT, st.sampled_from(PIECES), st.text("\x1b\x9b\u202e\"'\\\n\r\t{}<>`#\x00\x85\u2028ab", max_size=40)
)
KEYS = st.sampled_from(["head", "vars", "results", "bindings", "x", "type", "value", "uri", "boolean", "datatype"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT | KEYS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner),
    max_leaves=12,
)
BROKEN = st.tuples(st.integers(0, len(ONE_ROW)), st.binary(max_size=8))
BODIES = st.one_of(
    st.binary(max_size=200),
    VALUES.map(lambda value: json.dumps(value).encode()),
    BROKEN.map(lambda pair: ONE_ROW[: pair[0]] + pair[1] + ONE_ROW[pair[0] :]),
    st.sampled_from([ONE_ROW, b"<html><title>\x1b[2J</title>", b"", b"\xef\xbb\xbf{}", b'<a:b> <a:c> "\x9b" .']),
)
STATUSES = st.sampled_from([200] * 6 + [206, 204, 301, 400, 401, 404, 500, 599])
TYPES = st.sampled_from([JSON, None, "text/html", "text/turtle", "application/json; charset=latin-1", "x; charset=no"])
ASKED = st.sampled_from(
    ["SELECT ?x { ?s ?p ?x }", "ASK {}", "CONSTRUCT WHERE { ?s ?p ?o }", "DESCRIBE <http://ex.org/a>"]
)


class Fuzz:
    """The servers that the cases run against; use as a context."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    def __enter__(self) -> Fuzz:
        self.trap = self._stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.trap.setblocking(False)
        self.trap_url = f"http://127.0.0.1:{self.trap.getsockname()[1]}/"
        self.odd = self._stack.enter_context(MisbehavingServer())
        turtle = f'<http://ex.org/a> <http://ex.org/p> "x", <{self.trap_url}> .'
        address = self._stack.enter_context(sparql_server(turtle, timeout=2))
        self.engine = ExecuteSPARQL(EndpointGraph(address, Limits(10.0, rows=50)), PREFIXES)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def query(self, text: str) -> None:
        """Whatever the text, a real engine that would follow SERVICE calls nobody."""
        self._run(self.engine, text.replace(TRAP, self.trap_url))
        try:
            self.trap.accept()
        except BlockingIOError:
            return
        raise AssertionError("the query made a request to another host")

    def label(self, label: str) -> None:
        """A label neither leaves its literal in a query nor reaches the model raw."""
        literal = string_literal(label)
        assert [t.kind for t in significant(f"{literal} .")] == ["string", "mark"]
        assert [t.kind for t in significant(f"{iri_ref(label)} .")] == ["iri", "mark"]
        if label.isprintable():
            check(f"ASK {{ ?s ?p {Term(label).n3()} }}")
        binding = {
            "x": {"type": "literal", "value": label, "xml:lang": label},
            label: {"type": "uri", "value": label},
        }
        body = {"head": {"vars": ["x", label]}, "results": {"bindings": [binding]}}
        self.body(json.dumps(body).encode(), 200, JSON, "SELECT ?x { ?s ?p ?x }")

    def body(self, body: bytes, status: int, content_type: str | None, asked: str) -> None:
        """Whatever an endpoint answers, a result or one line comes of it."""
        url = self.odd.url("/", Answer(status, body, content_type))
        self._run(ExecuteSPARQL(EndpointGraph(url, Limits(10.0, rows=5)), PREFIXES), asked)

    def _run(self, execute: ExecuteSPARQL, text: str) -> None:
        try:
            shown = execute(text).text
        except ClearKgqaError as error:
            shown = str(error)
            assert "\n" not in shown, shown
        assert visible(shown) == shown, shown


def targets(fuzz: Fuzz, cases: int, **options: bool) -> list[tuple[str, int, Callable[[], None]]]:
    """Name, number of cases and runner of each target; two fifths are queries."""
    shared = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck), **options)

    @given(QUERIES)
    def query(text: str) -> None:
        fuzz.query(text)

    @given(LABELS)
    def label(text: str) -> None:
        fuzz.label(text)

    @given(BODIES, STATUSES, TYPES, ASKED)
    def body(content: bytes, status: int, content_type: str | None, asked: str) -> None:
        fuzz.body(content, status, content_type, asked)

    shares = (("query text", 4, query), ("labels", 3, label), ("endpoint bodies", 3, body))
    return [
        (name, cases * share // 10, settings(shared, max_examples=cases * share // 10)(run))
        for name, share, run in shares
    ]


def main() -> None:
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else CASES
    with Fuzz() as fuzz:
        for name, count, run in targets(fuzz, cases):
            start = time.perf_counter()
            run()
            print(f"{name}: {count:,} cases, no fault, {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
