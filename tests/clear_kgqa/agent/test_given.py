"""Nodes that are told with a question: the offline planner and a model are held to them."""

from __future__ import annotations

from typing import Any

import pytest

from clear_kgqa.agent.given import GivenReader
from clear_kgqa.events import Answered, Asked, Event, Observation
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.nodes import Node

from .faulty_model_server import FaultyModelServer, completion

EX = "http://ex.org/"
QUESTION = "What is the population of Springfield?"


def nodes(bundle: GraphBundle, *names: str) -> list[Node]:
    return list(bundle.nodes.describe([EX + name for name in names]).values())


def values(event: Event) -> set[str]:
    assert isinstance(event, Answered), event
    return {v.get("iri", v.get("literal", "")) for v in event.values}


@pytest.mark.parametrize(("name", "population"), [("springfieldIL", "114000"), ("springfieldMO", "170000")])
@pytest.mark.parametrize("settings", [{}, {"no_plugin": True}, {"strategy": "interactive"}])
def test_a_shared_name_means_the_node_given_and_nothing_is_asked(
    bundle: GraphBundle, reader: Reader, name: str, population: str, settings: dict[str, Any]
) -> None:
    made = make_session(bundle, Settings(**settings), reader=reader, given=nodes(bundle, name))
    events = list(made.start(QUESTION))
    assert not any(isinstance(e, Asked) for e in events)
    assert values(events[-1]) == {population}


def test_a_given_node_that_no_name_means_is_used_all_the_same(bundle: GraphBundle, reader: Reader) -> None:
    made = make_session(bundle, Settings(), reader=reader, given=nodes(bundle, "france"))
    assert values(list(made.start("What is the capital of the hexagon?"))[-1]) == {EX + "paris"}


def test_names_of_other_nodes_are_passed_over(bundle: GraphBundle, reader: Reader) -> None:
    [mention] = GivenReader(reader, nodes(bundle, "lyon")).mentions("Is Lyon in France?")
    assert ([n.iri for n in mention.nodes], mention.span) == ([EX + "lyon"], (3, 7))
    assert len(reader.mentions("Is Lyon in France?")) > 1, "the shared reader is left as it was"


def test_a_model_is_told_the_nodes_and_its_hints_rest_on_them(bundle: GraphBundle, reader: Reader) -> None:
    query = f"SELECT ?x WHERE {{ <{EX}springfieldMO> <{EX}population> ?x }}"
    script = [
        completion("", [("SearchNodes", {"name": "Springfield"})]),
        completion("", [("ExecuteSPARQL", {"sparql": query})]),
        completion("170,000."),
    ]
    with FaultyModelServer(script) as server:
        chosen = Settings(model="m", base_url=server.url, protocol="tools", verify=False)
        events = list(make_session(bundle, chosen, reader=reader, given=nodes(bundle, "springfieldMO")).start(QUESTION))
    told = [m["content"] for m in server.chats[0]["messages"] if m["role"] == "user"]
    assert told[-1] == f"{QUESTION}\n\nIt is about these nodes of the graph: <{EX}springfieldMO> Springfield"
    assert not any("HINT" in e.text or "Not run" in e.text for e in events if isinstance(e, Observation))
    assert values(events[-1]) == {"170000"}
