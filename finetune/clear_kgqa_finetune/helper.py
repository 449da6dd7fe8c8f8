"""The helper: question log-likelihoods that single out the right candidate, and whose entropy says when to
ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clear_kgqa.likelihood.tokens import (
    Batch,
    TokenPair,
    padded_batch,
    question_log_likelihood,
    tokenize_pair,
)
from clear_kgqa_finetune.baseline import question_only_auroc
from clear_kgqa_finetune.ranking import auroc
from clear_kgqa_finetune.recipe import HelperLoss, Recipe
from clear_kgqa_finetune.task import Task, Tensors
from clear_kgqa_tools.errors import ConfigError

_VALID_ROWS = 16
NONE = -1


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
    telling = [row for row in train if len(set(row["contexts"])) > 1]
    if not telling:
        raise ConfigError("no helper row to train on: the contexts of each are all the same")
    items = [[_item(recipe, tokenizer, row) for row in rows] for rows in (telling, valid)]
    long = sum(
        len(tokenizer(c, add_special_tokens=False)["input_ids"]) > recipe.context_tokens
        for row in [*train, *valid]
        for c in row["contexts"]
    )

    def collate(batch: Sequence[Item]) -> Tensors:
        return _tensors(batch, tokenizer.pad_token_id)

    def validate(model: Any) -> dict[str, float]:
        return _figures(model, items[1], collate, recipe.helper.temperature) | question_only_auroc(train, valid)

    return Task(
        items[0], items[1], collate, lambda model, batch: loss(model, batch, recipe.helper),
        _shown(tokenizer, items[0][0]),
        [_length(item) for item in items[0]],
        {"contexts cut": long, "rows dropped for equal contexts": len(train) - len(telling)}, validate,
    )  # fmt: skip


def _item(recipe: Recipe, tokenizer: Any, row: dict[str, Any]) -> Item:
    contexts, gold, need = row["contexts"], row.get("gold"), row.get("label")
    if len(contexts) < 2 or (gold is None and need is None) or (gold is not None and not 0 <= gold < len(contexts)):
        raise ConfigError(f"a helper row needs two contexts and a gold or a label: {row['question'][:80]!r}")
    pairs = [tokenize_pair(tokenizer, c, row["question"], recipe.context_tokens) for c in contexts]
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


def log_likelihoods(model: Any, batch: Tensors) -> list[Any]:
    """For each item of the batch a tensor with one log-likelihood per candidate."""
    sums = question_log_likelihood(model, Batch(batch["input_ids"], batch["attention_mask"], batch["question"]))
    return list(sums.split(batch["sizes"].tolist()))


def loss(model: Any, batch: Tensors, weights: HelperLoss) -> Any:
    """The weighted sum of the listwise, need and likelihood losses over the items they apply to, per item."""
    import torch

    total = torch.zeros((), device=batch["input_ids"].device)
    lengths = batch["question"].sum(1).split(batch["sizes"].tolist())
    golds, needs = batch["gold"].tolist(), batch["need"].tolist()
    for sums, length, gold, need in zip(log_likelihoods(model, batch), lengths, golds, needs, strict=True):
        if gold != NONE:
            total = total - weights.listwise * (sums / weights.temperature).log_softmax(0)[gold]
        if need != NONE:
            total = total + weights.need * need_loss(sums, need, weights.margin)
        total = total - weights.likelihood * _explained(sums, gold, need) / length[0]
    return total / len(golds)


def need_loss(sums: Any, need: int, margin: float) -> Any:
    """Logistic loss of "the best candidate is less than `margin` nats ahead" for the label "needs clarification".

    Its slope is bounded. Cross-entropy of the entropy itself is not: items whose candidates are nearly equal then
    drown all others, and nothing is learnt (seen on CLAQUA).
    """
    import torch

    best, second = sums.topk(2).values
    ahead = best - second - margin
    return torch.nn.functional.softplus(ahead if need else -ahead)


def _explained(sums: Any, gold: int, need: int) -> Any:
    """The log-likelihood to raise: the gold candidate's; all of them where all fit; else the best."""
    if gold != NONE:
        return sums[gold]
    return sums.mean() if need else sums.max()


def normalised_entropy(log_p: Any) -> Any:
    """Entropy of a distribution over its maximum, 0 to 1 (methods.md, Ambiguity_E)."""
    import math

    return -(log_p.exp() * log_p).sum() / math.log(len(log_p))


def _figures(model: Any, items: Sequence[Item], collate: Any, temperature: float) -> dict[str, float]:
    """AUROC of the entropy for the label and accuracy of the choice, with the adapter and without it."""
    if not items:
        return {}
    items = sorted(items, key=_length)  # rows of similar length in a batch leave little to pad
    tuned = _evaluated(model, items, collate, temperature)
    with model.disable_adapter():
        base = _evaluated(model, items, collate, temperature)
    return {"n": len(items), **tuned, **{f"{name}_base": value for name, value in base.items()}}


def _evaluated(model: Any, items: Sequence[Item], collate: Any, temperature: float) -> dict[str, float]:
    import torch

    sums: list[Any] = []
    with torch.inference_mode():
        for at in range(0, len(items), _VALID_ROWS):
            batch = collate(items[at : at + _VALID_ROWS])
            sums += [values.double().cpu() for values in log_likelihoods(model, batch)]
    entropies = [float(normalised_entropy((values / temperature).log_softmax(0))) for values in sums]
    labelled = [(i.need, entropy) for i, entropy in zip(items, entropies, strict=True) if i.need != NONE]
    chosen = [int(values.argmax()) == i.gold for i, values in zip(items, sums, strict=True) if i.gold != NONE]
    figures = {"auroc": auroc(*zip(*labelled, strict=True))} if labelled else {}
    return figures | ({"accuracy": sum(chosen) / len(chosen)} if chosen else {})


def _shown(tokenizer: Any, item: Item) -> str:
    return "\n".join(f"{tokenizer.decode(p.before)}⟦{tokenizer.decode(p.question)}⟧" for p in item.pairs)
