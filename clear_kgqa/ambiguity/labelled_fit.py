"""Labelled items by cross-validation: a regression over the evidence and the wording, and the wording alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clear_kgqa.ambiguity.compatibility import CompatibilityRecipe
from clear_kgqa.ambiguity.contexts import Contexts
from clear_kgqa.ambiguity.labelled import LabelledItem, scored, templates
from clear_kgqa.ambiguity.offline_likelihood import OfflineLikelihood
from clear_kgqa.evaluation.calibration import grouped_folds
from clear_kgqa.likelihood.protocol import LikelihoodScorer, context_style
from clear_kgqa.readings.paths import Doubles
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.nodes import Node

FOLDS = 5
_RIDGE, _EVIDENCE_RIDGE = 3.0, 100.0
_LEAST = 1e-3  # scores are kept that far from 0 and 1 before their log odds are taken


def trained_scores(
    bundle: GraphBundle,
    items: Sequence[LabelledItem],
    nodes: Sequence[Sequence[Node]],
    folds: int = FOLDS,
    likelihood: LikelihoodScorer | None = None,
) -> list[float]:
    """The chance of a label by logistic regression over the untrained score, its evidence and the wording, fitted on
    the other folds.

    No fold shares a template or a pair of candidates with another. The evidence is shrunk hard and the untrained score
    hardly, so that what training adds is a correction to it. A language model's scores of the two best candidates are
    evidence too, trusted like the untrained score. Raises ConfigError where all items share one fold.
    """
    told = templates(items, nodes)
    fold = _folds(items, told, folds)
    if len(set(fold.tolist())) < 2:
        raise ConfigError("these items share their candidates or their wording: there is nothing to fit on")
    x, y = _evidence(bundle, items, nodes), np.array([item.label for item in items], np.float64)
    ridge = np.array([*[_EVIDENCE_RIDGE] * (x.shape[1] - 1), _RIDGE, _RIDGE])
    if likelihood is not None:
        x = np.column_stack([_two_best(bundle, items, nodes, likelihood), x])
        ridge = np.array([_RIDGE, _RIDGE, *ridge])
    out = np.zeros(len(items))
    for k in range(folds):
        train = [i for i in range(len(items)) if fold[i] != k]
        test = [i for i in range(len(items)) if fold[i] == k]
        inner = _folds([items[i] for i in train], [told[i] for i in train], folds)
        seen = np.column_stack([x[train], _wording([told[i] for i in train], y[train], inner)])
        mean, spread = seen.mean(axis=0), seen.std(axis=0) + 1e-9
        w = logistic((seen - mean) / spread, y[train], ridge)
        counts = _counted([told[i] for i in train], y[train])
        unseen = np.column_stack([x[test], [_log_odds(_terms(told[i]), *counts) for i in test]])
        out[test] = _chance((unseen - mean) / spread, w)
    open_ = np.array([len(own) > 1 for own in nodes], bool)
    return list(map(float, out * open_))


def _evidence(bundle: GraphBundle, items: Sequence[LabelledItem], nodes: Sequence[Sequence[Node]]) -> Doubles:
    """The evidence of compatibility and, last, the log odds of the untrained score: (items, kinds + 1)."""
    recipe = CompatibilityRecipe(bundle, OfflineLikelihood(bundle.similarity))
    rows = [
        recipe.compatibility.evidence(i.question, own) if len(own) > 1 else {}
        for i, own in zip(items, nodes, strict=True)
    ]
    score = np.clip(scored(recipe, items, nodes), _LEAST, 1 - _LEAST)
    names = max(rows, key=len)
    return np.column_stack([np.array([[row.get(n, 0.0) for n in names] for row in rows]), np.log(score / (1 - score))])


def _two_best(
    bundle: GraphBundle, items: Sequence[LabelledItem], nodes: Sequence[Sequence[Node]], likelihood: LikelihoodScorer
) -> Doubles:
    """A language model's score of the second best candidate, and how far the best is ahead of it: (items, 2)."""
    contexts, out = Contexts(bundle, context_style(likelihood)), np.zeros((len(items), 2))
    for row, item, own in zip(out, items, nodes, strict=True):
        if len(own) > 1:
            best = np.sort(likelihood.score(item.question, contexts.entities([n.iri for n in own])))[::-1]
            row[:] = best[1], best[0] - best[1]
    return out


def _folds(
    items: Sequence[LabelledItem], told: Sequence[str], folds: int, by_template: bool = True
) -> NDArray[np.intp]:
    """Folds kept apart by pair of candidates, and by template as well or not."""
    pairs: list[Hashable] = [frozenset(i.candidates) for i in items]
    return grouped_folds([(p, t) if by_template else (p,) for p, t in zip(pairs, told, strict=True)], folds)


def logistic(x: Doubles, y: Doubles, reg: Doubles | float = 3.0, steps: int = 30) -> Doubles:
    """Weights of a ridge logistic regression, the bias last, by Newton's method: (features + 1,).

    `reg` is the ridge of each feature, or of all.
    """
    ridge = np.append(np.broadcast_to(np.asarray(reg, np.float64), x.shape[1]), 1e-6)
    x = np.column_stack([x, np.ones(len(x))])
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
    labels = np.array([item.label for item in items], np.float64)
    return list(map(float, _wording(told, labels, _folds(items, told, FOLDS, by_template))))


def _wording(told: Sequence[str], labels: Doubles, fold: NDArray[np.intp]) -> Doubles:
    """Log odds of each template by those of the other folds."""
    out = np.zeros(len(told))
    for k in set(fold.tolist()):
        counts = _counted([t for t, f in zip(told, fold, strict=True) if f != k], labels[fold != k])
        out[fold == k] = [_log_odds(_terms(t), *counts) for t, f in zip(told, fold, strict=True) if f == k]
    return out


def _terms(template: str) -> set[str]:
    """The words and word pairs of a template."""
    words = template.split()
    return {*words, *map(" ".join, pairwise(words))}


def _counted(told: Sequence[str], labels: Doubles) -> tuple[Counter[str], Counter[str]]:
    """How many templates without and with the label hold each term."""
    counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for template, label in zip(told, labels, strict=True):
        counts[int(label)].update(_terms(template))
    return counts


def _log_odds(terms: set[str], no: Counter[str], yes: Counter[str]) -> float:
    size = len(no | yes)
    totals = no.total() + size, yes.total() + size
    return sum(math.log((yes[t] + 1) / totals[1]) - math.log((no[t] + 1) / totals[0]) for t in terms) if size else 0.0
