"""`clear-kgqa score`: the metrics of anyone's predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clear_kgqa.cli import faults, options
from clear_kgqa.cli.output import complain, say_json

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help="Score a file of predictions against gold answers.")
def score(
    gold: Annotated[
        Path | None, typer.Option("--gold", metavar="FILE", help="JSON Lines: id, answers or boolean, type.")
    ] = None,
    predictions: Annotated[
        Path | None, typer.Option("--predictions", metavar="FILE", help="JSON Lines: id, answers or boolean.")
    ] = None,
    mode: options.Mode = None,
    config: options.Config = None,
) -> int:
    """Prints one JSON object; exit code 4 where there is nothing to score."""
    from clear_kgqa.evaluation.score import score as score_files
    from clear_kgqa.settings import load_settings, needed

    settings = load_settings(config, gold=gold, predictions=predictions, mode=mode)
    scored = score_files(needed(settings, "gold"), needed(settings, "predictions"), settings.mode)
    say_json(scored)
    if not scored["n"]:
        complain(f"nothing could be scored: {settings.gold} holds no question")
        return faults.NO_ANSWER
    return faults.ANSWERED
