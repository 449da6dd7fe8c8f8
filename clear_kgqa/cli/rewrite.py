"""`clear-kgqa rewrite`: unambiguous questions from gold queries and recorded dialogues."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clear_kgqa.cli import options
from clear_kgqa.cli.batch import opened_run
from clear_kgqa.cli.output import say
from clear_kgqa_tools.errors import ConfigError

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help="Make questions unambiguous, from their gold queries and dialogues.")
def rewrite(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A run folder, whose dialogues are used.")
    ] = None,
    gold_only: Annotated[
        Path | None, typer.Option("--gold-only", metavar="FILE", help="A questions file, without dialogues.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Questions to write.")] = None,
    kg: options.Kg = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    config: options.Config = None,
) -> None:
    """By templates offline, or by the model of --model."""
    from clear_kgqa.evaluation.rewrite import rewrite_file
    from clear_kgqa.settings import load_settings, needed

    settings = load_settings(config, out=out, kg=kg, model=model, base_url=base_url)
    source = folder or gold_only
    if source is None or (folder and gold_only):
        raise ConfigError("give a run folder, or a questions file with --gold-only")
    target = needed(settings, "out")
    with opened_run(settings) as opened:
        if settings.model == "offline":
            changed = rewrite_file(source, target, opened.graph)
        else:
            from clear_kgqa.agent.chat_model import chat_model

            changed = rewrite_file(source, target, opened.graph, chat_model(settings))
    say(f"{changed:,} questions changed; all written to {target}")
