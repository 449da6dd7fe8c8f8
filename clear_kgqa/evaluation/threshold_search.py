"""`clear-kgqa thresholds`: the threshold grid of a question set from one silent run's recorded evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from clear_kgqa.evaluation.dialogue import MakeStrategy
from clear_kgqa.evaluation.manifest import write_json
from clear_kgqa.evaluation.report.markdown import table_text
from clear_kgqa.evaluation.report.runs import load_runs
from clear_kgqa.evaluation.report.svg import line_chart, threshold_series
from clear_kgqa.evaluation.report.tables import threshold_table
from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions, Progress, evaluate
from clear_kgqa.evaluation.thresholds import grid


def search_thresholds(
    options: EvaluateOptions,
    make_strategy: MakeStrategy,
    graph: EvaluateGraph,
    progress: Callable[[Progress], None] | None = None,
) -> dict[str, Any]:
    """Run (or resume) the questions with a silent user and replay the grid; no model runs for the grid.

    Beside the run folder's files `thresholds.json`, `.md` and `.svg` are written; returns the grid.
    """
    silent = replace(options, user="silent")
    evaluate(silent, make_strategy, graph, progress=progress)
    run = load_runs([options.out], options.mode)[0]
    found = grid(run.records())
    write_json(options.out / "thresholds.json", found)
    table = threshold_table(run, found)
    (options.out / "thresholds.md").write_text(table_text(table) + "\n", encoding="utf-8")
    chart = line_chart(threshold_series(found), "threshold (the other at 0.5)", "F1 and rounds")
    (options.out / "thresholds.svg").write_text(chart, encoding="utf-8")
    return found
