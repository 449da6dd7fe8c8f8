"""`clear-kgqa finetune`: training data from recorded dialogues, LoRA adapters, checks and merged models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from clear_kgqa.cli.output import say
from clear_kgqa_tools.errors import ConfigError

if TYPE_CHECKING:
    from clear_kgqa.likelihood.context import ContextStyle

app = typer.Typer(
    add_completion=False, rich_markup_mode=None, help="Fine-tune the helper and the agent on recorded dialogues (LoRA)."
)

STYLES = ("full", "properties", "fits")

Run = Annotated[str, typer.Argument(metavar="RUN", help="A run folder, or the id of a saved conversation.")]
Trained = Annotated[Path, typer.Argument(metavar="DIR", help="What `finetune train` wrote.")]
Base = Annotated[
    str | None, typer.Option("--base", metavar="MODEL", help="In place of the base the recipe names: id, folder, GGUF.")
]


@app.command("allow", help="Mark a run folder or a saved conversation as allowed for training.")
def allow(
    run: Run,
    licence: Annotated[str, typer.Option("--licence", metavar="NAME", help="Under which licence it may be used.")] = "",
    consent: Annotated[str, typer.Option("--consent", metavar="WHO", help="Who agreed.")] = "",
) -> None:
    """The mark goes with the data: its licence and consent are written into everything made of it."""
    from clear_kgqa_finetune.sources import allow as mark

    say(f"{run} may be used for training ({mark(run, licence, consent)})")


@app.command("data", help="Make training data from runs and conversations that are allowed, or from labelled items.")
def data(
    runs: Annotated[
        list[str] | None, typer.Argument(metavar="RUN...", help="Run folders, or ids of saved conversations.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Where the data goes.")] = None,
    items: Annotated[
        Path | None, typer.Option("--items", metavar="FILE", help="Also labelled items: question, candidates, label.")
    ] = None,
    kg: Annotated[
        str, typer.Option("--kg", metavar="SPEC", help="The graph, for the agent's prompt and for candidates.")
    ] = "",
    style: Annotated[
        str, typer.Option("--style", metavar="|".join(STYLES), help="How a helper's candidates are described.")
    ] = "full",
    valid_share: Annotated[float, typer.Option("--valid-share", metavar="SHARE", help="Kept for validation.")] = 0.1,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="For the split.")] = 0,
) -> None:
    """Rows about the same graph entity or of the same wording stay on one side of the split."""
    from clear_kgqa_finetune import lora

    if out is None:
        raise ConfigError("--out is missing: the folder that the data goes to")
    if not runs and items is None:
        raise ConfigError("name a run folder or a saved conversation, or labelled items with --items")
    if style not in STYLES:
        raise ConfigError(f"--style {style}: write {', '.join(STYLES)}")
    lora.data(runs or [], out, items, kg, cast("ContextStyle", style), valid_share, seed, say)


@app.command("train", help="Train the adapter of a recipe; the same command resumes a run that was killed.")
def train(
    recipe: Annotated[str, typer.Argument(metavar="RECIPE", help="A shipped recipe's name or a YAML file.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where the adapter goes: finetuned/RECIPE.")
    ] = None,
    data_folder: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help="In place of the data the recipe names.")
    ] = None,
    base: Base = None,
) -> None:
    """`tiny-cpu` needs no data."""
    from clear_kgqa_finetune import lora

    lora.train(recipe, out, data_folder, base, say)


@app.command("check", help="Check an adapter: right base, changed logits, one BOS, learnt stop token.")
def check(folder: Trained, base: Base = None) -> None:
    """The first check that does not hold ends with exit code 2."""
    from clear_kgqa_finetune import lora

    lora.check(folder, base, say)


@app.command("merge", help="Write base and adapter as one model, for servers and for GGUF export.")
def merge(
    folder: Trained,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Where the model goes.")] = None,
    base: Base = None,
) -> None:
    """bf16 safetensors with the tokenizer."""
    from clear_kgqa_finetune import lora

    if out is None:
        raise ConfigError("--out is missing: the folder that the merged model goes to")
    lora.merge(folder, out, base, say)
