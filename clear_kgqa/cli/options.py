"""The options that several commands share, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Kg = Annotated[
    str | None,
    typer.Option(
        "--kg",
        metavar="SPEC",
        help="demo (default), a name added with `kg add`, a file, or a SPARQL endpoint's URL.",
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="SPEC",
        help="offline (default), or a model of an OpenAI-compatible server (OPENAI_API_KEY).",
    ),
]
BaseUrl = Annotated[str | None, typer.Option("--base-url", metavar="URL", help="The model server, or OPENAI_BASE_URL.")]
Strategy = Annotated[str | None, typer.Option("--strategy", metavar="NAME", help="clear (default) or interactive.")]
Session = Annotated[str | None, typer.Option("--session", metavar="ID", help="Go on with a saved conversation.")]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="S", help="Seconds for the question, your replies not counted."),
]
AsJson = Annotated[bool | None, typer.Option("--json", help="Print one JSON object.")]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Read settings from this file instead of your own."),
]
Mode = Annotated[str | None, typer.Option("--mode", metavar="strict|lenient", help="How values are compared; strict.")]
Questions = Annotated[
    Path | None, typer.Option("--questions", metavar="FILE", help="JSON Lines: id, question, sparql ...")
]
RunFolder = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="The run folder; the same command resumes it.")
]
Concurrency = Annotated[int | None, typer.Option("--concurrency", metavar="N", help="Questions at once.")]
Limit = Annotated[int | None, typer.Option("--limit", metavar="N", help="The first N questions.")]
