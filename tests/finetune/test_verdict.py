# ruff: noqa: E402 (imports follow the checks for optional packages)
"""The helper as a judge: its loss by hand, the kept lower layers, and its score after training."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path

import pytest
import yaml

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("peft")
pytest.importorskip("accelerate")

from clear_kgqa.likelihood.hf import HuggingFaceLikelihood
from clear_kgqa.likelihood.tokens import fit_log_odds, padded_batch, tokenize_verdict, verdict_ids
from clear_kgqa_finetune import lora
from clear_kgqa_finetune.base_model import add_adapter, load_base
from clear_kgqa_finetune.frozen_layers import FrozenLayers
from clear_kgqa_finetune.recipe import Recipe, load_recipe
from clear_kgqa_finetune.tiny import tiny_rows
from clear_kgqa_finetune.verdict import two_fit, verdict_loss
from clear_kgqa_tools.errors import ConfigError


def verdict_recipe(**changes: object) -> Recipe:
    """tiny-cpu with verdicts, an adapter on the last of its two layers."""
    recipe = load_recipe("tiny-cpu").model_dump(mode="json")
    return Recipe.model_validate({**recipe, "helper": {"verdict": True}, "lora": {"top_layers": 1}, **changes})


def chances(odds: list[float]) -> tuple[float, float]:
    """That exactly one fits, and that two or more do, by adding up all cases."""
    p = [1 / (1 + math.exp(-z)) for z in odds]
    found = [0.0, 0.0, 0.0]
    for case in product((0, 1), repeat=len(p)):
        found[min(sum(case), 2)] += math.prod(q if fits else 1 - q for q, fits in zip(p, case, strict=True))
    return found[1], found[2]


@pytest.mark.parametrize("odds", [[2.0, -1.0], [2.0, -1.0, 0.5], [-3.0, -4.0, -5.0, -6.0]])
def test_a_clarification_is_needed_where_two_fit(odds: list[float]) -> None:
    one, more = chances(odds)
    assert two_fit(torch.tensor(odds, dtype=torch.float64)) == pytest.approx(math.log(more / one))
    for need, chance in ((0, one), (1, more)):
        assert float(verdict_loss(torch.tensor(odds), -1, need, None)) == pytest.approx(-math.log(chance), abs=1e-4)


def test_the_gold_candidate_must_fit_and_beat_the_others() -> None:
    odds = torch.tensor([2.0, -1.0])
    listwise, fits = math.log(1 + math.exp(-3)), math.log(1 + math.exp(-2))
    assert float(verdict_loss(odds, 0, -1, None)) == pytest.approx(listwise + fits)


@pytest.mark.parametrize("need", [0, 1])
@pytest.mark.parametrize("count", [2, 3])
def test_a_certain_verdict_has_a_finite_slope(need: int, count: int) -> None:
    odds = torch.tensor([90.0] * count, requires_grad=True)
    verdict_loss(odds, -1, need, None).backward()
    assert odds.grad is not None and bool(torch.isfinite(odds.grad).all())


def test_kept_lower_layers_change_neither_scores_nor_slopes(tmp_path: Path) -> None:
    recipe = verdict_recipe()
    base = load_base(recipe, tmp_path)
    model = add_adapter(base, recipe)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "lora_B" in name:
                weight.normal_(std=0.1)
    texts = ("Arl (city). has mayor", "B. has nothing at all"), ("Who?", "What is the length?")
    batch = padded_batch([tokenize_verdict(base.tokenizer, c, q, 40) for c in texts[0] for q in texts[1]], 3)
    verdict, frozen = verdict_ids(base.tokenizer), FrozenLayers(1)
    slopes = []
    for score in (fit_log_odds, frozen.fit_log_odds, frozen.fit_log_odds):  # the second time from what was kept
        odds = score(model, batch, verdict)
        model.zero_grad()
        odds.square().sum().backward()
        slopes.append((odds.detach(), {n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}))
    for odds, slope in slopes[1:]:
        assert torch.allclose(odds, slopes[0][0], atol=1e-5)
        assert slope.keys() == slopes[0][1].keys()
        assert all(torch.allclose(slope[name], slopes[0][1][name], atol=1e-4) for name in slope)


def test_more_top_layers_than_there_are_is_an_error(tmp_path: Path) -> None:
    recipe = verdict_recipe(lora={"top_layers": 2})
    file = tmp_path / "recipe.yaml"
    file.write_text(yaml.safe_dump(recipe.model_dump(mode="json", exclude_none=True)))
    with pytest.raises(ConfigError, match="top_layers: 2 does not fit"):
        lora.train(str(file), tmp_path / "out", echo=lambda line: None)


def test_a_judge_is_trained_saved_and_used(tmp_path: Path) -> None:
    file = tmp_path / "recipe.yaml"
    recipe = verdict_recipe(max_steps=30, epochs=9, learning_rate=0.02)
    file.write_text(yaml.safe_dump(recipe.model_dump(mode="json", exclude_none=True)))
    metrics = lora.train(str(file), tmp_path / "out", echo=lambda line: None)
    losses = [e["loss"] for e in json.loads((tmp_path / "out" / "losses.json").read_text()) if "loss" in e]
    assert sum(losses[-6:]) < 0.8 * sum(losses[:6])
    assert {"auroc", "auroc_base", "accuracy"} <= set(metrics)
    helper = HuggingFaceLikelihood(f"{tmp_path / 'out' / 'base'}+{tmp_path / 'out' / 'adapter'}")
    row = tiny_rows()[1][0]
    scores = helper.score(row["question"], row["contexts"])
    assert all(score < 0 for score in scores)
    assert helper.score(row["question"], row["contexts"][:1]) == pytest.approx(scores[:1], abs=1e-4)
