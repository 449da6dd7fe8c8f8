"""How well scores tell two kinds of cases apart (AUROC), and how honest probabilities are (Brier, ECE)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from clear_kgqa.evaluation.bootstrap import DRAWS, Interval

Doubles = NDArray[np.float64]


def auroc(labels: Sequence[bool] | Doubles, scores: Sequence[float] | Doubles) -> float:
    """The chance that a positive case scores above a negative one, ties counting half; 0.5 without both kinds."""
    y, s = np.asarray(labels, dtype=bool), np.asarray(scores, dtype=np.float64)
    positive, negative = int(y.sum()), int((~y).sum())
    if not positive or not negative:
        return 0.5
    _, inverse, counts = np.unique(s, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return float((ranks[inverse][y].sum() - positive * (positive + 1) / 2) / (positive * negative))


def auroc_interval(
    labels: Sequence[bool] | Doubles,
    scores: Sequence[float] | Doubles,
    clusters: Sequence[Hashable] | None = None,
    draws: int = DRAWS // 2,
    seed: int = 0,
) -> Interval:
    """AUROC with its 95 % bootstrap interval; cases of one cluster are drawn together."""
    y, s = np.asarray(labels, dtype=bool), np.asarray(scores, dtype=np.float64)
    names: dict[Hashable, list[int]] = {}
    for at, cluster in enumerate(range(len(y)) if clusters is None else clusters):
        names.setdefault(cluster, []).append(at)
    groups, rng = [np.array(g) for g in names.values()], np.random.default_rng(seed)
    found = []
    for _ in range(draws if groups else 0):
        picked = np.concatenate([groups[i] for i in rng.integers(0, len(groups), len(groups))])
        if 0 < y[picked].sum() < len(picked):
            found.append(auroc(y[picked], s[picked]))
    low, high = np.quantile(found, [0.025, 0.975]) if found else (0.0, 1.0)
    return Interval(auroc(y, s), float(low), float(high))


def auroc_within(
    labels: Sequence[bool] | Doubles, scores: Sequence[float] | Doubles, groups: Sequence[Hashable]
) -> float:
    """AUROC over pairs of cases of one group only: what scores add to knowing the group. 0.5 without such pairs."""
    members: dict[Hashable, list[int]] = {}
    for at, group in enumerate(groups):
        members.setdefault(group, []).append(at)
    y, s = np.asarray(labels, dtype=bool), np.asarray(scores, dtype=np.float64)
    total = won = 0.0
    for own in members.values():
        pairs = float(y[own].sum()) * float((~y[own]).sum())
        total += pairs
        won += pairs * auroc(y[own], s[own])
    return won / total if total else 0.5


def brier(outcomes: Sequence[float] | Doubles, predicted: Sequence[float] | Doubles) -> float:
    """The mean squared difference between predicted and seen, 0 of nothing."""
    difference = np.asarray(predicted, dtype=np.float64) - np.asarray(outcomes, dtype=np.float64)
    return float((difference**2).mean()) if difference.size else 0.0


def ece(outcomes: Sequence[float] | Doubles, predicted: Sequence[float] | Doubles, bins: int = 10) -> float:
    """Expected calibration error: mean |predicted - seen| over bins of equal size, by rank of what was predicted."""
    seen, said = np.asarray(outcomes, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    order = np.argsort(said, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    return float(sum(abs(said[p].mean() - seen[p].mean()) * len(p) for p in parts) / len(said)) if parts else 0.0


def grouped_folds(keys: Sequence[Sequence[Hashable]], folds: int, seed: int = 0) -> NDArray[np.intp]:
    """A fold for every case, so that cases that share any key share the fold; folds of about equal size.

    `keys[i]` are the keys of case i (its gold entity, its template). Shape (cases,).
    """
    parent: dict[Hashable, Hashable] = {}

    def root(x: Hashable) -> Hashable:
        while parent.setdefault(x, x) != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    for at, own in enumerate(keys):
        for which, key in enumerate(own):
            parent[root((which, key))] = root(at)
    groups: dict[Hashable, list[int]] = {}
    for at in range(len(keys)):
        groups.setdefault(root(at), []).append(at)
    order = np.random.default_rng(seed).permutation(len(groups))
    shuffled = [list(groups.values())[i] for i in order]
    out, load = np.zeros(len(keys), np.intp), [0] * folds
    for members in sorted(shuffled, key=len, reverse=True):
        lightest = load.index(min(load))
        out[members] = lightest
        load[lightest] += len(members)
    return out
