"""`clear-kgqa icl`: the published experiment on choosing examples for in-context learning."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clear_kgqa.cli import options
from clear_kgqa.cli.output import say
from clear_kgqa.cli.stage_bar import StageBar
from clear_kgqa_tools.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clear_kgqa.evaluation.samples import Sample
    from clear_kgqa.examples.icl_report import IclReport
    from clear_kgqa.settings import Settings
    from clear_kgqa_tools.similarity import Similarity

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help="Compare ways to choose examples for in-context learning, by BLEU and F1 on triples.")
def icl(
    train: Annotated[
        Path | None, typer.Option("--train", metavar="FILE", help="The examples: questions with sparql, JSON Lines.")
    ] = None,
    test: Annotated[Path | None, typer.Option("--test", metavar="FILE", help="The questions to write for.")] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="SPEC",
            help="A Hugging Face model: id, folder, .gguf or smollm2-135m, with +ADAPTER beside its base; repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="For the report; the same command resumes.")
    ] = None,
    selectors: Annotated[
        str | None, typer.Option("--selectors", metavar="LIST", help="Of fr, ss, str and stss; all by default.")
    ] = None,
    shots: Annotated[
        str | None, typer.Option("--shots", metavar="LIST", help="Numbers of examples; 0,1,3 by default.")
    ] = None,
    gold_types: Annotated[
        bool | None, typer.Option("--gold-types", help="Add rows that know the gold query's type: an upper bound.")
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            "--encoder",
            metavar="MODEL",
            help="Compare questions by this model's encoder states (the paper's: google/flan-t5-base).",
        ),
    ] = None,
    readable: Annotated[
        bool | None, typer.Option("--readable", help="Show the labels of --kg in queries in place of IRIs.")
    ] = None,
    kg: options.Kg = None,
    limit: options.Limit = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="For all that is random.")] = None,
    config: options.Config = None,
) -> None:
    """Replies are kept in the folder of --out, so that a run that was stopped goes on."""
    from clear_kgqa.examples.icl_report import write_report
    from clear_kgqa.settings import load_settings, needed

    settings = load_settings(
        config, train=train, test=test, out=out, selectors=selectors, shots=shots, gold_types=gold_types,
        encoder=encoder, readable=readable, kg=kg, limit=limit, seed=seed,
    )  # fmt: skip
    specs = model or [settings.model]
    if specs == ["offline"]:
        raise ConfigError("icl needs a Hugging Face model: --model MODEL (an id, a folder, a .gguf or smollm2-135m)")
    folder = needed(settings, "out")
    report = _report(settings, specs)
    write_report(report, folder)
    say(report.markdown().rstrip())
    say(f"\nWritten to {folder}")


def _report(settings: Settings, specs: list[str]) -> IclReport:
    from clear_kgqa.evaluation.samples import read_samples
    from clear_kgqa.examples.icl import models_of, run_icl
    from clear_kgqa.examples.selectors import strategies_in
    from clear_kgqa.settings import needed

    chosen, shots = strategies_in(settings.selectors), _numbers(settings.shots)
    given = read_samples(needed(settings, "train")), read_samples(needed(settings, "test"))[: settings.limit]
    examples, questions, prefixes = _shown(settings, *given)
    with StageBar() as bar:
        return run_icl(
            examples, questions, models_of(specs), _similarity(settings), strategies=chosen, shots=shots,
            prefixes=prefixes, gold_types=settings.gold_types, seed=settings.seed, cache=needed(settings, "out"),
            progress=lambda cell, done, of: bar(cell, done / of, f"{done}/{of}"),
        )  # fmt: skip


def _shown(
    settings: Settings, examples: Sequence[Sample], questions: Sequence[Sample]
) -> tuple[Sequence[Sample], Sequence[Sample], Mapping[str, str] | None]:
    """The samples as a model sees them, and the prefixes that shorten their IRIs."""
    if not settings.readable:
        return examples, questions, None
    from clear_kgqa.cli.opening import opened_graph
    from clear_kgqa.examples.readable import readable_samples
    from clear_kgqa.nlkgq.wrapper import NAMESPACE

    with opened_graph(settings) as bundle:
        shown = readable_samples([*examples, *questions], bundle)
    return shown[: len(examples)], shown[len(examples) :], {"": NAMESPACE}


def _similarity(settings: Settings) -> Similarity:
    from clear_kgqa_tools.catalog import data_folder
    from clear_kgqa_tools.similarity import load_similarity

    if not settings.encoder:
        return load_similarity(cache=data_folder() / "models")
    from clear_kgqa.examples.encoder_state import EncoderState

    return EncoderState(settings.encoder)


def _numbers(text: str) -> list[int]:
    """The numbers of a list such as 0,1,3; raises ConfigError."""
    if not all(part.strip().isdecimal() for part in text.split(",")):
        raise ConfigError(f"--shots {text}: write numbers with commas between them, such as 0,1,3")
    return [int(part) for part in text.split(",")]
