# ruff: noqa: E402 (imports follow the checks for optional packages)
from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from clear_kgqa_finetune.baseline import question_only_auroc
from clear_kgqa_finetune.ranking import auroc
from clear_kgqa_finetune.scoring import need_loss, normalised_entropy


def test_the_need_loss_by_hand() -> None:
    sums = torch.tensor([-10.0, -14.0, -11.0])  # the best is one nat ahead of the second
    assert float(need_loss(sums, 1, margin=3.0)) == pytest.approx(math.log1p(math.exp(-2)))
    assert float(need_loss(sums, 0, margin=3.0)) == pytest.approx(math.log1p(math.exp(2)))


def test_its_slope_is_bounded_where_candidates_are_equal() -> None:
    sums = torch.tensor([-10.0, -10.0001], requires_grad=True)
    need_loss(sums, 0, margin=1.5).backward()
    assert sums.grad is not None and float(sums.grad.abs().max()) <= 1.0


def test_normalised_entropy() -> None:
    assert float(normalised_entropy(torch.zeros(4).log_softmax(0))) == pytest.approx(1.0)
    assert float(normalised_entropy(torch.tensor([0.0, -60.0]).log_softmax(0))) == pytest.approx(0.0, abs=1e-6)


def test_auroc_counts_ties_half() -> None:
    assert auroc([1, 0, 1, 0], [0.9, 0.1, 0.8, 0.2]) == 1.0
    assert auroc([1, 0], [0.5, 0.5]) == 0.5
    assert auroc([1, 1, 0, 0], [3, 1, 2, 0]) == 0.75
    assert math.isnan(auroc([1, 1], [0.1, 0.2]))


def test_wording_that_gives_the_label_away_is_seen() -> None:
    rows = [{"question": f"{word} is it {n}?", "label": y} for n in range(9) for word, y in (("which", 1), ("when", 0))]
    assert question_only_auroc(rows, rows) == {"auroc_question_only": 1.0}
    assert question_only_auroc([], rows) == {}
