"""Run folders and labelled items as records, each source with its licence and the consent to train on it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clear_kgqa.evaluation.transcripts import NAME, read_transcripts
from clear_kgqa_tools.errors import ConfigError

PERMISSION = "training.json"


@dataclass(frozen=True, slots=True)
class Source:
    """A run folder or chat session whose owner allowed training on it."""

    folder: Path
    licence: str
    consent: str
    manifest: dict[str, Any] = field(default_factory=dict)

    def records(self) -> Iterator[dict[str, Any]]:
        """Transcripts in file order; one that says `"training": false` is left out."""
        for record in read_transcripts(self.folder):
            if record.get("training", True):
                yield record


def open_source(folder: Path) -> Source:
    """A run folder marked as allowed. Raises ConfigError where it holds no transcripts or is not marked.

    The mark is `training.json` in the folder, or `training` in its manifest: {"allowed": true, "licence":
    "...", "consent": "who agreed, or: simulated users"}.
    """
    if not (folder / NAME).is_file():
        raise ConfigError(f"{folder} holds no {NAME}")
    manifest = _object(folder / "manifest.json")
    mark = _object(folder / PERMISSION) or manifest.get("training") or {}
    if mark.get("allowed") is not True or not mark.get("licence") or not mark.get("consent"):
        raise ConfigError(
            f"{folder} is not marked as allowed for training: put {PERMISSION} into it with "
            '{"allowed": true, "licence": "...", "consent": "..."}'
        )
    return Source(folder, mark["licence"], mark["consent"], manifest)


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
