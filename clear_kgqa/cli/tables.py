"""`clear-kgqa tables`: all of a dataset's tables by one command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from clear_kgqa.cli import options
from clear_kgqa.cli.batch import batch, shown_on
from clear_kgqa.cli.output import say

if TYPE_CHECKING:
    from clear_kgqa.evaluation.run import Progress

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help="Run all of a dataset's tables into one report.")
def tables(
    kg: options.Kg = None,
    questions: options.Questions = None,
    out: options.RunFolder = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    concurrency: options.Concurrency = None,
    limit: options.Limit = None,
    config: options.Config = None,
) -> None:
    """Main comparison, clarifications, rewrites, thresholds, ablations and error classes; resumable."""
    given = locals().copy()
    from clear_kgqa.evaluation.tables import tables as run_tables

    with batch(given) as (what, opened):

        def told(name: str, now: Progress) -> None:
            shown_on(opened.bar, name)(now)

        page = run_tables(what, opened.strategies, opened.graph, told)
    say(f"written to {page}; report.md and report.csv stand beside it")
