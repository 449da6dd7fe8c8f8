import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyoxigraph as ox
import pytest

from clear_kgqa_tools.embedded import EmbeddedGraph
from clear_kgqa_tools.errors import Cancelled, ClearKgqaError, ConfigError, LimitExceeded, QueryError
from clear_kgqa_tools.graph import Limits, trusted
from clear_kgqa_tools.safety import check
from clear_kgqa_tools.terms import XSD, Term

COSTLY = trusted("SELECT ?a ?b { ?a ?p ?x . ?b ?q ?y } ORDER BY ?x LIMIT 5")
ONE = trusted("SELECT ?o { <http://ex.org/1> <http://ex.org/p> ?o }")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("embedded") / "store"
    predicate = ox.NamedNode("http://ex.org/p")
    data = ox.Store(str(path))
    data.bulk_extend(ox.Quad(ox.NamedNode(f"http://ex.org/{i}"), predicate, ox.Literal(i)) for i in range(5000))
    graph = ox.NamedNode("http://ex.org/g")
    for value in (ox.Literal("eins", language="de"), ox.BlankNode("b"), ox.Literal("plain")):
        data.add(ox.Quad(ox.NamedNode("http://ex.org/named"), predicate, value, graph))
    data.flush()
    return path


@pytest.fixture
def graph(store: Path) -> Iterator[EmbeddedGraph]:
    with_limits = EmbeddedGraph(store)
    yield with_limits
    with_limits.close()


def works(graph: EmbeddedGraph) -> bool:
    return graph.query(ONE).rows == [(Term("1", "literal", XSD + "integer"),)]


def test_rows_keep_columns_order_and_unbound_values(graph: EmbeddedGraph) -> None:
    result = graph.query(
        trusted(
            "SELECT ?o ?none ?s { ?s <http://ex.org/p> ?o OPTIONAL { ?o <http://ex.org/q> ?none } } ORDER BY ?o LIMIT 2"
        )
    )
    assert result.columns == ("o", "none", "s")
    assert result.rows[0][1:] == (None, Term("http://ex.org/named", "iri")) and result.rows[0][0]
    assert not result.incomplete


def test_ask_and_construct(graph: EmbeddedGraph) -> None:
    assert graph.query(trusted("ASK { <http://ex.org/1> ?p 1 }", "ask")).boolean is True
    assert graph.query(trusted("ASK { <http://ex.org/1> ?p 2 }", "ask")).boolean is False
    result = graph.query(trusted("CONSTRUCT WHERE { <http://ex.org/1> ?p ?o }", "construct"))
    assert result.columns == ("subject", "predicate", "object")
    assert result.rows == [
        (
            Term("http://ex.org/1", "iri"),
            Term("http://ex.org/p", "iri"),
            Term("1", "literal", XSD + "integer"),
        )
    ]


def test_data_in_named_graphs_is_found_and_from_still_narrows(graph: EmbeddedGraph) -> None:
    count = "SELECT (COUNT(*) AS ?n) {} {{ ?s ?p ?o }}"
    found = [graph.query(check(count.format(clause))).rows[0][0] for clause in ("", "FROM <http://ex.org/g>")]
    assert [term and term.value for term in found] == ["5003", "3"]
    assert graph.named_graphs() == {"http://ex.org/g"}


def test_rows_are_capped_and_said_to_be(graph: EmbeddedGraph) -> None:
    result = graph.query(trusted("SELECT * { ?s ?p ?o }"), Limits(rows=10))
    assert (len(result.rows), result.incomplete, result.reason) == (
        10,
        True,
        "stopped at the limit of 10 rows",
    )
    assert not graph.query(trusted("SELECT * { ?s ?p ?o } LIMIT 10"), Limits(rows=10)).incomplete


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(seconds=0.3, megabytes=100_000), "limit of 0.3 seconds"),
        (Limits(seconds=60, megabytes=150), "limit of 150 MB of memory"),
    ],
)
def test_a_costly_query_is_stopped_and_the_next_works(graph: EmbeddedGraph, limits: Limits, message: str) -> None:
    assert works(graph)
    with pytest.raises(LimitExceeded, match=message):
        graph.query(COSTLY, limits)
    assert works(graph)


def test_one_huge_allocation_is_stopped(graph: EmbeddedGraph) -> None:
    binds = " ".join(f"BIND(CONCAT(?x{i}, ?x{i}) AS ?x{i + 1})" for i in range(34))
    query = trusted(f"SELECT (STRLEN(?x34) AS ?n) {{ BIND('x' AS ?x0) {binds} }}")
    with pytest.raises(LimitExceeded, match="200 MB of memory"):
        graph.query(query, Limits(seconds=60, megabytes=200))
    assert works(graph)


