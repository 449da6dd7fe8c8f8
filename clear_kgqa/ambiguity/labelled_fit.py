"""Baselines of labelled items by cross-validation: a regression over the evidence, and the wording alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clear_kgqa.ambiguity.compatibility import Compatibility
from clear_kgqa.ambiguity.labelled import LabelledItem, templates
from clear_kgqa.evaluation.calibration import grouped_folds
from clear_kgqa.readings.paths import Doubles
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.nodes import Node

FOLDS = 5


def trained_scores(
    bundle: GraphBundle, items: Sequence[LabelledItem], nodes: Sequence[Sequence[Node]], folds: int = FOLDS
) -> list[float]:
    """The chance of a label by logistic regression over the evidence of compatibility, fitted on the other folds.

    No fold shares a template or a pair of candidates with another. Raises ConfigError where all share one.
    """
    compatibility = Compatibility(bundle)
    open_ = np.array([len(own) > 1 for own in nodes], bool)
    rows = [
        compatibility.evidence(i.question, own) if len(own) > 1 else {} for i, own in zip(items, nodes, strict=True)
    ]
    names = max(rows, key=len)
    x = _expanded(np.array([[row.get(n, 0.0) for n in names] for row in rows]))
    fold = _folds(items, templates(items, nodes), folds)
    if len(set(fold.tolist())) < 2:
        raise ConfigError("these items share their candidates or their wording: there is nothing to fit on")
    y = np.array([item.label for item in items], np.float64)
    out = np.zeros(len(items))
    for k in range(folds):
        mean, spread = x[fold != k].mean(axis=0), x[fold != k].std(axis=0) + 1e-9
        w = logistic((x[fold != k] - mean) / spread, y[fold != k])
        out[fold == k] = _chance((x[fold == k] - mean) / spread, w)
    return list(map(float, out * open_))


def _expanded(x: Doubles) -> Doubles:
    """Evidence with its squares and products: two kinds of evidence that disagree say less than their sum."""
    n = x.shape[1]
    return np.column_stack([x, *(x[:, i] * x[:, j] for i in range(n) for j in range(i, n))])


def _folds(
    items: Sequence[LabelledItem], told: Sequence[str], folds: int, by_template: bool = True
) -> NDArray[np.intp]:
    """Folds kept apart by pair of candidates, and by template as well or not."""
    pairs: list[Hashable] = [frozenset(i.candidates) for i in items]
    return grouped_folds([(p, t) if by_template else (p,) for p, t in zip(pairs, told, strict=True)], folds)


def logistic(x: Doubles, y: Doubles, reg: float = 3.0, steps: int = 30) -> Doubles:
    """Weights of a ridge logistic regression, the bias last, by Newton's method: (features + 1,)."""
    x = np.column_stack([x, np.ones(len(x))])
    ridge = np.full(x.shape[1], reg)
    ridge[-1] = 1e-6
    w = np.zeros(x.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        step = np.linalg.solve((x.T * (p * (1 - p))) @ x + np.diag(ridge), x.T @ (y - p) - ridge * w)
        w = w + step
        if float(np.abs(step).max()) < 1e-8:
            break
    return w


def _chance(x: Doubles, w: Doubles) -> Doubles:
    result: Doubles = 1 / (1 + np.exp(-np.clip(x @ w[:-1] + w[-1], -30, 30)))
    return result


def wording_alone(items: Sequence[LabelledItem], nodes: Sequence[Sequence[Node]], by_template: bool) -> list[float]:
    """Log odds of a label from the masked question alone (naive Bayes over words and word pairs), cross-validated.

    Folds are kept apart by pair of candidates, and by template as well or not: where the two differ much, templates
    give the label away.
    """
    told = templates(items, nodes)
    terms = [{*text.split(), *map(" ".join, pairwise(text.split()))} for text in told]
    fold = _folds(items, told, FOLDS, by_template)
    out = np.zeros(len(items))
    for k in range(FOLDS):
        counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        for item, own, f in zip(items, terms, fold, strict=True):
            if f != k:
                counts[item.label].update(own)
        out[fold == k] = [_log_odds(own, *counts) for own, f in zip(terms, fold, strict=True) if f == k]
    return list(map(float, out))


def _log_odds(terms: set[str], no: Counter[str], yes: Counter[str]) -> float:
    size = len(no | yes)
    totals = no.total() + size, yes.total() + size
    return sum(math.log((yes[t] + 1) / totals[1]) - math.log((no[t] + 1) / totals[0]) for t in terms) if size else 0.0
