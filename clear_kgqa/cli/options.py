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
Strategy = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        metavar="NAME",
        help="clear (default), interactive or mars; with a model also nlkgq, io, cot, and direct with hf:MODEL.",
    ),
]
Likelihood = Annotated[
    str | None, typer.Option("--likelihood", metavar="SPEC", help="offline (default), hf:MODEL or openai:MODEL.")
]
Language = Annotated[
    str | None,
    typer.Option("--language", metavar="LIST", help="Languages of names, the preferred first, such as de,en."),
]
Examples = Annotated[
    str | None,
    typer.Option(
        "--examples",
        metavar="SELECTOR:K",
        help="K worked examples in a model's prompt, chosen by fr, ss, str or stss.",
    ),
]
ExamplesFrom = Annotated[
    Path | None,
    typer.Option("--examples-from", metavar="FILE", help="What they are chosen from: questions with sparql."),
]
Ontology = Annotated[
    Path | None,
    typer.Option("--ontology", metavar="FILE", help="nlkgq: this ontology, not the one derived from the graph."),
]
OntologyTokens = Annotated[
    int | None,
    typer.Option("--ontology-tokens", metavar="N", help="nlkgq: what the ontology may take of the prompt."),
]
Wrapper = Annotated[
    Path | None,
    typer.Option("--wrapper", metavar="FILE", help="nlkgq: readable terms for the graph's own (kg info --wrapper)."),
]
Note = Annotated[
    str | None,
    typer.Option("--note", metavar="TEXT|FILE", help="nlkgq: what is particular to the domain."),
]
Services = Annotated[
    list[str] | None,
    typer.Option("--service", metavar="URL", help="nlkgq: an endpoint that the wrapper may call; repeatable."),
]
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
MarsWithout = Annotated[
    str | None,
    typer.Option(
        "--mars-without",
        metavar="STEPS",
        help="Leave out of mars: rewriting, enrichment, counts, classes, verification (several by commas).",
    ),
]
Concurrency = Annotated[int | None, typer.Option("--concurrency", metavar="N", help="Questions at once.")]
Limit = Annotated[int | None, typer.Option("--limit", metavar="N", help="The first N questions.")]
