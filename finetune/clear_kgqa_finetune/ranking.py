"""How well scores rank positives above negatives."""

from __future__ import annotations

from collections.abc import Sequence


def auroc(labels: Sequence[int], scores: Sequence[float]) -> float:
    """Share of (positive, negative) pairs in the right order, ties counting half; NaN where a class is
    missing.
    """
    order = sorted(range(len(scores)), key=scores.__getitem__)
    ranks = [0.0] * len(scores)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and scores[order[end]] == scores[order[at]]:
            end += 1
        for place in order[at:end]:
            ranks[place] = (at + end + 1) / 2
        at = end
    positives = sum(labels)
    negatives = len(labels) - positives
    if not positives or not negatives:
        return float("nan")
    positive_ranks = sum(rank for rank, label in zip(ranks, labels, strict=True) if label)
    return (positive_ranks - positives * (positives + 1) / 2) / (positives * negatives)
