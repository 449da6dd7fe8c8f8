"""`clear-kgqa report`: run folders compared in one page or table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clear_kgqa.cli import options
from clear_kgqa.cli.output import say

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help="Report on run folders: one HTML page, Markdown or CSV.")
def report(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help=".html, .md or .csv; without it Markdown is shown."),
    ] = None,
    config: options.Config = None,
) -> None:
    """Shards of one run are merged; several runs are compared with the first."""
    from clear_kgqa.evaluation.report import report as write_report
    from clear_kgqa.settings import load_settings

    target = load_settings(config, out=out).out
    text = write_report(folders, target)
    say(text or f"written to {target}")
