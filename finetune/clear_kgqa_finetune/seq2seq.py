"""Question in, SPARQL out: an encoder-decoder such as FLAN-T5, for the strategies that write the query
directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clear_kgqa_finetune.agent import check_supervised, fits
from clear_kgqa_finetune.chat import IGNORED, Example
from clear_kgqa_finetune.packing import padded
from clear_kgqa_finetune.recipe import Recipe
from clear_kgqa_finetune.task import Task, Tensors
from clear_kgqa_tools.errors import ConfigError

Pair = tuple[Example, Example]


def prepare(recipe: Recipe, tokenizer: Any, train: Sequence[dict[str, Any]], valid: Sequence[dict[str, Any]]) -> Task:
    """Rows with `input` and `output`. Raises ConfigError for an empty output or one too long."""
    counts = {"questions dropped as too long": 0}

    def encoded(rows: Sequence[dict[str, Any]]) -> list[Pair]:
        out = []
        for row in rows:
            source, target = (list(tokenizer(row[name])["input_ids"]) for name in ("input", "output"))
            pair = (
                Example(source, source),
                check_supervised(Example(target, target if row["output"] else [])),
            )
            if fits(pair, recipe):
                out.append(pair)
            else:
                counts["questions dropped as too long"] += 1
        return out

    def collate(batch: Sequence[Pair]) -> Tensors:
        source = padded([pair[0] for pair in batch], tokenizer.pad_token_id)
        target = padded([pair[1] for pair in batch], tokenizer.pad_token_id)
        return {
            "input_ids": source["input_ids"],
            "attention_mask": (source["labels"] != IGNORED).long(),
            "labels": target["labels"],
        }

    pairs, held_out = encoded(train), encoded(valid)
    if not pairs:
        raise ConfigError(f"every question is longer than max_tokens = {recipe.max_tokens}")
    shown = f"{tokenizer.decode(pairs[0][0].ids)} ⟦{tokenizer.decode(pairs[0][1].ids)}⟧"
    lengths = [len(source.ids) for source, _ in pairs]
    return Task(pairs, held_out, collate, lambda model, batch: model(**batch).loss, shown, lengths, counts)
