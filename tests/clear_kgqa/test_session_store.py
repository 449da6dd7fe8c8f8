"""What is kept of conversations comes back as it was, to their owner alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.events import (
    Answered,
    Asked,
    Candidate,
    Event,
    Failed,
    Observation,
    Replied,
    Score,
    Scored,
    Thought,
    ToolCall,
    Usage,
)
from clear_kgqa.session_store import SessionStore, gone_on_with, private_file
from clear_kgqa.settings import Settings
from clear_kgqa_tools.errors import ConfigError

ASKED = Clarification(
    "c1", "entity:x", "entity", "Which X?", (Option("ex:a", "X", share=0.5, readings=(1, 2)),), (3, 4)
)
EVENTS: list[Event] = [
    Thought("hm", True),
    ToolCall("1", "SearchNodes", {"name": "X"}),
    Observation("1", "SearchNodes", "text", [{"iri": "ex:a"}], "hint"),
    Scored((Score("entity:x", "entity", 0.9, 0.6, (Candidate("ex:a", "X", 0.5, {"label": 1.0}),)),), 0.1, 0.2, 0.3, ({"p": 1},)),
    Asked(ASKED),
    Replied("c1", "1", "options", ("X",)),
    Answered("select", ("x", "y"), (({"iri": "ex:a"}, None),), ({"iri": "ex:a", "label": "X"},), None, "SELECT", "line", "X.", True, 0.5),
    Failed("empty", "nothing", ("SELECT",), "line"),
    Usage(10, 3, 0.25),
]  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    made = SessionStore(tmp_path / "data")
    yield made
    made.close()


def test_events_come_back_equal(store: SessionStore) -> None:
    store.begin_turn("s", "demo", 0, "first?", "first?")
    store.begin_turn("s", "demo", 1, "and its x?", "a's x?")
    for event in EVENTS:
        store.record("s", 1, event)
    first, second = store.turns("s")
    assert {type(event) for event in EVENTS} == set(get_args(Event))
    assert first.events == [] and second.events == EVENTS
    assert (second.question, second.asked) == ("and its x?", "a's x?")


def test_a_damaged_file_is_the_users_to_move(tmp_path: Path) -> None:
    (tmp_path / "sessions.sqlite").write_text("not a database, whatever its name says")
    with pytest.raises(ConfigError, match=r"cannot be opened .*: move .*sessions\.sqlite away"):
        SessionStore(tmp_path)


def test_notes_come_back_between_the_events_they_came_between(store: SessionStore) -> None:
    store.begin_turn("s", "demo", 0, "q", "q")
    store.record("s", 0, EVENTS[0])
    store.note("s", 0, "(remembered)")
    store.record("s", 0, EVENTS[-1])
    store.note("s", 0, "end")
    (turn,) = store.turns("s")
    assert list(turn.told()) == [EVENTS[0], "(remembered)", EVENTS[-1], "end"]
    assert turn.events == [EVENTS[0], EVENTS[-1]]


def test_sessions_are_found_by_any_of_their_questions(store: SessionStore) -> None:
    for session, questions in {"a": ["Who is 100% Foo?", "and its x?"], "b": ["What_is"], "c": ["other"]}.items():
        for turn, question in enumerate(questions):
            store.begin_turn(session, "demo", turn, question, question)
    assert [e.id for e in store.sessions()] == ["c", "b", "a"]
    assert [e.id for e in store.sessions("ITS")] == ["a"]
    assert [e.id for e in store.sessions("0%")] == ["a"] and [e.id for e in store.sessions("t_i")] == ["b"]
    entry = store.session("a")
    assert entry is not None and (entry.title, entry.turns) == ("Who is 100% Foo?", 2)
    store.delete("a")
    assert store.session("a") is None and store.turns("a") == []
    assert store.questions() == ["What_is", "other"]


def test_files_belong_to_their_owner_alone(store: SessionStore, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        loose = tmp_path / "loose"
        loose.write_text("")
        loose.chmod(0o666)
        store.begin_turn("s", "demo", 0, "q", "q")
        store.checkpointer().setup()
        files = [private_file(loose), *(tmp_path / "data").iterdir()]
        assert {stat.S_IMODE(f.stat().st_mode) for f in files} == {0o600}
    finally:
        os.umask(before)


def test_going_on_with_a_session_opens_its_graph(store: SessionStore) -> None:
    store.begin_turn("s", "films", 0, "q", "q")
    assert gone_on_with(Settings(session="s"), store).kg == "films"
    assert gone_on_with(Settings(session="s", kg="other"), store).kg == "other"
    assert gone_on_with(Settings(), store).kg == "demo"
    with pytest.raises(ConfigError, match="no saved conversation 't'"):
        gone_on_with(Settings(session="t"), store)
