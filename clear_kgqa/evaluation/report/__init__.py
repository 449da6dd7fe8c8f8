"""Reports over run folders: one self-contained HTML page, Markdown or CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clear_kgqa.evaluation.report.csv_table import csv_text
from clear_kgqa.evaluation.report.markdown import markdown_text
from clear_kgqa.evaluation.report.page import write_page
from clear_kgqa.evaluation.report.runs import Run, load_runs
from clear_kgqa.evaluation.values import Mode
from clear_kgqa_tools.errors import ConfigError


def report(folders: Sequence[Path], out: Path | None = None, mode: Mode | None = None) -> str:
    """Write the report of run folders to a .html, .md or .csv file, or return it as Markdown without one.

    Shards of one run are merged; of several runs each is compared with the first by paired bootstrap. `mode`
    is that of the first run's summary unless given. Raises ConfigError for folders without a run.
    """
    runs = load_runs(folders, mode)
    if out is None:
        return markdown_text(runs)
    write_report(runs, out)
    return ""


def write_report(runs: Sequence[Run], out: Path) -> None:
    """Write the report of loaded runs to a .html, .md or .csv file; raises ConfigError for another suffix."""
    kind = out.suffix.lower()
    if kind not in (".html", ".htm", ".md", ".csv"):
        raise ConfigError(f"{out}: a report is .html, .md or .csv")
    out.parent.mkdir(parents=True, exist_ok=True)
    if kind in (".html", ".htm"):
        write_page(runs, out)
    else:
        out.write_text(csv_text(runs) if kind == ".csv" else markdown_text(runs), encoding="utf-8")


__all__ = ["load_runs", "report", "write_report"]
