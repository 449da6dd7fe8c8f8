"""MARS with a model server on loopback: structured output, tokens, faults, recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clear_kgqa.answer_json import answer_json
from clear_kgqa.events import Answered, Asked, Event, Failed, Usage
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import Session, make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from tests.clear_kgqa.agent.faulty_model_server import KEY, FaultyModelServer, completion, error

from .talk import EX, NO_CHANGE, query, rewritten

QUESTION = "What is the capital of France?"
CAPITAL = query(f"SELECT ?c WHERE {{ <{EX}france> <{EX}capital> ?c }}")
SCRIPT = [completion(text) for text in (rewritten(), CAPITAL, NO_CHANGE)]


def session(server: FaultyModelServer, bundle: GraphBundle, reader: Reader, **given: Any) -> Session:
    chosen: dict[str, Any] = {"model": "m", "base_url": server.url, "api_key": KEY, "retries": 0, **given}
    return make_session(bundle, Settings(strategy="mars", **chosen), reader=reader)


def values(event: Event) -> list[str]:
    assert isinstance(event, Answered), event
    return [v.get("iri", v.get("literal", "")) for v in event.values]


def test_the_server_is_given_the_schema_of_a_decision(bundle: GraphBundle, reader: Reader) -> None:
    with FaultyModelServer(list(SCRIPT)) as server:
        talk = session(server, bundle, reader)
        events = list(talk.start(QUESTION))
        talk.close()
    assert values(events[-1]) == [EX + "paris"]
    forms = [chat.get("response_format") for chat in server.chats]
    assert [form is not None for form in forms] == [False, True, False]
    schema = server.chats[1]["response_format"]["json_schema"]["schema"]
    assert set(schema["required"]) == {"thought", "expand", "sparql"}
    assert sum(e.sent + e.received for e in events if isinstance(e, Usage)) == 330 == talk.tokens
    told = answer_json(QUESTION, events, 0.0)
    assert told["answer"]["values"] == [{"iri": EX + "paris", "label": "Paris"}]
    assert json.loads(json.dumps(told))["sparql"].startswith("SELECT ?c")


def test_a_server_that_refuses_the_schema_is_asked_without(bundle: GraphBundle, reader: Reader) -> None:
    def strict(request: dict[str, Any]) -> Any:
        return error(400, "response_format json_schema is not supported") if "response_format" in request else SCRIPT[1]

    with FaultyModelServer([SCRIPT[0], strict, strict, SCRIPT[2], SCRIPT[0], strict, SCRIPT[2]]) as server:
        talk = session(server, bundle, reader)
        assert values(list(talk.start(QUESTION))[-1]) == [EX + "paris"]
        assert values(list(talk.start(QUESTION))[-1]) == [EX + "paris"]
        talk.close()
    assert ["response_format" in chat for chat in server.chats] == [False, True, *[False] * 5]


def test_a_server_that_fails_ends_the_turn(bundle: GraphBundle, reader: Reader) -> None:
    with FaultyModelServer([error(503, "overloaded")]) as server:
        talk = session(server, bundle, reader)
        failed = list(talk.start(QUESTION))[-1]
        talk.close()
    assert isinstance(failed, Failed)
    assert failed.kind == "endpoint"


def test_tokens_of_a_question_are_bounded(bundle: GraphBundle, reader: Reader) -> None:
    with FaultyModelServer(list(SCRIPT)) as server:
        talk = session(server, bundle, reader, token_budget=150)
        failed = list(talk.start(QUESTION))[-1]
        talk.close()
    assert isinstance(failed, Failed)
    assert (failed.kind, failed.reason) == ("limit", "The model took 220 tokens; token_budget allows 150.")
    assert len(server.chats) == 2


def test_a_recording_with_a_clarification_is_replayed(bundle: GraphBundle, reader: Reader, tmp_path: Path) -> None:
    from clear_kgqa.agent.recording import replay

    population = query(f"SELECT ?p WHERE {{ <{EX}springfieldMO> <{EX}population> ?p }}")
    with FaultyModelServer([completion(t) for t in (rewritten(), population, NO_CHANGE)]) as server:
        talk = session(server, bundle, reader, record=tmp_path / "recording")
        events = list(talk.start("What is the population of Springfield?"))
        assert isinstance(events[-1], Asked)
        events += list(talk.resume("the one in Missouri"))
        talk.close()
    assert values(events[-1]) == ["170000"]
    assert list(replay(tmp_path / "recording", bundle, reader)) == events
