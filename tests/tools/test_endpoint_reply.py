"""What an endpoint answers, read or refused in one line."""

import pytest

from clear_kgqa_tools.endpoint import EndpointGraph
from clear_kgqa_tools.endpoint_reply import projected
from clear_kgqa_tools.errors import EndpointError, LimitExceeded, QueryError
from clear_kgqa_tools.graph import Limits, trusted
from clear_kgqa_tools.safety import check
from clear_kgqa_tools.terms import Term
from tests.tools.misbehaving_server import JSON, ONE_ROW, Answer, MisbehavingServer

QUERY = trusted("SELECT ?x { ?s ?p ?x }")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(206), "partial content"),
        (Answer(headers={"X-SPARQL-MaxRows": "1"}), "caps results at 1 rows"),
        (Answer(headers={"X-SQL-State": "S1TAT"}), "S1TAT"),
    ],
)
def test_partial_answers_are_flagged(server: MisbehavingServer, answer: Answer, reason: str) -> None:
    result = EndpointGraph(server.url("/", answer)).query(QUERY)
    assert result.incomplete and reason in result.reason
    assert len(result.rows) == 1


def test_complete_answers_are_not_flagged(server: MisbehavingServer) -> None:
    for headers in ({}, {"X-SPARQL-MaxRows": "10000"}, {"X-SPARQL-MaxRows": "many"}):
        assert not EndpointGraph(server.url("/", Answer(headers=headers))).query(QUERY).incomplete


def test_rows_beyond_the_limit_are_cut_and_said_to_be(server: MisbehavingServer) -> None:
    body = ONE_ROW.replace(b"[{", b"[{},{},{},{")
    result = EndpointGraph(server.url("/", Answer(body=body))).query(QUERY, Limits(rows=3))
    assert (len(result.rows), result.incomplete) == (3, True)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            Answer(body=b"<!DOCTYPE html><html><title>Sign in\x1b[2J</title>", content_type="text/html"),
            "HTML page titled 'Sign in",
        ),
        (
            Answer(body=b'<?xml version="1.0"?><sparql/>', content_type="application/sparql-results+xml"),
            "XML",
        ),
        (Answer(body=b""), "an empty body"),
        (Answer(body=b"", content_type=None), "empty body .no Content-Type"),
        (Answer(body=ONE_ROW.replace(b'"1"', b'"Ren\xe9"')), "broken or cut-off JSON"),
        (Answer(body=ONE_ROW[:-5]), "broken or cut-off JSON"),
        (Answer(body=b"[" * 100_000), "broken or cut-off JSON"),
        (Answer(body=b"hello\x9b2J", content_type="text/plain"), "text that begins"),
        (Answer(body=b'"SELECT"'), "no SPARQL results"),
        (Answer(body=b'{"boolean": true}'), "no SPARQL results"),
        (Answer(body=b'{"head":{"vars":["other"]},"results":{"bindings":[]}}'), "no SPARQL results"),
        (
            Answer(body=b'{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"odd","value":"1"}}]}}'),
            "no SPARQL results",
        ),
        (Answer(cut=True), "broke off"),
        (Answer(404, b"no such thing"), "status 404: no such thing"),
        (Answer(401), "CLEAR_KGQA_ENDPOINT_USER"),
        (Answer(500, b"Virtuoso 08C04 Error"), "status 500: Virtuoso 08C04 Error"),
        (
            Answer(302, b"", headers={"Location": "http://u:secret@other.org/x?key=secret"}),
            "moved to http://other.org/x",
        ),
    ],
    ids=str,
)
def test_odd_answers_become_one_line(server: MisbehavingServer, answer: Answer, message: str) -> None:
    with pytest.raises(EndpointError, match=message) as failed:
        EndpointGraph(server.url("/", answer)).query(QUERY)
    text = str(failed.value)
    assert "secret" not in text
    assert all(c.isprintable() for c in text)
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("bindings", "answer"),
    [("", False), ('{"__ASK_RETVAL":{"type":"typed-literal","value":"1"}}', True)],
)
def test_virtuosos_table_for_an_ask_is_yes_or_no(server: MisbehavingServer, bindings: str, answer: bool) -> None:
    body = f'{{"head":{{"vars":["__ASK_RETVAL"]}},"results":{{"bindings":[{bindings}]}}}}'.encode()
    assert EndpointGraph(server.url("/", Answer(body=body))).query(check("ASK {}")).boolean is answer


def test_a_fault_of_the_query_told_with_status_500(server: MisbehavingServer) -> None:
    told = Answer(500, b"Virtuoso 22012 Error SR084: Division by 0.")
    with pytest.raises(QueryError, match="Division by 0"):
        EndpointGraph(server.url("/", told)).query(QUERY)


def test_byte_order_marks_charsets_and_missing_types_are_read(server: MisbehavingServer) -> None:
    body = ONE_ROW.replace(b'"1"', '"René"'.encode())
    answers = [
        Answer(body=b"\xef\xbb\xbf" + body),
        Answer(body=body, content_type=None),
        Answer(body=body.decode().encode("latin-1"), content_type=JSON + "; charset=ISO-8859-1"),
    ]
    for answer in answers:
        assert EndpointGraph(server.url("/", answer)).query(QUERY).rows == [(Term("René"),)]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(500, b"java.util.concurrent.TimeoutException"), "own time limit"),
        (
            Answer(body=b'{"head":{"vars":["x"]},"results":{"bindings":[\n java.util.concurrent.TimeoutException'),
            "own time limit",
        ),
    ],
)
def test_an_endpoints_own_time_limit_is_a_limit(server: MisbehavingServer, answer: Answer, message: str) -> None:
    with pytest.raises(LimitExceeded, match=message):
        EndpointGraph(server.url("/", answer)).query(QUERY)


def test_a_query_the_endpoint_refuses_goes_back_to_the_model(server: MisbehavingServer) -> None:
    with pytest.raises(QueryError, match=r"refused the query \(400\): line 1: unknown"):
        EndpointGraph(server.url("/", Answer(400, b"line 1:\n unknown"))).query(QUERY)


def test_an_answer_too_large_for_memory_is_stopped(server: MisbehavingServer) -> None:
    url = server.url("/", Answer(body=b" " * 2_000_000 + ONE_ROW))
    with pytest.raises(LimitExceeded, match="over 1 MB"):
        EndpointGraph(url).query(QUERY, Limits(megabytes=8))


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("SELECT ?a $b WHERE { ?a ?p $b }", {"a", "b"}),
        ("PREFIX x: <http://e/select?y{> SELECT DISTINCT ?a { ?a x:p ?c }", {"a"}),
        ("SELECT (COUNT(?c) AS ?n) ?a FROM <http://e/> WHERE { ?a ?p ?c } GROUP BY ?a", {"n", "a"}),
        ("# SELECT ?no {\nSELECT ((?x + ?y) AS ?sum) { ?x ?p ?y }", {"sum"}),
        ("SELECT * { ?s ?p ?o }", set()),
    ],
)
def test_the_columns_that_a_query_names(text: str, columns: set[str]) -> None:
    assert projected(text) == columns
