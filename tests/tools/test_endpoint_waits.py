"""Waiting for an endpoint: retries, limits, and the way out."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate

import pytest

from clear_kgqa_tools.endpoint import EndpointGraph, retry_after
from clear_kgqa_tools.endpoint_harvest import endpoint_properties
from clear_kgqa_tools.errors import Cancelled, EndpointError, LimitExceeded, QueryError
from clear_kgqa_tools.graph import Limits, trusted
from tests.tools.misbehaving_server import Answer, MisbehavingServer

QUERY = trusted("SELECT ?x { ?s ?p ?x }")


def rows(graph: EndpointGraph) -> int:
    return len(graph.query(QUERY).rows)


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


def test_retries_end(server: MisbehavingServer) -> None:
    waits: list[float] = []
    url = server.url("/", Answer(429, b"slow down"))
    graph = EndpointGraph(url, max_wait=0.05, on_wait=lambda seconds, why: waits.append(seconds))
    with pytest.raises(EndpointError, match=r"asks to wait \(429\): slow down"):
        graph.query(QUERY)
    assert waits == [0.05, 0.05]


@pytest.mark.parametrize("seconds", [5.0, 3600.0])
def test_a_wait_of_a_day_is_told_and_not_waited_for(server: MisbehavingServer, seconds: float) -> None:
    waits: list[float] = []
    url = server.url("/", Answer(429, b"slow down", headers={"Retry-After": "86400"}))
    graph = EndpointGraph(url, on_wait=lambda seconds, why: waits.append(seconds))
    with pytest.raises(EndpointError, match=r"asks to wait \(429, Retry-After 86400\): slow down"):
        graph.query(QUERY, Limits(seconds=seconds))
    assert (waits, len(server.seen)) == ([], 1)


def test_retry_after_in_all_its_forms() -> None:
    now = 1_800_000_000.0
    assert retry_after("120", now) == 120
    assert retry_after(formatdate(now + 30, usegmt=True), now) == 30
    assert retry_after(formatdate(now - 30, usegmt=True), now) == 0
    assert [retry_after(text, now) for text in (None, "", "soon", "-5", "99999999 Foo 1")] == [None] * 5


def test_a_cancelled_wait_ends_at_once(server: MisbehavingServer) -> None:
    graph = EndpointGraph(server.url("/", Answer(429, headers={"Retry-After": "20"})))
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


def test_a_limit_on_the_whole_bounds_attempts_waits_and_every_query(server: MisbehavingServer) -> None:
    graph = EndpointGraph(server.url("/", Answer(sleep=30)))
    begun = time.monotonic()
    with graph.within(0.4, 2.0):
        for _ in range(2):
            with pytest.raises(LimitExceeded, match=r"no answer within the limit of 2 seconds"):
                graph.query(QUERY)
    assert time.monotonic() - begun < 5
    assert len(server.seen) == 1
    busy = EndpointGraph(server.url("/busy", Answer(503), Answer()))
    with busy.within(0.8), pytest.raises(EndpointError, match="503"):
        busy.query(QUERY)
    assert rows(busy) == 1


def test_a_first_contact_shares_its_limit_among_its_questions(server: MisbehavingServer) -> None:
    row = b'{"head":{"vars":["p"]},"results":{"bindings":[{"p":{"type":"uri","value":"urn:p"}}]}}'
    graph = EndpointGraph(server.url("/", Answer(sleep=30), Answer(sleep=30), Answer(body=row)))
    assert endpoint_properties(graph, 20.0, 1.5) == {"urn:p": 0}
    assert len(server.seen) == 3
