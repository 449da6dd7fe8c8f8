"""Bootstrap intervals: over questions, over clusters of questions, and paired between two runs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its percentile interval."""

    mean: float
    low: float
    high: float


def _sums(values: Sequence[float], clusters: Sequence[Hashable]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    names = {name: at for at, name in enumerate(dict.fromkeys(clusters))}
    index = np.array([names[c] for c in clusters], dtype=np.intp)
    total = np.bincount(index, weights=np.asarray(values, dtype=np.float64)).astype(np.float64)
    return total, np.bincount(index).astype(np.float64)


def _means(total: NDArray[np.float64], size: NDArray[np.float64], draws: int, seed: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    out = np.empty(draws)
    for at in range(draws):  # one draw at a time: the matrix of all draws would grow with the run
        picked = rng.integers(0, len(total), len(total))
        out[at] = total[picked].sum() / size[picked].sum()
    return out


def interval(
    values: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Interval:
    """The mean of the values with its interval; questions of one cluster (gold entity) are drawn together."""
    if not values:
        return Interval(0.0, 0.0, 0.0)
    total, size = _sums(values, range(len(values)) if clusters is None else clusters)
    means = _means(total, size, draws, seed)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(np.mean(values)), float(low), float(high))


def paired(
    first: Sequence[float],
    second: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Interval:
    """The mean of second - first over the same questions, with its interval."""
    return interval([b - a for a, b in zip(first, second, strict=True)], clusters, level, draws, seed)
