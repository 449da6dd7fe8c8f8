"""Speed of `finetune train` against a bare peft loop over the same batches, in one run.

Usage: python benchmarks/finetune.py [BASE] [STEPS] [ROUNDS] (default smollm2-135m 6 2;
PYTHONPATH=.:tools:finetune) Both train the same adapter with the same loss on the same batches of made-up helper
rows, whose lower layers are known from a first pass; they take turns. CPU seconds are printed beside wall-clock,
because they do not depend on what else the machine does.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any

import torch

from clear_kgqa_finetune.base_model import Base, add_adapter, load_base
from clear_kgqa_finetune.fit import fit, precision
from clear_kgqa_finetune.helper import prepare
from clear_kgqa_finetune.recipe import Recipe, load_recipe
from clear_kgqa_finetune.similar_lengths import SimilarLengths
from clear_kgqa_finetune.task import Task
from clear_kgqa_finetune.tiny import tiny_rows

Seconds = tuple[float, float]


def described_rows() -> list[Any]:
    """The 24 made-up rows with contexts of some 60 tokens, as CLAQUA's are."""
    more = ". One of several of that name, it was first mentioned in 1536 and lies in the north of its county near the border"
    return [{**row, "contexts": [context + more for context in row["contexts"]]} for row in tiny_rows()[0]]


def batches(task: Task, recipe: Recipe, steps: range) -> Iterator[Any]:
    """The batches that the Trainer sees in these steps."""
    order = list(SimilarLengths(task.lengths, recipe.batch_size, recipe.seed))
    for step in steps:
        rows = order[step * recipe.batch_size : (step + 1) * recipe.batch_size]
        yield task.collate([task.train[row] for row in rows])


def bare_loop(model: Any, task: Task, recipe: Recipe, steps: range) -> Seconds:
    """The shortest loop that trains the adapter: forward, backward, clip, step."""
    weights = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=recipe.learning_rate, weight_decay=recipe.weight_decay)
    model.train()
    wall, cpu = time.perf_counter(), time.process_time()
    for batch in batches(task, recipe, steps):
        with precision(recipe):
            loss = task.loss(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return time.perf_counter() - wall, time.process_time() - cpu


def trained(model: Any, task: Task, recipe: Recipe, steps: int) -> Seconds:
    """The project's loop: what the second `steps` steps cost, from loss to loss, so that set-up and saving do not count."""
    begun: list[Seconds] = []

    def noted(model: Any, batch: Any) -> Any:
        begun.append((time.perf_counter(), time.process_time()))
        return task.loss(model, batch)

    limited = recipe.model_copy(update={"max_steps": 2 * steps + 1, "save_steps": 3 * steps})
    with tempfile.TemporaryDirectory() as folder:
        fit(limited, Path(folder), model, replace(task, loss=noted), lambda line: None)
    first, last = begun[steps], begun[2 * steps]
    return last[0] - first[0], last[1] - first[1]


def main(base_spec: str = "smollm2-135m", steps: str = "6", rounds: str = "2") -> None:
    count = int(steps)
    with tempfile.TemporaryDirectory() as folder:
        changes = {"base": base_spec, "data": None}
        recipe = load_recipe("smollm2-135m-helper").model_copy(update=changes)
        base = load_base(recipe, Path(folder))
        rows = described_rows() * ceil((2 * count + 1) * recipe.batch_size / 24)
        task = prepare(recipe, base.tokenizer, rows, [])
        model = add_adapter(Base(base.model, base.tokenizer, base.source), recipe)
        bare_loop(model, task, recipe, range(2 * count))
        bare, ours = [], []
        for _ in range(int(rounds)):
            bare.append(bare_loop(model, task, recipe, range(count, 2 * count)))
            ours.append(trained(model, task, recipe, count))
    for name, runs in (("bare peft loop", bare), ("finetune train", ours)):
        wall, cpu = (median(run[at] for run in runs) / count for at in (0, 1))
        print(f"{name:15} {wall:7.3f} s/step  {cpu:7.3f} CPU s/step")
    ratios = [sum(run[at] for run in bare) / sum(run[at] for run in ours) for at in (0, 1)]
    print(f"speed of finetune train: {ratios[0]:.0%} of the bare loop, by CPU {ratios[1]:.0%}")


if __name__ == "__main__":
    main(*sys.argv[1:])
