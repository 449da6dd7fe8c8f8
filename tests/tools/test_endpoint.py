import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from pathlib import Path

import pytest

from clear_kgqa_tools.endpoint import REQUESTS_PER_HOST, EndpointGraph, retry_after
from clear_kgqa_tools.errors import Cancelled, ConfigError, EndpointError, LimitExceeded, QueryError
from clear_kgqa_tools.graph import Limits, trusted
from clear_kgqa_tools.safety import check
from clear_kgqa_tools.terms import XSD, Term
from tests.tools.misbehaving_server import JSON, ONE_ROW, Answer, MisbehavingServer
from tests.tools.sparql_server import sparql_server

QUERY = trusted("SELECT ?x { ?s ?p ?x }")


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as running:
        yield running


def rows(graph: EndpointGraph) -> int:
    return len(graph.query(QUERY).rows)


@pytest.fixture(scope="module")
def oxigraph() -> Iterator[str]:
    with sparql_server('<http://ex.org/a> <http://ex.org/p> "eins"@de, 2, <http://ex.org/b>, _:c .') as address:
        yield address


def test_a_real_server_answers_every_form(oxigraph: str) -> None:
    graph = EndpointGraph(oxigraph)
    result = graph.query(check("SELECT ?o ?none { ?s ?p ?o } ORDER BY ?o"))
    assert result.columns == ("o", "none")
    terms = [row[0] for row in result.rows]
    assert [t.kind for t in terms if t] == ["bnode", "iri", "literal", "literal"]
    assert Term("eins", "literal", language="de") in terms
    assert Term("2", "literal", XSD + "integer") in terms
    assert graph.query(check("ASK { ?s ?p 2 }")).boolean is True
    assert graph.query(check("ASK { ?s ?p 3 }")).boolean is False
    triples = graph.query(check("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(isIRI(?o)) }"))
    assert triples.rows == [tuple(Term(f"http://ex.org/{n}", "iri") for n in "apb")]
    assert len(graph.query(check("DESCRIBE <http://ex.org/a>")).rows) == 4


def test_a_real_server_says_what_is_wrong_with_a_query(oxigraph: str) -> None:
    with pytest.raises(QueryError, match=r"refused the query.*400"):
        EndpointGraph(oxigraph).query(trusted("SELECT nonsense"))


def test_long_queries_go_by_post_with_a_name(server: MisbehavingServer) -> None:
    long = check("SELECT ?x { VALUES ?x { " + "<http://ex.org/a> " * 1000 + "} }")
    assert len(long.text) > 8192
    EndpointGraph(server.url("/")).query(long)
    assert server.seen[0].method == "POST"
    assert server.seen[0].query == long.text
    assert server.seen[0].headers["User-Agent"].startswith("clear-kgqa/")
    assert JSON in server.seen[0].headers["Accept"]


def test_an_iri_that_names_an_update_is_still_sent_as_a_query(server: MisbehavingServer) -> None:
    EndpointGraph(server.url("/")).query(check("PREFIX drop: <http://ex.org/#>\nSELECT ?x { drop:all ?p ?x }"))
    assert b"query=" in server.seen[0].body and b"update=" not in server.seen[0].body


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
        (
            Answer(body=b'{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"odd","value":"1"}}]}}'),
            "no SPARQL results",
        ),
        (Answer(cut=True), "broke off"),
        (Answer(404, b"no such thing"), "status 404: no such thing"),
        (Answer(401), "CLEAR_KGQA_ENDPOINT_USER"),
        (Answer(500, b"Virtuoso 37000 Error"), "status 500: Virtuoso 37000 Error"),
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


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_passing_faults_are_tried_again(server: MisbehavingServer, status: int) -> None:
    told: list[str] = []
    url = server.url("/", Answer(status, headers={"Retry-After": "0"}), Answer())
    assert rows(EndpointGraph(url, on_wait=lambda seconds, why: told.append(f"{seconds} {why}"))) == 1
    assert len(server.seen) == 2
    assert told == [f"0.0 {url} answered {status}; trying again in 0 s"]


@pytest.mark.parametrize("status", [400, 404, 500, 501])
def test_other_faults_are_not(server: MisbehavingServer, status: int) -> None:
    with pytest.raises((QueryError, EndpointError)):
        EndpointGraph(server.url("/", Answer(status))).query(QUERY)
    assert len(server.seen) == 1


def test_a_wait_of_a_day_is_capped_and_retries_end(server: MisbehavingServer) -> None:
    waits: list[float] = []
    url = server.url("/", Answer(429, b"slow down", headers={"Retry-After": "86400"}))
    graph = EndpointGraph(url, max_wait=0.05, on_wait=lambda seconds, why: waits.append(seconds))
    with pytest.raises(EndpointError, match=r"asks to wait \(429\): slow down"):
        graph.query(QUERY)
    assert waits == [0.05, 0.05]


def test_retry_after_in_all_its_forms() -> None:
    now = 1_800_000_000.0
    assert retry_after("120", now) == 120
    assert retry_after(formatdate(now + 30, usegmt=True), now) == 30
    assert retry_after(formatdate(now - 30, usegmt=True), now) == 0
    assert [retry_after(text, now) for text in (None, "", "soon", "-5", "99999999 Foo 1")] == [None] * 5


def test_a_cancelled_wait_ends_at_once(server: MisbehavingServer) -> None:
    graph = EndpointGraph(server.url("/", Answer(429, headers={"Retry-After": "86400"})), max_wait=3600)
    assert_cancelled_at_once(graph)


def test_a_sleeping_server_gives_the_prompt_back_within_a_second(server: MisbehavingServer) -> None:
    graph = EndpointGraph(server.url("/", Answer(sleep=30), Answer()))
    assert_cancelled_at_once(graph)
    assert rows(graph) == 1


