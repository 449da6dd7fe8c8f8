"""`clear-kgqa thresholds`: the grid of entity and intent thresholds on a set of questions."""

from __future__ import annotations

import typer

from clear_kgqa.cli import options
from clear_kgqa.cli.batch import batch, shown_on
from clear_kgqa.cli.output import say

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help="Search the grid of entity and intent thresholds on a set of questions.")
def thresholds(
    kg: options.Kg = None,
    questions: options.Questions = None,
    out: options.RunFolder = None,
    concurrency: options.Concurrency = None,
    limit: options.Limit = None,
    config: options.Config = None,
) -> None:
    """The questions run once with a silent user; the grid is replayed from what was recorded."""
    given = locals().copy()
    from clear_kgqa.evaluation.threshold_search import search_thresholds

    with batch(given) as (what, opened):
        search_thresholds(what, opened.strategies({}), opened.graph, shown_on(opened.bar))
    say((what.out / "thresholds.md").read_text(encoding="utf-8").rstrip())
