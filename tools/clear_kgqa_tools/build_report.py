"""What a build reports and how it tells of its progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from clear_kgqa_tools import label_index_files

FORMAT = f"3 with labels {label_index_files.FORMAT}"
Progress = Callable[[str, float], None]
"""Gets a stage ("reading", "indexing", ...) and how far it is, 0 to 1."""


def unfinished(folder: Path) -> str:
    """How the names of a folder's temporary neighbours begin."""
    return f".{folder.name}.build-"


@dataclass(frozen=True)
class BuildReport:
    """What was built: counts, the sha256 of the data, and the lines that were skipped."""

    triples: int
    records: int
    data_hash: str
    profile: str
    bad_lines: int = 0
    bad_listed: list[str] = field(default_factory=list)


def silent(stage: str, fraction: float) -> None:
    """A Progress that shows nothing."""
