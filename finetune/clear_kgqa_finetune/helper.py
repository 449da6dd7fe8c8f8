"""The helper: scores of a question after each candidate's context, which single out the right one and say when to
ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clear_kgqa.likelihood.tokens import Batch, TokenPair, padded_batch
from clear_kgqa_finetune.baseline import question_only_auroc
from clear_kgqa_finetune.ranking import auroc
from clear_kgqa_finetune.recipe import Recipe
from clear_kgqa_finetune.scoring import NONE, Scoring, likelihood_scoring
from clear_kgqa_finetune.task import Task, Tensors
from clear_kgqa_finetune.verdict import verdict_scoring
from clear_kgqa_tools.errors import ConfigError

_VALID_ROWS = 16


@dataclass(frozen=True, slots=True)
class Item:
    """The same question after each candidate's context; `gold` the right one's place, `need` the label (-1:
    unknown).
    """

    pairs: list[TokenPair]
    gold: int
    need: int


def prepare(recipe: Recipe, tokenizer: Any, train: Sequence[dict[str, Any]], valid: Sequence[dict[str, Any]]) -> Task:
    """Rows with `question`, `contexts`, and `gold` or `label`. Raises ConfigError for a row that teaches
    nothing.
    """
    scoring = _scoring(recipe, tokenizer)
    telling = [row for row in train if scoring.telling(row["contexts"])]
    if not telling:
        raise ConfigError("no helper row to train on: the contexts of each are all the same")
    items = [[_item(recipe, tokenizer, scoring, row) for row in rows] for rows in (telling, valid)]
    long = sum(
        len(tokenizer(c, add_special_tokens=False)["input_ids"]) > recipe.context_tokens
        for row in [*train, *valid]
        for c in row["contexts"]
    )

    def collate(batch: Sequence[Item]) -> Tensors:
        return _tensors(batch, tokenizer.pad_token_id)

    def validate(model: Any) -> dict[str, float]:
        return _figures(model, items[1], collate, scoring) | question_only_auroc(train, valid)

    return Task(
        items[0], items[1], collate, lambda model, batch: loss(model, batch, scoring),
        "\n".join(scoring.shown(tokenizer, pair) for pair in items[0][0].pairs),
        [_length(item) for item in items[0]],
        {"contexts cut": long, "rows dropped for equal contexts": len(train) - len(telling)}, validate,
    )  # fmt: skip


def _scoring(recipe: Recipe, tokenizer: Any) -> Scoring:
    if recipe.helper.verdict:
        return verdict_scoring(tokenizer, recipe.lora.top_layers)
    return likelihood_scoring(recipe.helper)


def _item(recipe: Recipe, tokenizer: Any, scoring: Scoring, row: dict[str, Any]) -> Item:
    contexts, gold, need = row["contexts"], row.get("gold"), row.get("label")
    if len(contexts) < 2 or (gold is None and need is None) or (gold is not None and not 0 <= gold < len(contexts)):
        raise ConfigError(f"a helper row needs two contexts and a gold or a label: {row['question'][:80]!r}")
    pairs = [scoring.tokenize(tokenizer, c, row["question"], recipe.context_tokens) for c in contexts]
    if not pairs[0].question:
        raise ConfigError(f"a helper row has no question token to learn from: {row['question'][:80]!r}")
    return Item(pairs, NONE if gold is None else gold, NONE if need is None else need)


def _length(item: Item) -> int:
    return max(len(pair.before) + len(pair.question) for pair in item.pairs)


def _tensors(items: Sequence[Item], pad_id: int) -> Tensors:
    import torch

    batch = padded_batch([pair for item in items for pair in item.pairs], pad_id)
    columns = {
        "sizes": [len(i.pairs) for i in items],
        "gold": [i.gold for i in items],
        "need": [i.need for i in items],
    }
    return {
        "input_ids": batch.ids, "attention_mask": batch.attention, "question": batch.question,
        **{name: torch.tensor(values) for name, values in columns.items()},
    }  # fmt: skip


def candidate_scores(model: Any, batch: Tensors, scoring: Scoring) -> list[Any]:
    """For each item of the batch a tensor with one score per candidate."""
    scores = scoring.scores(model, Batch(batch["input_ids"], batch["attention_mask"], batch["question"]))
    return list(scores.split(batch["sizes"].tolist()))


def loss(model: Any, batch: Tensors, scoring: Scoring) -> Any:
    """The scoring's loss over the items of the batch, per item."""
    lengths = batch["question"].sum(1).split(batch["sizes"].tolist())
    columns = batch["gold"].tolist(), batch["need"].tolist(), candidate_scores(model, batch, scoring), lengths
    losses = [scoring.loss(own, gold, need, length[0]) for gold, need, own, length in zip(*columns, strict=True)]
    return sum(losses) / len(losses)


def _figures(model: Any, items: Sequence[Item], collate: Any, scoring: Scoring) -> dict[str, float]:
    """AUROC of the need to ask for the label and accuracy of the choice, with the adapter and without it."""
    if not items:
        return {}
    items = sorted(items, key=_length)  # rows of similar length in a batch leave little to pad
    tuned = _evaluated(model, items, collate, scoring)
    with model.disable_adapter():
        base = _evaluated(model, items, collate, scoring)
    return {"n": len(items), **tuned, **{f"{name}_base": value for name, value in base.items()}}


def _evaluated(model: Any, items: Sequence[Item], collate: Any, scoring: Scoring) -> dict[str, float]:
    import torch

    scores: list[Any] = []
    with torch.inference_mode():
        for at in range(0, len(items), _VALID_ROWS):
            batch = collate(items[at : at + _VALID_ROWS])
            scores += [values.double().cpu() for values in candidate_scores(model, batch, scoring)]
    labelled = [(i.need, scoring.need(values)) for i, values in zip(items, scores, strict=True) if i.need != NONE]
    chosen = [int(values.argmax()) == i.gold for i, values in zip(items, scores, strict=True) if i.gold != NONE]
    figures = {"auroc": auroc(*zip(*labelled, strict=True))} if labelled else {}
    return figures | ({"accuracy": sum(chosen) / len(chosen)} if chosen else {})
