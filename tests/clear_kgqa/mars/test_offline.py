"""MARS without a model: the offline planner's readings, held to what was offered."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from clear_kgqa.events import Answered, Event, Failed, Thought, ToolCall
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle

from .talk import EX, offered


def events(bundle: GraphBundle, reader: Reader, question: str, **settings: Any) -> list[Event]:
    return list(make_session(bundle, Settings(strategy="mars", **settings), reader=reader).start(question))


def values(event: Event) -> set[str]:
    assert isinstance(event, Answered), event
    return {v.get("iri", v.get("literal", "")) for v in event.values}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the capital of France?", {EX + "paris"}),
        ("Which countries border Spain?", {EX + "france", EX + "portugal"}),
        ("What is the largest city in France?", {EX + "paris"}),
        ("population of Lyonn", {"520000"}),
        ("How many cities in France have more than 400,000 people?", {"2"}),
        ("What is the capital of the country where Lyon is?", {EX + "paris"}),
    ],
)
def test_answers(bundle: GraphBundle, reader: Reader, question: str, expected: set[str]) -> None:
    assert values(events(bundle, reader, question)[-1]) == expected


def test_the_rewritten_question_names_labels_and_types(bundle: GraphBundle, reader: Reader) -> None:
    found = events(bundle, reader, "population of Lyonn")
    assert Thought("Rewritten: population of Lyon (city)") in found
    answer = found[-1]
    assert isinstance(answer, Answered)
    assert answer.interpretation == "Population of Lyon"


def test_a_second_hop_needs_an_expansion(bundle: GraphBundle, reader: Reader) -> None:
    question = "What is the capital of the country where Lyon is?"
    around, beyond = offered(events(bundle, reader, question))
    assert all("?step1" not in p["sparql"] for p in around)
    assert any(p["pattern"] == "Lyon, country, ?step1; ?step1, capital, ?object" for p in beyond)
    forced = events(bundle, reader, question, hops=1)
    assert len(offered(forced)) == 1


def test_where_no_reading_is_within_reach_the_nearest_pattern_answers(bundle: GraphBundle, reader: Reader) -> None:
    found = events(bundle, reader, "What is the capital of France?", top_n=1, hops=1)
    [pattern] = offered(found)[0]
    answer = found[-1]
    assert isinstance(answer, Answered)
    assert pattern["sparql"] in answer.sparql or EX + "capital" in answer.sparql


def test_what_the_graph_does_not_hold_is_said(bundle: GraphBundle, reader: Reader) -> None:
    failed = events(bundle, reader, "What is the nicest thing about xyzzy?")[-1]
    assert isinstance(failed, Failed)
    assert failed.kind in ("not_understood", "not_in_graph")


def test_left_out_steps_change_the_evidence(bundle: GraphBundle, reader: Reader) -> None:
    from clear_kgqa.mars.offline_reasoner import BY_COUNT, BY_KIND, _without
    from clear_kgqa.mars.options import mars_options
    from clear_kgqa.readings.features import FEATURES

    assert set(BY_COUNT + BY_KIND) <= set(FEATURES)
    bare = _without(reader.weights, mars_options(Settings(mars_without="counts, enrichment")))
    gone = [
        name
        for name, before, after in zip(FEATURES, reader.weights.reading, bare.reading, strict=True)
        if before != after
    ]
    assert set(gone) <= set(BY_COUNT + BY_KIND)
    assert gone
    typed = events(bundle, reader, "What is the largest city in France?", mars_without="classes")
    assert all("rdf-syntax-ns#type" not in str(p["sparql"]) or "?object ." in p["sparql"] for p in offered(typed)[0])


def test_a_cancelled_turn_ends_and_the_next_one_answers(bundle: GraphBundle, reader: Reader) -> None:
    session = make_session(bundle, Settings(strategy="mars"), reader=reader)
    stream = session.start("What is the capital of France?")
    assert isinstance(next(stream), ToolCall)
    stopper = threading.Thread(target=session.cancel)
    stopper.start()
    stopper.join(10)
    assert list(stream)[-1] == Failed("cancelled", "Stopped.")
    assert values(list(session.start("What is the capital of France?"))[-1]) == {EX + "paris"}
    session.close()


def test_patterns_that_lead_nowhere_are_not_expanded(bundle: GraphBundle, reader: Reader) -> None:
    """A symmetric property can be followed for ever: only chains as long as a reading are looked beyond."""
    found = events(bundle, reader, "Which countries border the neighbours of Portugal?")
    assert len(offered(found)) <= 3
