"""The agent: supervised fine-tuning on dialogues, loss on the assistant's turns only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clear_kgqa_finetune.chat import IGNORED, Example, Message, encode_dialogue, marked
from clear_kgqa_finetune.dialogues import with_short_observations, with_short_prompt
from clear_kgqa_finetune.packing import packed, padded, restarted_positions
from clear_kgqa_finetune.recipe import Recipe
from clear_kgqa_finetune.task import Task, Tensors
from clear_kgqa_tools.errors import ConfigError


def prepare(recipe: Recipe, tokenizer: Any, train: Sequence[dict[str, Any]], valid: Sequence[dict[str, Any]]) -> Task:
    """Rows with `messages` and `tools`. Raises ConfigError for a dialogue without a supervised token or too
    long.
    """
    counts = {"dialogues dropped as too long": 0, "observations shortened": 0}

    def encoded(rows: Sequence[dict[str, Any]]) -> list[Example]:
        out: list[Example] = []
        for row in rows:
            messages, tools = shortened(row, recipe)
            counts["observations shortened"] += sum(m["role"] == "tool" and m not in row["messages"] for m in messages)
            examples = [check_supervised(e) for e in encode_dialogue(tokenizer, messages, tools)]
            if fits(examples, recipe):
                out += examples
            else:
                counts["dialogues dropped as too long"] += 1
        return out

    examples, held_out = encoded(train), encoded(valid)
    if not examples:
        raise ConfigError(f"every dialogue is longer than max_tokens = {recipe.max_tokens}")
    shown = marked(tokenizer, examples[0])
    if recipe.packing:
        rows = packed(examples, recipe.max_tokens)
        lengths = [sum(len(e.ids) for e in row) for row in rows]
        collate_packed = _collate_packed(tokenizer.pad_token_id)
        return Task(rows, packed(held_out, recipe.max_tokens), collate_packed, loss, shown, lengths, counts)

    def collate(batch: Sequence[Example]) -> Tensors:
        return padded(batch, tokenizer.pad_token_id)

    return Task(examples, held_out, collate, loss, shown, [len(e.ids) for e in examples], counts)


def shortened(row: dict[str, Any], recipe: Recipe) -> tuple[list[Message], list[Any]]:
    """The messages and tools of a row as the recipe takes them."""
    messages, tools = row["messages"], row["tools"]
    if recipe.short_prompt:
        messages, tools = with_short_prompt(messages, tools)
    return with_short_observations(messages, recipe.observation_lines), tools


def check_supervised(example: Example) -> Example:
    """The example; raises ConfigError where no token of it is supervised."""
    if all(label == IGNORED for label in example.labels):
        raise ConfigError("a dialogue has no supervised token: it holds no assistant turn")
    return example


def fits(examples: Sequence[Example], recipe: Recipe) -> bool:
    """Whether all examples are short enough; a longer one is a ConfigError unless the recipe drops them."""
    longest = max(len(e.ids) for e in examples)
    if longest > recipe.max_tokens and not recipe.drop_long:
        raise ConfigError(
            f"a dialogue has {longest} tokens; max_tokens is {recipe.max_tokens} (or set drop_long: true)"
        )
    return longest <= recipe.max_tokens


def _collate_packed(pad_id: int) -> Any:
    def collate(batch: Sequence[list[Example]]) -> Tensors:
        joined = [Example([t for e in row for t in e.ids], [t for e in row for t in e.labels]) for row in batch]
        tensors = padded(joined, pad_id)
        # The model derives one block of attention per restart of the positions.
        return {**tensors, "position_ids": restarted_positions(batch, tensors["input_ids"].shape[1])}

    return collate


def loss(model: Any, batch: Tensors) -> Any:
    """Mean cross-entropy over the supervised tokens of the batch."""
    import torch

    targets = batch["labels"][:, 1:]
    at = (targets != IGNORED).any(0).nonzero()[:, 0]  # logits of other positions would be a quarter of the work
    inputs = {name: values for name, values in batch.items() if name != "labels"}
    logits, targets = model(**inputs, use_cache=False, logits_to_keep=at).logits, targets[:, at]
    kept = targets != IGNORED
    return torch.nn.functional.cross_entropy(logits[kept].float(), targets[kept])
