"""Runs read for a report: shards merged, numbers, curves, distributions and error classes of each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clear_kgqa.evaluation.bootstrap import Interval, paired
from clear_kgqa.evaluation.curves import curves
from clear_kgqa.evaluation.error_classes import error_classes
from clear_kgqa.evaluation.manifest import read_manifest
from clear_kgqa.evaluation.summary import NAME as SUMMARY
from clear_kgqa.evaluation.summary import Row, Summary, row_of, summarise
from clear_kgqa.evaluation.thresholds import grid, scored_of
from clear_kgqa.evaluation.transcripts import Record, read_transcripts
from clear_kgqa.evaluation.values import Mode
from clear_kgqa_tools.errors import ConfigError

_NOT_IDENTITY = ("shard", "versions", "resumed_with")


@dataclass
class Run:
    """One run (all its shards) with everything that a report shows of it."""

    name: str
    folders: list[Path]
    manifest: dict[str, Any]
    mode: Mode
    rows: list[Row]
    summary: Summary

    def records(self) -> Iterator[Record]:
        """The records of all shards, one at a time."""
        for folder in self.folders:
            yield from read_transcripts(folder)

    def curves(self) -> dict[str, Any]:
        """F1 against questions, replayed (see `curves`)."""
        return curves(self.records())

    def thresholds(self) -> dict[str, Any] | None:
        """The threshold grid; None where no scores were recorded."""
        found = grid(self.records())
        return found if found["items"] and any(self.distributions().values()) else None

    def distributions(self) -> dict[str, list[float]]:
        """Entity and intent scores before the first question, those of a single candidate (0) left out."""
        scored = [s for record in self.records() if (s := scored_of(record)) is not None]
        return {
            "entity": [s.entity for s in scored if s.entity],
            "intent": [s.intent for s in scored if s.intent],
        }

    def errors(self) -> dict[str, list[str]]:
        """The ids of wrongly answered questions per error class."""
        return error_classes(self.records(), self.mode)


def load_runs(folders: Sequence[Path], mode: Mode | None = None) -> list[Run]:
    """The runs of the folders in order, shards of one run merged; raises ConfigError where there is none."""
    if not folders:
        raise ConfigError("name at least one run folder")
    groups: dict[str, list[Path]] = {}
    for folder in folders:
        manifest = read_manifest(folder)
        key = json.dumps({k: v for k, v in manifest.items() if k not in _NOT_IDENTITY}, sort_keys=True)
        single = "" if manifest.get("shard") else str(folder)
        groups.setdefault(key + single, []).append(folder)
    chosen = mode or _mode_of(folders[0])
    return [_load(shards, chosen) for shards in _named(list(groups.values()))]


def _mode_of(folder: Path) -> Mode:
    try:
        mode = json.loads((folder / SUMMARY).read_text(encoding="utf-8")).get("mode")
    except (OSError, ValueError):
        mode = None
    return "lenient" if mode == "lenient" else "strict"


def _named(groups: list[list[Path]]) -> list[tuple[str, list[Path]]]:
    names = [_name(read_manifest(shards[0])) for shards in groups]
    return [
        (name if names.count(name) == 1 else f"{name} ({shards[0].name})", shards)
        for name, shards in zip(names, groups, strict=True)
    ]


def _name(manifest: dict[str, Any]) -> str:
    settings = manifest.get("settings") or {}
    parts = [settings.get("strategy", ""), settings.get("model", ""), manifest.get("user", "")]
    return ", ".join(str(part) for part in parts if part) or "run"


def _load(named: tuple[str, list[Path]], mode: Mode) -> Run:
    name, folders = named
    rows = [row_of(record, mode) for folder in folders for record in read_transcripts(folder)]
    return Run(name, folders, read_manifest(folders[0]), mode, rows, summarise(rows, mode=mode))


@dataclass(frozen=True, slots=True)
class Comparison:
    """F1 of a run minus that of another over the questions both scored, with its bootstrap interval."""

    name: str
    items: int
    difference: Interval


def compare(first: Run, second: Run) -> Comparison:
    """Paired bootstrap over gold entities of second - first."""
    held = {row.id: row for row in first.rows if row.scores}
    both = [(held[row.id], row) for row in second.rows if row.scores and row.id in held]
    before = [a.scores.f1 for a, _ in both if a.scores]
    after = [b.scores.f1 for _, b in both if b.scores]
    name = f"{second.name} - {first.name}"
    return Comparison(name, len(both), paired(before, after, [a.cluster for a, _ in both]))
