"""Faulty replies of models in whole turns, over real HTTP: odd arguments, floods of data, asking at the wrong time."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from clear_kgqa.events import Answered, Asked, Event, Failed, Observation
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import Session, make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle

from .faulty_model_server import FaultyModelServer, completion

CAPITAL = "SELECT ?x WHERE { <http://ex.org/france> <http://ex.org/capital> ?x }"
ASK = completion("", [("AskForClarification", {"text": "Which France?", "options": ["France", "Spain"]})])
QUESTION = "What is the capital of France?"
SPRINGFIELD = "What is the population of Springfield?"


def run(sparql: str) -> dict[str, Any]:
    return completion("", [("ExecuteSPARQL", {"sparql": sparql})])


def session(server: FaultyModelServer, bundle: GraphBundle, reader: Reader, **given: Any) -> Session:
    chosen = {"model": "m", "base_url": server.url, "protocol": "tools", "retries": 0, "verify": False, **given}
    return make_session(bundle, Settings(**chosen), reader=reader)


def observed(events: list[Event]) -> list[str]:
    return [e.text for e in events if isinstance(e, Observation)]


def values(event: Event) -> list[str]:
    assert isinstance(event, Answered), event
    return [v.get("iri", v.get("literal", "")) for v in event.values]


@pytest.mark.parametrize(
    "arguments",
    [
        f'{{"sparql": "{CAPITAL} # \\("}}',
        f'```json\n{{"sparql": "{CAPITAL}"}}\n```',
        f"{{'sparql': '{CAPITAL}'}}",
        f"{{'sparql': '{CAPITAL}',}}",
    ],
)
def test_repaired_arguments_are_run_and_the_repair_is_logged(
    bundle: GraphBundle, reader: Reader, arguments: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with FaultyModelServer([completion("", [("ExecuteSPARQL", arguments)]), completion("Paris.")]) as server:
        assert values(list(session(server, bundle, reader).start(QUESTION))[-1]) == ["http://ex.org/paris"]
    assert "repaired a reply of m" in caplog.text
    [call] = server.chats[1]["messages"][-2]["tool_calls"]
    assert json.loads(call["function"]["arguments"])["sparql"].startswith(CAPITAL)


@pytest.mark.parametrize("arguments", ["{'sparql': 'DROP ALL'}", '"DROP ALL"', '```json\n{"sparql": "DROP ALL"}\n```'])
def test_what_was_repaired_is_checked_like_any_other(bundle: GraphBundle, reader: Reader, arguments: str) -> None:
    with FaultyModelServer([completion("", [("ExecuteSPARQL", arguments)]), completion("Done.")]) as server:
        events = list(session(server, bundle, reader).start(QUESTION))
    assert observed(events)[0].startswith("ERROR: ")
    assert isinstance(events[-1], Failed)


def test_a_call_written_as_text_is_run_and_never_the_answer(bundle: GraphBundle, reader: Reader) -> None:
    call = json.dumps({"name": "ExecuteSPARQL", "arguments": {"sparql": CAPITAL}})
    with FaultyModelServer([completion(f"<tool_call>{call}</tool_call>"), completion("Paris.")]) as server:
        assert values(list(session(server, bundle, reader).start(QUESTION))[-1]) == ["http://ex.org/paris"]
    broken = completion("<tool_call>ExecuteSPARQL please</tool_call>")
    with FaultyModelServer([broken]) as server:
        failed = list(session(server, bundle, reader).start(QUESTION))[-1]
    assert isinstance(failed, Failed)
    assert "tool parser" in failed.reason


def test_many_rows_are_cut_for_the_model_and_stay_whole_for_the_user(bundle: GraphBundle, reader: Reader) -> None:
    every = "SELECT ?a ?b ?c WHERE { ?a a ?t . ?b a ?u . ?c a ?v }"
    with FaultyModelServer([run(every), completion("Those.")]) as server:
        answer = list(session(server, bundle, reader).start("What stands beside what?"))[-1]
    assert isinstance(answer, Answered)
    assert len(answer.rows) > 10_000
    told = server.chats[1]["messages"][-1]["content"]
    assert len(told) < 20_000
    assert f"{len(answer.rows):,}" in told


def test_a_literal_of_two_megabytes_is_cut_for_the_model_alone(bundle: GraphBundle, reader: Reader) -> None:
    long = f'SELECT (REPLACE("{"a" * 2000}", "a", "{"b" * 1000}") AS ?x) WHERE {{}}'
    with FaultyModelServer([run(long), completion("That.")]) as server:
        answer = list(session(server, bundle, reader).start("What is long?"))[-1]
    assert [len(v) for v in values(answer)] == [2_000_000]
    assert len(server.chats[1]["messages"][-1]["content"]) < 5_000


@pytest.mark.parametrize("plugin", [True, False])
def test_asking_before_any_search_is_told_what_to_do_first(bundle: GraphBundle, reader: Reader, plugin: bool) -> None:
    with FaultyModelServer([ASK, run(CAPITAL), completion("Paris.")]) as server:
        events = list(session(server, bundle, reader, no_plugin=not plugin).start(QUESTION))
    assert not any(isinstance(e, Asked) for e in events)
    told = server.chats[1]["messages"][-1]["content"]
    assert ("No question is needed" if plugin else "Search the nodes first") in told
    assert values(events[-1]) == ["http://ex.org/paris"]


def test_asking_in_plain_text_is_no_answer(bundle: GraphBundle, reader: Reader) -> None:
    search = completion("", [("SearchNodes", {"name": "Springfield"})])
    with FaultyModelServer([search, completion("Which Springfield do you mean?")]) as server:
        failed = list(session(server, bundle, reader).start(SPRINGFIELD))[-1]
    assert isinstance(failed, Failed)
    assert [m["content"][:5] for m in server.chats[2]["messages"] if m["role"] == "user"][-1] == "Call "


def test_asking_the_same_thing_again_is_refused_and_ends_the_turn(bundle: GraphBundle, reader: Reader) -> None:
    search = completion("", [("SearchNodes", {"name": "Springfield"})])
    with FaultyModelServer([search, ASK]) as server:
        held = session(server, bundle, reader)
        assert isinstance(list(held.start(SPRINGFIELD))[-1], Asked)
        events = list(held.resume("the one in Missouri"))
    assert not any(isinstance(e, Asked) for e in events), "a settled slot is not asked about again"
    assert events[-1] == Failed("steps", "The model repeated one call and was stopped.")
    assert len(server.chats) == 5
