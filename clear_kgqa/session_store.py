"""Conversations on disk: LangGraph's checkpoints, a list of sessions, and the events of every turn, in one SQLite file."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import platformdirs

from clear_kgqa.clarification import Clarification
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
    to_json,
)
from clear_kgqa.followup import Bound
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.text import cut, one_line

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite import SqliteSaver

    from clear_kgqa.settings import Settings

SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, kg TEXT, title TEXT, updated REAL);
CREATE TABLE IF NOT EXISTS turns (session TEXT, turn INTEGER, question TEXT, asked TEXT, PRIMARY KEY (session, turn));
CREATE TABLE IF NOT EXISTS events (session TEXT, turn INTEGER, event TEXT);
CREATE INDEX IF NOT EXISTS events_of ON events (session, turn);
"""
_NOTE = "noted"
_KINDS: dict[str, type[Any]] = {
    kind.__name__.lower(): kind for kind in (Thought, ToolCall, Observation, Replied, Answered, Failed, Usage)
}


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One saved conversation: its id, the graph (`--kg`), the first question, and when it was last used (Unix seconds)."""

    id: str
    kg: str
    title: str
    updated: float
    turns: int = 0


@dataclass(slots=True)
class Turn:
    """One question and what came of it. `asked` is the question as it was put to the session.

    `notes` are remarks with the number of events before them; `bound` are nodes settled beforehand (not saved).
    """

    question: str
    asked: str
    events: list[Event] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    bound: Bound = ()

    def told(self) -> Iterator[Event | str]:
        """Events and notes in the order in which they came."""
        for at, event in enumerate(self.events):
            yield from (text for before, text in self.notes if before == at)
            yield event
        yield from (text for before, text in self.notes if before == len(self.events))

    def last(self, kind: type[Any]) -> Any:
        """The latest event of a kind, or None."""
        return next((e for e in reversed(self.events) if isinstance(e, kind)), None)


def data_folder() -> Path:
    """The user's data folder, where conversations and remembered choices are kept."""
    return platformdirs.user_data_path("clear-kgqa", appauthor=False)


def private_file(path: Path) -> Path:
    """Create the file, readable by its owner alone, before anything is written to it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    path.chmod(0o600)
    return path


class SessionStore:
    """The saved conversations of one folder; safe to call from several threads."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = private_file((folder or data_folder()) / "sessions.sqlite")
        self._db = sqlite3.connect(self.path, check_same_thread=False, timeout=10, isolation_level=None)
        try:
            self._db.executescript("PRAGMA journal_mode=WAL;" + SCHEMA)
        except sqlite3.DatabaseError as error:
            raise ConfigError(f"the saved conversations cannot be opened ({error}): move {self.path} away") from error
        self._lock = Lock()
        self._saver: SqliteSaver | None = None

    def checkpointer(self) -> SqliteSaver:
        """LangGraph's saver over the same file."""
        from langgraph.checkpoint.sqlite import SqliteSaver

        if self._saver is None:
            self._saver = SqliteSaver(sqlite3.connect(self.path, check_same_thread=False, timeout=10))
        return self._saver

    def _run(self, sql: str, *given: object) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(sql, given).fetchall()

    def sessions(self, search: str = "") -> list[SessionEntry]:
        """Saved conversations, latest first; `search` is looked for in every question asked."""
        like = "%" + search.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        rows = self._run(
            "SELECT s.id, s.kg, s.title, s.updated, COUNT(t.turn) FROM sessions s JOIN turns t ON t.session = s.id "
            "GROUP BY s.id HAVING SUM(t.question LIKE ? ESCAPE '\\') > 0 ORDER BY s.updated DESC",
            like,
        )
        return [SessionEntry(*row) for row in rows]

    def session(self, session: str) -> SessionEntry | None:
        """One saved conversation by its id."""
        return next((entry for entry in self.sessions() if entry.id == session), None)

    def begin_turn(self, session: str, kg: str, turn: int, question: str, asked: str) -> None:
        """Record a question as it is asked; the first one gives the conversation its title."""
        self._run(
            "INSERT INTO sessions VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET updated = excluded.updated",
            session, kg, cut(one_line(question), 200), time.time(),
        )  # fmt: skip
        self._run("INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?)", session, turn, question, asked)

    def record(self, session: str, turn: int, event: Event) -> None:
        """Append an event of a turn."""
        self._append(session, turn, to_json(event))

    def note(self, session: str, turn: int, text: str) -> None:
        """Append a remark to a turn."""
        self._append(session, turn, {"event": _NOTE, "text": text})

    def _append(self, session: str, turn: int, event: dict[str, Any]) -> None:
        text = json.dumps(event, ensure_ascii=False)
        self._run("INSERT INTO events VALUES (?, ?, ?)", session, turn, text)

    def turns(self, session: str) -> list[Turn]:
        """The turns of a conversation with their events, in order."""
        found = {n: Turn(q, a) for n, q, a in self._run(
            "SELECT turn, question, asked FROM turns WHERE session = ? ORDER BY turn", session
        )}  # fmt: skip
        for n, text in self._run("SELECT turn, event FROM events WHERE session = ? ORDER BY rowid", session):
            told, turn = json.loads(text), found[n]
            if told["event"] == _NOTE:
                turn.notes.append((len(turn.events), told["text"]))
            else:
                turn.events.append(event_from_json(told))
        return list(found.values())

    def questions(self, most: int = 200) -> list[str]:
        """Questions of all conversations, oldest first, repeats left out."""
        rows = self._run("SELECT question, MAX(rowid) r FROM turns GROUP BY question ORDER BY r DESC LIMIT ?", most)
        return [row[0] for row in reversed(rows)]

    def delete(self, session: str) -> None:
        """Remove a conversation with its checkpoints."""
        for table, column in (("events", "session"), ("turns", "session"), ("sessions", "id")):
            self._run(f"DELETE FROM {table} WHERE {column} = ?", session)
        self.checkpointer().delete_thread(session)

    def close(self) -> None:
        self._db.close()
        if self._saver is not None:
            self._saver.conn.close()


def gone_on_with(settings: Settings, store: SessionStore) -> Settings:
    """The settings for `--session ID`: its graph, unless another is named. Raises ConfigError for an unknown id."""
    if not settings.session:
        return settings
    entry = store.session(settings.session)
    if entry is None:
        raise ConfigError(f"there is no saved conversation {settings.session!r}; the chat lists them (F3)")
    named = settings.kg != type(settings).model_fields["kg"].default
    return settings if named else settings.model_copy(update={"kg": entry.kg})


def event_from_json(data: dict[str, Any]) -> Event:
    """The event that `events.to_json` wrote."""
    kind, fields = data["event"], {k: v for k, v in data.items() if k != "event"}
    if kind == "asked":
        return Asked(Clarification.from_json(fields["clarification"]))
    if kind == "scored":
        scores = tuple(_score(s) for s in fields["scores"])
        return Scored(**{**fields, "scores": scores, "readings": tuple(fields["readings"])})
    if kind == "answered":
        fields["rows"] = tuple(tuple(row) for row in fields["rows"])
    event: Event = _KINDS[kind](
        **{k: tuple(v) if isinstance(v, list) and kind != "observation" else v for k, v in fields.items()}
    )
    return event


def _score(data: dict[str, Any]) -> Score:
    return replace(Score(**data), candidates=tuple(Candidate(**c) for c in data["candidates"]))