@pytest.mark.parametrize(
    "text",
    ["SELECT * " + "{SELECT * " * 5000 + "{?s ?p ?o}" + "}" * 5000, "SELECT * " + "{" * 9000 + "}" * 9000],
    ids=["sub-selects", "braces"],
)
def test_a_crash_of_the_store_is_an_error_in_plain_words(graph: EmbeddedGraph, text: str) -> None:
    with pytest.raises(QueryError, match="too deeply nested"):
        graph.query(trusted(text))
    assert works(graph)


def test_what_the_store_rejects_goes_back_in_one_line(graph: EmbeddedGraph) -> None:
    with pytest.raises(QueryError, match="refused the query: error at 2:2") as refused:
        graph.query(trusted("SELEC\n*"))
    assert "\n" not in str(refused.value)
    assert works(graph)


def test_cancel_stops_running_and_waiting_queries(store: Path) -> None:
    graph = EmbeddedGraph(store, workers=1)
    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(graph.query, COSTLY, Limits(60, 8000)) for _ in range(3)]
        time.sleep(0.5)
        graph.cancel()
        for future in running:
            with pytest.raises(Cancelled):
                future.result(timeout=5)
    assert works(graph)
    graph.close()


def test_a_worker_started_early_takes_the_first_query_and_is_the_only_one(store: Path) -> None:
    graph = EmbeddedGraph(store)
    graph.load_soon()
    graph.load_soon()
    assert works(graph)
    assert len(workers_of(store)) == 1
    graph.close()
    graph.load_soon()
    assert workers_of(store) == []


def test_many_threads_share_the_workers(store: Path) -> None:
    graph = EmbeddedGraph(store, workers=2)

    def value(i: int) -> str:
        rows = graph.query(trusted(f"SELECT ?o {{ <http://ex.org/{i}> ?p ?o }}")).rows
        assert rows[0][0]
        return rows[0][0].value

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(value, range(200))) == [str(i) for i in range(200)]
    graph.close()


def test_no_query_can_reach_a_network_even_unchecked(graph: EmbeddedGraph) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.3)
        port = listener.getsockname()[1]
        with pytest.raises(QueryError):
            graph.query(trusted(f"SELECT * {{ SERVICE <http://127.0.0.1:{port}/> {{ ?s ?p ?o }} }}"))
        with pytest.raises(TimeoutError):
            listener.accept()


def test_a_missing_store_is_the_users_to_fix(tmp_path: Path) -> None:
    graph = EmbeddedGraph(tmp_path / "none")
    with pytest.raises(ConfigError, match="cannot open the store"):
        graph.query(ONE)
    graph.close()


def test_a_worker_that_was_killed_is_replaced(graph: EmbeddedGraph, store: Path) -> None:
    assert works(graph)
    for pid in workers_of(store):
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not workers_of(store))
    assert works(graph)


def test_a_closed_graph_says_so_and_closes_twice(store: Path) -> None:
    graph = EmbeddedGraph(store)
    assert works(graph)
    graph.close()
    graph.close()
    assert not workers_of(store)
    with pytest.raises(QueryError, match="closed"):
        graph.query(ONE)


def test_workers_end_with_their_parent(store: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from clear_kgqa_tools.embedded import EmbeddedGraph;"
        "from clear_kgqa_tools.graph import Limits, trusted; print('up', flush=True);"
        f"EmbeddedGraph(Path(sys.argv[1])).query(trusted({COSTLY.text!r}), Limits(60, 8000))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen([sys.executable, "-c", code, str(store)], env=environment, stdout=subprocess.PIPE)
    assert parent.stdout and parent.stdout.readline() == b"up\n"
    wait_until(lambda: bool(workers_of(store)))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: not workers_of(store))


def test_every_failure_is_one_of_ours(graph: EmbeddedGraph) -> None:
    def run(text: str) -> None:
        try:
            graph.query(trusted(text), Limits(5, 500))
        except ClearKgqaError as error:
            assert "\n" not in str(error)

    for text in ("", "\x00", "ASK", "SELECT * { ?s ?p \ud7ff }", "é" * 10_000):
        run(text)
    assert works(graph)
    assert threading.active_count() < 20


def workers_of(store: Path) -> list[int]:
    """Process ids of the workers that have this store open."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if str(store).encode() in command and any(c.endswith(b"worker.py") for c in command):
                found.append(int(entry.name))
    return found


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
