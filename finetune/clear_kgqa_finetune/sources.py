"""Run folders and chat sessions as records, each with its licence and the consent to train on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from clear_kgqa.evaluation.transcripts import NAME, event_json, read_transcripts
from clear_kgqa.session_store import SessionStore, data_folder
from clear_kgqa_tools.errors import ConfigError

PERMISSION = "training.json"

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Source:
    """A run folder or chat session whose owner allowed training on it; `read` gives its transcripts in order."""

    name: str
    licence: str
    consent: str
    read: Callable[[], Iterator[Record]]
    manifest: dict[str, Any] = field(default_factory=dict)

    def records(self) -> Iterator[Record]:
        """The transcripts; one that says `"training": false` is left out."""
        return (record for record in self.read() if record.get("training", True))


def open_source(run: str | Path) -> Source:
    """A run folder, or a chat session by its id, that is marked as allowed.

    The mark is written by `allow`; a run's manifest may hold it too, as `training`. Raises ConfigError where there is
    neither such a folder nor such a session, or no mark.
    """
    folder = Path(run)
    if folder.is_dir():
        if not (folder / NAME).is_file():
            raise ConfigError(f"{folder} holds no {NAME}; give a folder that `clear-kgqa evaluate` wrote")
        manifest = _object(folder / "manifest.json")
        mark = _object(folder / PERMISSION) or manifest.get("training") or {}
        return _allowed(str(run), folder.resolve().name, mark, partial(read_transcripts, folder), manifest)
    _known_session(str(run))
    return _allowed(str(run), str(run), _object(_session_mark(str(run))), partial(_session_records, str(run)), {})


def _allowed(
    run: str, name: str, mark: dict[str, Any], read: Callable[[], Iterator[Record]], manifest: dict[str, Any]
) -> Source:
    if mark.get("allowed") is not True or not mark.get("licence") or not mark.get("consent"):
        raise ConfigError(
            f"{run} is not marked as allowed for training: clear-kgqa finetune allow {run} --licence NAME --consent WHO"
        )
    return Source(name, mark["licence"], mark["consent"], read, manifest)


def allow(run: str | Path, licence: str, consent: str) -> Path:
    """Marks a run folder or chat session as allowed for training; the file that says so. Raises ConfigError."""
    if not licence.strip() or not consent.strip():
        raise ConfigError("say under which licence (--licence) and who agreed (--consent, or: simulated users)")
    folder = Path(run)
    if folder.is_dir() and not (folder / NAME).is_file():
        raise ConfigError(f"{folder} holds no {NAME}; give a folder that `clear-kgqa evaluate` wrote")
    if not folder.is_dir():
        _known_session(str(run))
    path = folder / PERMISSION if folder.is_dir() else _session_mark(str(run))
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_text(json.dumps({"allowed": True, "licence": licence, "consent": consent}) + "\n", "utf-8")
    return path


def _session_mark(session: str) -> Path:
    return data_folder() / "training" / f"{session}.json"


def _known_session(session: str) -> None:
    """Raises ConfigError where no saved conversation has this id."""
    if not (data_folder() / "sessions.sqlite").is_file() or not _stored(lambda store: store.session(session)):
        raise ConfigError(f"{session} is neither a run folder nor a saved conversation (the chat lists them: F3)")


def _session_records(session: str) -> Iterator[Record]:
    """Every turn of a saved conversation as a transcript of its own."""
    for at, turn in enumerate(_stored(lambda store: store.turns(session))):
        events = [event_json(event) for event in turn.events]
        yield {"id": f"{session}:{at}", "question": turn.asked, "events": events}


def _stored(read: Callable[[SessionStore], Any]) -> Any:
    store = SessionStore()
    try:
        return read(store)
    finally:
        store.close()


def _object(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        value = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ConfigError(f"{path} is not JSON: {error}") from error
    return value if isinstance(value, dict) else {}


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file. Raises ConfigError with the line that is wrong."""
    rows: list[dict[str, Any]] = []
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                rows.append(json.loads(line))
        except ValueError as error:
            raise ConfigError(f"{path}, line {number} is not JSON: {error}") from error
    return rows
