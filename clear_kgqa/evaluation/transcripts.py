"""transcripts.jsonl: one JSON object a question, appended and synced, readable after a kill at any moment."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from clear_kgqa.events import Event
from clear_kgqa_tools.errors import ConfigError

NAME = "transcripts.jsonl"
_MOST_ITEMS = 200

Record = dict[str, Any]


class Transcripts:
    """The transcripts of a run folder, open for appending by one process at a time.

    Opening drops a last line that a kill has torn. `ends` tells for every recorded id how it ended.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / NAME
        self._file: BinaryIO = self.path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise ConfigError(f"another process is writing to {folder}") from None
        self._drop_torn_line()
        self.ends: dict[str, str] = {r["id"]: r["end"] for r in _lines(self.path)}

    def append(self, record: Record) -> None:
        """Write one record and wait until it is on disk."""
        self._file.write(json.dumps(record).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.ends[record["id"]] = record["end"]

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Transcripts:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _drop_torn_line(self) -> None:
        size = end = self._file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - 65536)
            self._file.seek(start)
            if (at := self._file.read(end - start).rfind(b"\n")) >= 0:
                end = start + at + 1
                break
            end = start
        if end < size:
            self._file.truncate(end)


def _lines(path: Path) -> Iterator[Record]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return  # being written, or torn by a kill
            try:
                yield json.loads(line)
            except ValueError as error:
                raise ConfigError(f"{path}:{number}: not JSON ({error})") from error


def read_transcripts(folder: Path) -> Iterator[Record]:
    """The last record of every id; raises ConfigError where the folder holds no run."""
    path = folder / NAME
    if not path.is_file():
        raise ConfigError(f"{folder} holds no {NAME}")
    last = {record["id"]: number for number, record in enumerate(_lines(path))}
    for number, record in enumerate(_lines(path)):
        if last[record["id"]] == number:
            yield record


def event_json(event: Event) -> dict[str, Any]:
    """An event as `events.to_json` has it, its lists cut (several times faster than cutting them afterwards)."""
    return {"event": type(event).__name__.lower(), **shortened(event)}


def shortened(value: Any) -> Any:
    """A JSON value with lists cut to 200 items: a transcript keeps the whole answer in `answers` alone."""
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, dict):
        return {name: shortened(v) for name, v in value.items()}
    if isinstance(value, list | tuple):
        return [shortened(v) for v in value[:_MOST_ITEMS]]
    return {f.name: shortened(getattr(value, f.name)) for f in fields(value)}
