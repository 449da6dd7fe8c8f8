"""A session with a model is recorded and replayed without it, byte for byte the same events."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from clear_kgqa.agent.recording import replay
from clear_kgqa.events import Answered, Asked, Event, Failed, Scored, to_json
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError

from .faulty_model_server import KEY, FaultyModelServer, Raw, completion

QUESTION = "What is the population of Springfield?"
RUN = {"sparql": "SELECT ?x WHERE { <http://ex.org/springfieldMO> <http://ex.org/population> ?x }"}
SCRIPT = [
    completion("I look.", [("SearchNodes", {"name": "Springfield"})]),
    completion("", [("AskForClarification", {"text": "Which?"})]),
    completion("", [("ExecuteSPARQL", "5")]),
    completion("", [("ExecuteSPARQL", RUN)]),
    completion("It has 170,000."),
]


def recorded(path: Path, bundle: GraphBundle, reader: Reader, script: list[Any], **given: Any) -> list[Event]:
    events: list[Event] = []
    with FaultyModelServer(list(script)) as server:
        chosen = {
            "model": "m",
            "base_url": server.url,
            "api_key": KEY,
            "protocol": "tools",
            "verify": False,
            "retries": 0,
        }
        session = make_session(bundle, Settings(**{**chosen, "record": path, **given}), reader=reader)
        events += session.start(QUESTION)
        if isinstance(events[-1], Asked):
            events += session.resume("the one in Missouri")
        events += session.start("What is the capital of France?")
        session.close()
    return events


def told(events: Iterable[Event]) -> bytes:
    return json.dumps([to_json(e) for e in events], default=str).encode()


@pytest.mark.parametrize(
    ("script", "given"),
    [
        (SCRIPT, {}),
        (SCRIPT, {"streaming": True}),
        (SCRIPT, {"strategy": "interactive", "verify": True}),
        ([SCRIPT[0], Raw(502, "x")], {}),
        ([completion('Answer: ["Paris"]')], {"strategy": "io"}),
        (
            [completion('France is in Europe.\nAnswer: ["Paris"]')],
            {"strategy": "cot", "price_in": 1.0, "price_out": 1.0},
        ),
    ],
)
def test_the_same_events_byte_for_byte(
    tmp_path: Path, bundle: GraphBundle, reader: Reader, script: list[Any], given: dict[str, Any]
) -> None:
    path = tmp_path / "recording.jsonl"
    events = recorded(path, bundle, reader, script, **given)
    assert isinstance(events[-1], Answered | Failed)
    assert told(replay(path, bundle, reader)) == told(events)
    assert KEY not in path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_a_follow_up_was_bound_to_is_recorded(tmp_path: Path, bundle: GraphBundle, reader: Reader) -> None:
    path = tmp_path / "recording.jsonl"
    bound = [("http://ex.org/springfieldIL", (0, 11))]
    with FaultyModelServer([SCRIPT[0], SCRIPT[3], SCRIPT[4]]) as server:
        chosen = {"model": "m", "base_url": server.url, "protocol": "tools", "verify": False, "record": path}
        session = make_session(bundle, Settings(**chosen), reader=reader)
        events = list(session.start("Springfield's population?", bound))
        session.close()
    assert not any(isinstance(e, Asked) for e in events)
    again = list(replay(path, bundle, reader))
    assert told(again) == told(events)
    scored = next(e for e in again if isinstance(e, Scored))
    assert max(scored.scores[0].candidates, key=lambda c: c.posterior).iri == bound[0][0]


def test_a_recorded_model_answers_the_same_question_by_hand(
    tmp_path: Path, bundle: GraphBundle, reader: Reader
) -> None:
    path = tmp_path / "recording.jsonl"
    recorded(path, bundle, reader, SCRIPT)
    session = make_session(bundle, Settings(model=f"replay:{path}", verify=False), reader=reader)
    assert isinstance(list(session.start(QUESTION))[-1], Asked)
    with pytest.raises(ConfigError, match="does not fit: reply 3"):
        list(session.resume("the one in Illinois"))


def test_what_is_no_recording_or_of_other_data(tmp_path: Path, bundle: GraphBundle, reader: Reader) -> None:
    path = tmp_path / "recording.jsonl"
    with pytest.raises(ConfigError, match="cannot read the recording"):
        list(replay(path, bundle))
    path.write_text("[]\n")
    with pytest.raises(ConfigError, match="is not a recording"):
        list(replay(path, bundle))
    with pytest.raises(ConfigError, match="File exists"):
        recorded(path, bundle, reader, SCRIPT)
    other = tmp_path / "other.jsonl"
    recorded(other, bundle, reader, SCRIPT)
    other.write_text(other.read_text(encoding="utf-8").replace(bundle.data_hash, "0" * 64), encoding="utf-8")
    with pytest.raises(ConfigError, match="over other data"):
        list(replay(other, bundle, reader))
    with pytest.raises(ConfigError, match="cannot record"):
        recorded(tmp_path / "none" / "x", bundle, reader, SCRIPT)
