"""CLAQUA as JSON Lines: dialogues with candidates and the intended one, or labels for the need to ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clear_kgqa.evaluation.importers.imported import Dropped, Imported, collect, text
from clear_kgqa.evaluation.samples import Sample, json_lines, sample_from
from clear_kgqa_tools.errors import ConfigError


def read(path: Path) -> Imported:
    """The questions of a CLAQUA file; `label` (0 or 1) becomes `needs_clarification`."""
    return collect(_questions(path))


def _questions(path: Path) -> Iterator[Sample | Dropped]:
    for where, data in json_lines(path):
        if not text(data.get("question")):
            yield Dropped(str(data.get("id", where)), "no question")
            continue
        if "needs_clarification" not in data and "label" in data:
            data = {**data, "needs_clarification": bool(data["label"])}
        kind = "multi-turn" if data.get("history") else "single-turn"
        yield _sample({"type": kind, "language": "en", **data}, where)


def _sample(data: dict[str, Any], where: str) -> Sample | Dropped:
    try:
        return sample_from(data, where)
    except ConfigError as error:
        return Dropped(str(data.get("id", where)), str(error))
