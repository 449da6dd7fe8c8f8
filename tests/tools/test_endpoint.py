"""Asking an endpoint: requests as they arrive, a real server, one host at a time."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from clear_kgqa_tools.endpoint import REQUESTS_PER_HOST, EndpointGraph
from clear_kgqa_tools.errors import ConfigError, QueryError
from clear_kgqa_tools.graph import trusted
from clear_kgqa_tools.safety import check
from clear_kgqa_tools.terms import XSD, Term
from tests.tools.misbehaving_server import JSON, Answer, MisbehavingServer
from tests.tools.sparql_server import sparql_server

QUERY = trusted("SELECT ?x { ?s ?p ?x }")


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


def test_requests_to_one_host_are_limited(server: MisbehavingServer) -> None:
    graphs = [EndpointGraph(server.url("/", Answer(sleep=0.1))) for _ in range(3)]
    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(rows, graphs * 4)) == [1] * 12
    assert server.most_at_once == REQUESTS_PER_HOST


@pytest.mark.parametrize(
    "url", ["ftp://x.org/", "file:///etc/passwd", "sparql", "http://", "http://[::1", "http://x:y/"]
)
def test_an_address_that_is_none_is_the_users_to_fix(url: str) -> None:
    with pytest.raises(ConfigError):
        EndpointGraph(url)


def test_a_closed_endpoint_says_so(server: MisbehavingServer) -> None:
    graph = EndpointGraph(server.url("/"))
    graph.close()
    graph.close()
    with pytest.raises(QueryError, match="closed"):
        graph.query(QUERY)
