"""NLKGQ over a small graph: what the one request holds, and what becomes of the reply."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.events import Answered, Event, Failed, Observation, ToolCall
from clear_kgqa.examples.selectors import make_selector
from clear_kgqa.nlkgq.wrapper import wrapper_of
from clear_kgqa.settings import Settings
from clear_kgqa.strategies.nlkgq import Nlkgq, NlkgqOptions
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError

QUESTION = "What is the capital of France?"
NATIVE = """PREFIX ex: <http://ex.org/> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT DISTINCT ?a WHERE { ?x rdfs:label "France" . ?x ex:capital ?a }"""
READABLE = """PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT DISTINCT ?a WHERE { ?x rdfs:label "France" ; a w:Country ; w:capital ?a }"""


def strategy(bundle: GraphBundle, reply: str, **options: object) -> Nlkgq:
    replies: Iterator[AIMessage] = iter([AIMessage(reply)])
    return Nlkgq(bundle, Settings(), GenericFakeChatModel(messages=replies), NlkgqOptions(**options))  # type: ignore[arg-type]


def last(events: Iterator[Event]) -> Event:
    return list(events)[-1]


@pytest.mark.parametrize(
    "reply",
    [NATIVE, f"```sparql\n{NATIVE}\n```", f"<think>SELECT ?no {{}}</think>\nHere it is:\n\n{NATIVE}"],
)
def test_the_query_is_found_run_and_answered(bundle: GraphBundle, reply: str) -> None:
    events = list(strategy(bundle, reply).start(QUESTION))
    assert [type(e) for e in events] == [ToolCall, Observation, Answered]
    answer = events[-1]
    assert isinstance(answer, Answered)
    assert answer.values == ({"iri": "http://ex.org/paris", "label": "Paris"},)
    assert answer.form == "select"


def test_a_wrapper_shows_readable_terms_and_runs_native_ones(bundle: GraphBundle) -> None:
    wrapper = wrapper_of(bundle.schema, {"ex": "http://ex.org/"})
    found = strategy(bundle, READABLE, wrapper=wrapper)
    system = found.prompt(QUESTION)[0][1]
    assert "w:capital a " in system
    assert "http://ex.org/capital" not in system
    answer = last(found.start(QUESTION))
    assert isinstance(answer, Answered)
    assert "ex:capital" in answer.sparql
    assert "w:" not in answer.sparql
    assert answer.values == ({"iri": "http://ex.org/paris", "label": "Paris"},)


def test_the_prompt_holds_ontology_note_and_examples_within_its_budget(bundle: GraphBundle) -> None:
    train = [
        Sample(
            "1",
            "What is the capital of Spain?",
            "SELECT ?a { <http://ex.org/spain> <http://ex.org/capital> ?a }",
        )
    ]
    selector = make_selector("ss:1", train, bundle.similarity)
    small = strategy(bundle, NATIVE, note="Sizes are in km2.", selector=selector, budget=200).prompt(QUESTION)
    large = strategy(bundle, NATIVE).prompt(QUESTION)
    assert [role for role, _ in small] == ["system", "human"]
    assert "Sizes are in km2." in small[0][1]
    assert "Question: What is the capital of Spain?" in small[0][1]
    assert "http://ex.org/capital" in small[0][1]
    assert "Ontology:" in large[0][1]
    assert "Examples:" not in large[0][1]


def test_a_given_ontology_stands_as_it_is(bundle: GraphBundle, tmp_path: Path) -> None:
    path = tmp_path / "o.ttl"
    path.write_text("@prefix owl: <http://www.w3.org/2002/07/owl#> .\n<http://ex.org/City> a owl:Class . # mine")
    assert "# mine" in strategy(bundle, NATIVE, ontology=path).prompt(QUESTION)[0][1]


@pytest.mark.parametrize(
    ("reply", "kind", "reason"),
    [
        ("I do not know.", "model", "cannot be run"),
        ("", "model", "cannot be run"),
        ("DROP ALL", "model", "is an update"),
        ("SELECT ?a { SERVICE <http://127.0.0.1:1/> { ?a ?b ?c } }", "model", "SERVICE is not allowed"),
        ("SELECT ?a { ?a <http://ex.org/capital> <http://ex.org/nothing> }", "empty", "found nothing"),
    ],
)
def test_what_gives_no_answer_says_why(bundle: GraphBundle, reply: str, kind: str, reason: str) -> None:
    failed = last(strategy(bundle, reply).start(QUESTION))
    assert isinstance(failed, Failed)
    assert failed.kind == kind
    assert reason in failed.reason
    assert len(failed.tried) == 1


def test_an_unknown_readable_term_names_close_ones(bundle: GraphBundle) -> None:
    wrapper = wrapper_of(bundle.schema, {})
    failed = last(strategy(bundle, "SELECT ?a { ?x w:capitol ?a }", wrapper=wrapper).start(QUESTION))
    assert isinstance(failed, Failed)
    assert "w:capital" in failed.reason


def test_yes_or_no_and_counts_keep_their_form(bundle: GraphBundle) -> None:
    ask = last(
        strategy(bundle, "ASK { <http://ex.org/france> <http://ex.org/neighbour> <http://ex.org/georgia> }").start("?")
    )
    assert isinstance(ask, Answered)
    assert (ask.form, ask.boolean) == ("ask", False)
    count = "SELECT (COUNT(DISTINCT ?a) AS ?n) { <http://ex.org/spain> <http://ex.org/neighbour> ?a }"
    answer = last(strategy(bundle, count).start("How many?"))
    assert isinstance(answer, Answered)
    assert answer.form == "count"
    assert answer.values == ({"literal": "2", "label": "2"},)


def test_there_is_nothing_to_reply_to(bundle: GraphBundle) -> None:
    with pytest.raises(ConfigError):
        strategy(bundle, NATIVE).resume("1")


def test_a_model_server_that_is_down_ends_the_turn_in_one_line(bundle: GraphBundle) -> None:
    from langchain_openai import ChatOpenAI

    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
        model = ChatOpenAI(model="m", base_url=url, api_key="none", max_retries=0, timeout=5)  # type: ignore[arg-type]
        failed = last(Nlkgq(bundle, Settings(), model).start(QUESTION))
    assert isinstance(failed, Failed)
    assert failed.kind == "endpoint"
    assert "\n" not in failed.reason


def test_an_example_that_cannot_be_parsed_is_shown_as_it_is(bundle: GraphBundle) -> None:
    train = [Sample("1", "Capital of Spain?", "SELECT ?a { <http://ex.org/spain> bif:odd( ?a }")]
    selector = make_selector("ss:1", train, bundle.similarity)
    found = strategy(bundle, NATIVE, selector=selector, wrapper=wrapper_of(bundle.schema, {"ex": "http://ex.org/"}))
    assert "bif:odd( ?a" in found.prompt(QUESTION)[0][1]
