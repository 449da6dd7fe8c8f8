"""`finetune train`: setup, fit, validate, save. The same command resumes a run that was killed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from clear_kgqa.likelihood.adapter import AdapterCard
from clear_kgqa.likelihood.context import ContextStyle
from clear_kgqa.likelihood.weights import fingerprint, weights_fingerprint
from clear_kgqa_finetune.base_model import Base, add_adapter, load_base
from clear_kgqa_finetune.collect import data_hash
from clear_kgqa_finetune.recipe import Recipe, load_recipe
from clear_kgqa_finetune.sources import read_jsonl
from clear_kgqa_finetune.task import Task
from clear_kgqa_finetune.tiny import tiny_rows
from clear_kgqa_tools.errors import ConfigError

ADAPTER = "adapter"
RUN = "run.json"
METRICS = "metrics.json"
_ROWS = {"helper": "helper", "agent": "agent", "preference": "preference", "seq2seq": "sparql"}


def train(recipe: Recipe, out: Path, echo: Callable[[str], None]) -> dict[str, Any]:
    """Trains the recipe's adapter into OUT/adapter and returns the figures that go to OUT/metrics.json."""
    rows = load_rows(recipe)
    out.mkdir(parents=True, exist_ok=True)
    _same_run(recipe, out)
    if (out / METRICS).exists():
        echo(f"{out} is trained already; its figures:")
        figures: dict[str, Any] = json.loads((out / METRICS).read_text("utf-8"))
        return figures
    base = load_base(recipe, out)
    prints = fingerprint(base.model), weights_fingerprint(base.model)
    _same_weights(recipe, prints, out)
    task = _task(recipe, base, rows)
    echo(f"{len(task.train)} examples to train on, {len(task.valid)} to validate; ⟦ ⟧ mark what is supervised:")
    echo(task.shown)
    for what, count in task.counts.items():
        echo(f"{what}: {count}")
    model = add_adapter(base, recipe)
    return _fit_and_save(recipe, out, base, prints, model, task, echo)


def load_rows(recipe: Recipe) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Training and validation rows of the recipe's data folder. Raises ConfigError where there are none."""
    if recipe.data is None:
        if recipe.method != "helper":
            raise ConfigError(f"recipe {recipe.name} needs data: a folder made by `finetune data`")
        return tiny_rows()
    kind = _ROWS[recipe.method]
    train_rows, valid_rows = (read_jsonl(recipe.data / f"{kind}.{part}.jsonl") for part in ("train", "valid"))
    if not train_rows:
        raise ConfigError(f"{recipe.data} holds no {kind} rows to train on")
    return train_rows, valid_rows


def _task(recipe: Recipe, base: Base, rows: tuple[list[dict[str, Any]], list[dict[str, Any]]]) -> Task:
    method = import_module(f"clear_kgqa_finetune.{recipe.method}")
    task: Task = method.prepare(recipe, base.tokenizer, *rows)
    return task


def _same_run(recipe: Recipe, out: Path) -> None:
    """Notes what this run is made of, or checks that a run found in OUT is the same one."""
    now = {"recipe": recipe.model_dump(mode="json"), "data": data_hash(recipe.data) if recipe.data else ""}
    path = out / RUN
    if not path.exists():
        path.write_text(json.dumps(now, indent=1) + "\n", "utf-8")
    elif {name: value for name, value in json.loads(path.read_text("utf-8")).items() if name in now} != now:
        raise ConfigError(f"{out} holds a run of another recipe or other data; give another --out")


def _same_weights(recipe: Recipe, prints: tuple[str, str], out: Path) -> None:
    """Notes which weights the run trains on, or checks that those of a run to resume are the same."""
    path = out / RUN
    noted = json.loads(path.read_text("utf-8"))
    if "base_weights" not in noted:
        path.write_text(json.dumps({**noted, "base_weights": prints}, indent=1) + "\n", "utf-8")
    elif tuple(noted["base_weights"]) != prints:
        raise ConfigError(f"{out} holds a run that began on other weights of {recipe.base}; give another --out")


def _fit_and_save(
    recipe: Recipe,
    out: Path,
    base: Base,
    prints: tuple[str, str],
    model: Any,
    task: Task,
    echo: Callable[[str], None],
) -> dict[str, Any]:
    from clear_kgqa_finetune.fit import fit
    from clear_kgqa_finetune.plot import plot_losses

    trainer, figures = fit(recipe, out, model, task, echo)
    trainer.save_model(str(out / ADAPTER))
    if not trainer.is_world_process_zero():
        return figures
    _tidy(out / ADAPTER, recipe)
    figures |= task.validate(trainer.accelerator.unwrap_model(trainer.model).eval())
    base.tokenizer.save_pretrained(out / ADAPTER)
    stop = base.tokenizer.eos_token or "" if recipe.method != "helper" else ""
    AdapterCard(
        recipe.base,
        prints[0],
        recipe.method,
        _context_style(recipe),
        recipe.context_tokens,
        stop_token=stop,
        verdict=recipe.method == "helper" and recipe.helper.verdict,
        weights_fingerprint=prints[1],
    ).write(out / ADAPTER)
    history = trainer.state.log_history
    (out / "losses.json").write_text(json.dumps(history, indent=1) + "\n", "utf-8")
    plot_losses(history, out / "loss.png", recipe.name, echo)
    (out / METRICS).write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    return figures


def _tidy(adapter: Path, recipe: Recipe) -> None:
    """Leaves safetensors and the recipe's name for its base: no pickle, no empty form, no path of this
    machine.
    """
    for name in ("training_args.bin", "README.md"):
        (adapter / name).unlink(missing_ok=True)
    path = adapter / "adapter_config.json"
    config = {**json.loads(path.read_text("utf-8")), "base_model_name_or_path": recipe.base}
    path.write_text(json.dumps(config, indent=1) + "\n", "utf-8")


def _context_style(recipe: Recipe) -> ContextStyle:
    """How the data's contexts look, so that scoring writes them alike."""
    card = recipe.data / "card.json" if recipe.data else None
    style: ContextStyle = json.loads(card.read_text("utf-8"))["context_style"] if card and card.exists() else "full"
    return style


if __name__ == "__main__":  # for accelerate launch and torchrun
    train(load_recipe(sys.argv[1]), Path(sys.argv[2]), print)
