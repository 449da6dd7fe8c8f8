"""Credentials go where they belong and are never shown."""

import pytest

from clear_kgqa_tools.endpoint import EndpointGraph
from clear_kgqa_tools.errors import ConfigError, EndpointError
from clear_kgqa_tools.graph import trusted
from tests.tools.misbehaving_server import Answer, MisbehavingServer

QUERY = trusted("SELECT ?x { ?s ?p ?x }")


def rows(graph: EndpointGraph) -> int:
    return len(graph.query(QUERY).rows)


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
