"""Preference tuning: corrected turns over the failed ones they replaced (direct preference optimisation)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clear_kgqa_finetune.agent import check_supervised, fits
from clear_kgqa_finetune.chat import IGNORED, Example, encode_turn, marked
from clear_kgqa_finetune.packing import padded
from clear_kgqa_finetune.recipe import Recipe
from clear_kgqa_finetune.task import Task, Tensors
from clear_kgqa_tools.errors import ConfigError

Pair = tuple[Example, Example]


def prepare(recipe: Recipe, tokenizer: Any, train: Sequence[dict[str, Any]], valid: Sequence[dict[str, Any]]) -> Task:
    """Rows with `messages`, `tools`, and the `chosen` and `rejected` assistant turn after them."""
    counts = {"pairs dropped as too long": 0}

    def encoded(rows: Sequence[dict[str, Any]]) -> list[Pair]:
        out = []
        for row in rows:
            chosen, rejected = (
                check_supervised(encode_turn(tokenizer, row["messages"], row[name], row["tools"]))
                for name in ("chosen", "rejected")
            )
            if fits([chosen, rejected], recipe):
                out.append((chosen, rejected))
            else:
                counts["pairs dropped as too long"] += 1
        return out

    def collate(batch: Sequence[Pair]) -> Tensors:
        return padded([e[side] for side in (0, 1) for e in batch], tokenizer.pad_token_id)

    pairs, held_out = encoded(train), encoded(valid)
    if not pairs:
        raise ConfigError(f"every pair is longer than max_tokens = {recipe.max_tokens}")
    shown = "\n".join(
        f"{name}: {marked(tokenizer, e)}" for name, e in zip(("chosen", "rejected"), pairs[0], strict=True)
    )
    lengths = [max(len(e.ids) for e in pair) for pair in pairs]
    return Task(pairs, held_out, collate, lambda model, batch: loss(model, batch, recipe.beta), shown, lengths, counts)


def loss(model: Any, batch: Tensors, beta: float) -> Any:
    """-log sigmoid(beta * (gain of the chosen turn - gain of the rejected)); the reference is the base
    without adapter.
    """
    import torch

    policy = turn_log_likelihood(model, batch)
    with torch.no_grad(), model.disable_adapter():
        reference = turn_log_likelihood(model, batch)
    chosen, rejected = (policy - reference).chunk(2)
    return -torch.nn.functional.logsigmoid(beta * (chosen - rejected)).mean()


def turn_log_likelihood(model: Any, batch: Tensors) -> Any:
    """For each row the sum of its supervised tokens' log-probabilities, in nats."""
    import torch

    logits = model(input_ids=batch["input_ids"], use_cache=False).logits[:, :-1]
    targets = batch["labels"][:, 1:]
    losses = torch.nn.functional.cross_entropy(
        logits.float().flatten(0, 1), targets.flatten(), ignore_index=IGNORED, reduction="none"
    )
    return -losses.view(targets.shape).sum(1)
