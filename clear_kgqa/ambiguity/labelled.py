"""Scorers against items labelled "needs a clarification or not": AUROC, calibration, and the floor of wording alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clear_kgqa.ambiguity.compatibility import masked_question
from clear_kgqa.ambiguity.recipes import Recipe
from clear_kgqa.evaluation.calibration import auroc_interval, brier, ece
from clear_kgqa.evaluation.samples import json_lines
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.nodes import Node


@dataclass(frozen=True, slots=True)
class LabelledItem:
    """A question with its candidates (IRIs) and whether it needs a clarification; `history` are earlier turns."""

    question: str
    candidates: tuple[str, ...]
    label: bool
    history: tuple[str, ...] = ()


def read_items(path: Path) -> list[LabelledItem]:
    """The items of a JSON Lines file; raises ConfigError naming the line that is wrong."""
    items = [_item(data, where) for where, data in json_lines(path)]
    if not items:
        raise ConfigError(f"{path} holds no items")
    return items


def _item(data: dict[str, Any], where: str) -> LabelledItem:
    question, candidates, history = data.get("question"), data.get("candidates"), data.get("history") or []
    if not isinstance(question, str) or not question.strip():
        raise ConfigError(f"{where}: `question` is missing or not a string")
    for name, value in (("candidates", candidates), ("history", history)):
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise ConfigError(f"{where}: `{name}` must be a list of strings")
    if data.get("label") not in (0, 1):
        raise ConfigError(f"{where}: `label` must be 0, 1, true or false")
    return LabelledItem(question, tuple(candidates or ()), bool(data["label"]), tuple(history))


def candidates_of(bundle: GraphBundle, items: Sequence[LabelledItem]) -> list[list[Node]]:
    """The candidates of each item as nodes; an IRI that the graph does not know stands for itself."""
    iris = list(dict.fromkeys(iri for item in items for iri in item.candidates))
    nodes = bundle.nodes.describe(iris)
    return [[nodes.get(iri) or Node(iri, iri) for iri in dict.fromkeys(item.candidates)] for item in items]


def scored(
    recipe: Recipe,
    items: Sequence[LabelledItem],
    nodes: Sequence[Sequence[Node]],
    told: Callable[[int], None] | None = None,
) -> list[float]:
    """The entity score of every item; `told(done)` hears of the progress."""
    scores = []
    for done, (item, own) in enumerate(zip(items, nodes, strict=True), 1):
        scores.append(recipe.entity(item.question, own).score)
        if told:
            told(done)
    return scores


def figures(items: Sequence[LabelledItem], scores: Sequence[float]) -> dict[str, float | int]:
    """The figures of scores 0..1 taken as chances that an item needs a clarification; intervals over pairs of candidates."""
    labels = [item.label for item in items]
    found = auroc_interval(labels, scores, [frozenset(item.candidates) for item in items])
    right = [(score > 0.5) == label for score, label in zip(scores, labels, strict=True)]
    values = {
        "auroc": found.mean, "auroc_low": found.low, "auroc_high": found.high, "brier": brier(labels, scores),
        "ece": ece(labels, scores), "accuracy": sum(right) / len(right),
    }  # fmt: skip
    return {**{name: round(float(value), 4) for name, value in values.items()}, "n": len(items)}


def templates(items: Sequence[LabelledItem], nodes: Sequence[Sequence[Node]]) -> list[str]:
    """The question of each item without the names of its candidates, folded: what many items share."""
    masked = [masked_question(i.question, [n.label for n in own]) for i, own in zip(items, nodes, strict=True)]
    return [" ".join(re.findall(r"\w+", text.casefold())) for text in masked]