def assert_cancelled_at_once(graph: EndpointGraph) -> None:
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(graph.query, QUERY)
        time.sleep(0.3)
        start = time.monotonic()
        graph.cancel()
        with pytest.raises(Cancelled):
            running.result(timeout=10)
        assert time.monotonic() - start < 1


def test_each_limit_is_its_own(server: MisbehavingServer) -> None:
    url = server.url("/", Answer(sleep=30))
    with pytest.raises(LimitExceeded, match=r"limit of 0\.3 seconds"):
        EndpointGraph(url).query(QUERY, Limits(seconds=0.3))
    with pytest.raises(EndpointError, match=r"0\.2 s of silence"):
        EndpointGraph(url, read_seconds=0.2).query(QUERY)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        waiting = [socket.socket() for _ in range(4)]
        for connection in waiting:
            connection.setblocking(False)
            connection.connect_ex(full.getsockname())
        address = f"http://127.0.0.1:{full.getsockname()[1]}/"
        with pytest.raises(EndpointError, match=r"0\.2 s to connect"):
            EndpointGraph(address, connect_seconds=0.2, read_seconds=0.2).query(QUERY)
        for connection in waiting:
            connection.close()


def test_an_answer_too_large_for_memory_is_stopped(server: MisbehavingServer) -> None:
    url = server.url("/", Answer(body=b" " * 2_000_000 + ONE_ROW))
    with pytest.raises(LimitExceeded, match="over 1 MB"):
        EndpointGraph(url).query(QUERY, Limits(megabytes=8))


def test_requests_to_one_host_are_limited(server: MisbehavingServer) -> None:
    graphs = [EndpointGraph(server.url("/", Answer(sleep=0.1))) for _ in range(3)]
    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(rows, graphs * 4)) == [1] * 12
    assert server.most_at_once == REQUESTS_PER_HOST


def test_down_unknown_and_not_http() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(EndpointError, match="nothing listens there"):
        EndpointGraph(f"http://127.0.0.1:{port}/sparql").query(QUERY)
    with pytest.raises(EndpointError, match="cannot be used"):
        EndpointGraph("http://no-such-host.invalid/sparql").query(QUERY)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=answer_in_ssh, args=(listener,), daemon=True).start()
        with pytest.raises(EndpointError, match="does not speak HTTP"):
            EndpointGraph(f"http://127.0.0.1:{listener.getsockname()[1]}/").query(QUERY)


def answer_in_ssh(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(b"SSH-2.0-x\r\n")


def test_a_self_signed_certificate_is_refused_in_one_line(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    certificate = tmp_path / "certificate.pem"
    made = (
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "1",
                "-subj",
                "/CN=127.0.0.1",
                "-keyout",
                str(key),
                "-out",
                str(certificate),
            ],
            capture_output=True,
            check=False,
        )
        if shutil.which("openssl")
        else None
    )
    if made is None or made.returncode:
        pytest.skip("openssl is not installed")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with (
        MisbehavingServer(context) as server,
        pytest.raises(EndpointError, match="certificate is not trusted"),
    ):
        EndpointGraph(server.url("/")).query(QUERY)


@pytest.mark.parametrize(
    "url", ["ftp://x.org/", "file:///etc/passwd", "sparql", "http://", "http://[::1", "http://x:y/"]
)
def test_an_address_that_is_none_is_the_users_to_fix(url: str) -> None:
    with pytest.raises(ConfigError):
        EndpointGraph(url)


def test_credentials_are_sent_and_never_shown(server: MisbehavingServer) -> None:
    url = server.url("/", Answer(404, b"user u with pa55word and t0ken")).replace("//", "//u:pa55word@")
    graph = EndpointGraph(url + "?key=k3y", environment={"CLEAR_KGQA_ENDPOINT_HEADERS": '{"X-Token": "t0ken"}'})
    with pytest.raises(EndpointError) as failed:
        graph.query(QUERY)
    assert server.seen[0].headers["Authorization"] == "Basic dTpwYTU1d29yZA=="
    assert server.seen[0].headers["X-Token"] == "t0ken"
    assert server.seen[0].path == "/?key=k3y"
    for shown in (str(failed.value), graph.url, repr(graph)):
        assert not any(secret in shown for secret in ("pa55word", "t0ken", "k3y"))


def test_credentials_from_the_environment_can_be_bound_to_a_host(server: MisbehavingServer) -> None:
    environment = {
        "CLEAR_KGQA_ENDPOINT_USER": "u",
        "CLEAR_KGQA_ENDPOINT_PASSWORD": "p",
        "CLEAR_KGQA_ENDPOINT_HOST": "other.org",
    }
    assert rows(EndpointGraph(server.url("/"), environment=environment)) == 1
    assert "Authorization" not in server.seen[0].headers
    environment["CLEAR_KGQA_ENDPOINT_HOST"] = "127.0.0.1"
    assert rows(EndpointGraph(server.url("/"), environment=environment)) == 1
    assert server.seen[1].headers["Authorization"] == "Basic dTpw"


def test_headers_that_are_no_json_object_are_the_users_to_fix() -> None:
    for value in ("Bearer x", '["a"]', '{"a": 1}', '{"a": "b\\nc"}'):
        with pytest.raises(ConfigError, match="must be a JSON object"):
            EndpointGraph("http://x.org/", environment={"CLEAR_KGQA_ENDPOINT_HEADERS": value})


def test_a_closed_endpoint_says_so(server: MisbehavingServer) -> None:
    graph = EndpointGraph(server.url("/"))
    graph.close()
    graph.close()
    with pytest.raises(QueryError, match="closed"):
        graph.query(QUERY)
