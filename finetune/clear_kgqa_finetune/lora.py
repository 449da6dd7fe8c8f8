"""The `finetune` commands as plain functions; torch and its friends load only when one of them runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from clear_kgqa.likelihood.context import ContextStyle
from clear_kgqa_tools.errors import ConfigError

Echo = Callable[[str], None]


SYSTEM_TOKENS = 1500  # what the system prompt may take of a training dialogue


def data(
    runs: Sequence[str | Path], out: Path, items: Path | None = None, kg: str = "",
    context_style: ContextStyle = "full", valid_share: float = 0.1, seed: int = 0, echo: Echo = print,
) -> dict[str, Any]:  # fmt: skip
    """Makes training data from run folders and chat sessions marked as allowed, and from labelled items over the graph `kg`.

    With `kg` dialogues also get the system prompt that the agent has on that graph. `context_style` is how a helper's
    candidates are described.

    Returns the card that also goes to OUT/card.json. Raises ConfigError.
    """
    from clear_kgqa_finetune.collect import collect

    if not 0 <= valid_share < 1:
        raise ConfigError("the share kept for validation must be at least 0 and below 1")
    if not kg:
        return collect(runs, out, items, None, context_style, "", valid_share, seed, echo)
    from functools import partial

    from clear_kgqa.agent.prompts import Prompts
    from clear_kgqa.likelihood.describe import describe
    from clear_kgqa_tools.open_bundle import open_bundle

    bundle = open_bundle(kg)
    try:
        system = Prompts(bundle).system(SYSTEM_TOKENS)
        return collect(runs, out, items, partial(describe, bundle), context_style, system, valid_share, seed, echo)
    finally:
        bundle.close()


def train(
    recipe: str,
    out: Path | None = None,
    data: Path | None = None,
    base: str | None = None,
    echo: Echo = print,
) -> dict[str, Any]:
    """Trains a recipe (a shipped name or a YAML file) into OUT, by default `finetuned/NAME`; resumes what it
    finds there.

    `data` and `base` replace the recipe's own. Returns the figures that also go to OUT/metrics.json. Raises
    ConfigError.
    """
    from clear_kgqa_finetune.recipe import load_recipe

    loaded = load_recipe(recipe)
    changes = {name: value for name, value in (("data", data), ("base", base)) if value is not None}
    loaded = loaded.model_copy(update=changes)
    needs_training_packages()
    from clear_kgqa_finetune.train import train as run

    figures = run(loaded, out or Path("finetuned") / loaded.name, echo)
    for name, value in figures.items():
        echo(f"{name}: {value}")
    return figures


def check(folder: Path, base: str | None = None, echo: Echo = print) -> None:
    """Checks a trained adapter against its base; raises ConfigError with what is wrong."""
    needs_training_packages()
    from clear_kgqa_finetune.check import check_adapter

    for line in check_adapter(folder, base):
        echo(line)


def merge(folder: Path, out: Path, base: str | None = None, echo: Echo = print) -> None:
    """Writes base and adapter as one model of plain safetensors into OUT. Raises ConfigError."""
    needs_training_packages()
    from clear_kgqa_finetune.merge import merge_adapter

    merge_adapter(folder, out, base)
    echo(f"merged model in {out}")


def needs_training_packages() -> None:
    """Raises ConfigError where the extra `finetune` is not installed."""
    from importlib.util import find_spec

    missing = [name for name in ("torch", "transformers", "peft", "accelerate") if find_spec(name) is None]
    if missing:
        raise ConfigError(f"fine-tuning needs {', '.join(missing)}: pip install 'clear-kgqa[finetune]'")
