"""`clear-kgqa import`: questions of a published benchmark in this project's format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clear_kgqa.cli import options
from clear_kgqa.cli.output import complain, say
from clear_kgqa_tools.errors import ConfigError

app = typer.Typer(add_completion=False, rich_markup_mode=None)

LISTED = 20


@app.command(help="Turn a published benchmark's file into questions for `evaluate`.")
def import_questions(
    name: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="webqsp, cwq, qald, lcquad1, lcquad2, simplequestions, text2sparql, claqua or dblpquad.",
        ),
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="JSON Lines to write.")] = None,
    config: options.Config = None,
) -> None:
    """What cannot be used is dropped, counted and listed."""
    from clear_kgqa.evaluation.importers import IMPORTERS
    from clear_kgqa.evaluation.samples import write_samples
    from clear_kgqa.settings import load_settings, needed

    if name not in IMPORTERS:
        raise ConfigError(f"there is no format {name!r}; there are {', '.join(IMPORTERS)}")
    target = needed(load_settings(config, out=out), "out")
    found = IMPORTERS[name](file)
    if not found.samples:
        why = f": {found.dropped[0].id}: {found.dropped[0].reason}" if found.dropped else ""
        raise ConfigError(f"{file} holds no {name} question that can be used{why}")
    try:
        write_samples(target, found.samples)
    except OSError as error:
        raise ConfigError(f"cannot write {target}: {error.strerror}") from None
    say(f"{len(found.samples):,} questions written to {target}, {len(found.dropped):,} dropped")
    for dropped in found.dropped[:LISTED]:
        complain(f"dropped {dropped.id}: {dropped.reason}")
    if len(found.dropped) > LISTED:
        complain(f"... and {len(found.dropped) - LISTED:,} more")
