"""Fitting the weights of the posterior to gold answers, and what a fit is worth on questions it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clear_kgqa.evaluation.bootstrap import Interval, interval
from clear_kgqa.evaluation.calibration import auroc_interval, ece, grouped_folds
from clear_kgqa.readings.features import FEATURES, NULL_FEATURES
from clear_kgqa.readings.fit_rows import FitRow
from clear_kgqa.readings.paths import Doubles
from clear_kgqa.readings.posterior import Posterior, Weights, infer
from clear_kgqa_tools.errors import ConfigError

BOUNDS = {"share": (4.0, 4.0), "fuzzy": (-0.8, None), "log_candidates": (0.0, 0.0), "type_words": (2.0, None)}
"""Weights held within bounds. `share` is the published prior P(e) = u / sum u (a quarter of its logarithm is the
feature): question sets are full of shared names, so the data would understate it. `fuzzy`: few questions on record
hold typos, or say of which kind the node is (`type_words`: "the state of Georgia"). `log_candidates`: how many nodes
share a name depends on the graph's size, not on the question."""
BROAD_REG = 2.0
RIGHT = 0.999  # F1 from which an answer counts as right
_FLOOR = 1e-9


@dataclass(frozen=True)
class Stacked:
    """The rows of a fit one below the other, NULL after the readings of each question: `x` (outcomes, weights),
    `worth` (outcomes,) is what each pays; `starts` and `weight` are per question."""

    x: Doubles
    worth: Doubles
    starts: NDArray[np.intp]
    weight: Doubles

    def sums(self, values: Doubles) -> Doubles:
        """The sum over each question's outcomes: (questions,)."""
        result: Doubles = np.add.reduceat(values, self.starts)
        return result

    def spread(self, values: Doubles) -> Doubles:
        """Per question -> per outcome."""
        result: Doubles = np.repeat(values, np.diff(self.starts, append=len(self.worth)))
        return result


def stack(rows: Sequence[FitRow]) -> Stacked:
    """The outcomes of all rows; the columns are the weights of readings and of NULL, then what breadth adds to both."""
    size, parts = len(FEATURES), []
    for row in rows:
        n = len(row.f1)
        x = np.zeros((n + 1, size + len(NULL_FEATURES)))
        x[:n, :size], x[n, size:] = row.table.phi, row.table.psi
        parts.append(np.hstack([x, row.breadth * x]))
    return Stacked(
        np.vstack(parts), np.concatenate([np.append(row.f1, 1 - row.ceiling) for row in rows]),
        np.cumsum([0, *(len(part) for part in parts[:-1])]), np.array([row.weight for row in rows]),
    )  # fmt: skip


def loss(w: Doubles, rows: Stacked, reg: float) -> tuple[float, Doubles]:
    """-sum log[sum_r P(r) F1 + P(NULL)(1 - max F1)] + reg ||w||^2 / 2 (methods, section 1) and its gradient.

    What breadth adds is held `BROAD_REG` times as tight.
    """
    ridge = reg * np.repeat([1.0, BROAD_REG], len(w) // 2)
    scores = rows.x @ w
    scores -= rows.spread(np.maximum.reduceat(scores, rows.starts))
    p = np.exp(scores)
    p /= rows.spread(rows.sums(p))
    right = rows.sums(p * rows.worth) + _FLOOR
    by_score = rows.spread(rows.weight) * (p - p * rows.worth / rows.spread(right))
    total = float(ridge @ w**2) / 2 - float(rows.weight @ np.log(right))
    return total, ridge * w + rows.x.T @ by_score


def fit(rows: Sequence[FitRow], reg: float = 1.0) -> Weights:
    """The weights of the least loss by L-BFGS. Raises ConfigError without scipy (the extra `fit`)."""
    try:
        from scipy.optimize import minimize  # type: ignore[import-untyped]
    except ImportError as error:
        raise ConfigError("fitting needs scipy: pip install 'clear-kgqa[fit]'") from error
    names = (*FEATURES, *NULL_FEATURES)
    bounds = [*(BOUNDS.get(n, (None, None)) for n in names), *((0, 0) if n in BOUNDS else (None, None) for n in names)]
    arguments = stack(rows), reg
    options = {"maxiter": 400}
    found = minimize(
        loss, np.zeros(len(bounds)), arguments, jac=True, method="L-BFGS-B", bounds=bounds, options=options
    ).x
    reading, null, *broad = np.split(found, np.cumsum([len(FEATURES), len(NULL_FEATURES), len(FEATURES)]))
    return Weights(reading, null, {}, (broad[0], broad[1]))


def posterior_of(row: FitRow, weights: Weights) -> Posterior:
    """The posterior over the readings of a row."""
    table = row.table
    return infer(table.readings, table.answers, table.phi, table.psi, weights.at(row.breadth))


def gains(row: FitRow, posterior: Posterior) -> list[float]:
    """F1 against gold of each reading of a posterior, in its order."""
    known = dict(zip(map(id, row.table.readings), map(float, row.f1), strict=True))
    return [known[id(reading)] for reading in posterior.readings]


def cross_validated(rows: Sequence[FitRow], folds: int = 5, reg: float = 1.0, seed: int = 0) -> list[Posterior]:
    """For each row its posterior under weights fitted on other gold entities and other templates."""
    fold = grouped_folds([(row.entity, row.template) for row in rows], folds, seed)
    fitted = [fit([r for r, f in zip(rows, fold, strict=True) if f != k], reg) for k in range(folds)]
    return [posterior_of(row, fitted[f]) for row, f in zip(rows, fold, strict=True)]


@dataclass(frozen=True)
class Quality:
    """Figures of one question set: F1 of the silent answer, AUROC of 1 - U for "the silent answer is wrong",
    calibration error of the expected F1, the F1 of the best reading there is; intervals over gold entities."""

    n: int
    silent: Interval
    auroc: Interval
    ece: float
    ceiling: float

    def to_json(self) -> dict[str, Any]:
        """Rounded figures by name; intervals as [mean, low, high]."""
        intervals = {"silent": self.silent, "auroc": self.auroc}
        spans = {k: [round(v.mean, 4), round(v.low, 4), round(v.high, 4)] for k, v in intervals.items()}
        return {"n": self.n, **spans, "ece": round(self.ece, 4), "ceiling": round(self.ceiling, 4)}


def quality(rows: Sequence[FitRow], posteriors: Sequence[Posterior]) -> Quality:
    """What posteriors that have not seen their rows are worth."""
    silent = [silent_f1(row, p) for row, p in zip(rows, posteriors, strict=True)]
    worth = [p.silent_value for p in posteriors]
    entities = [row.entity for row in rows]
    wrong = [f1 < RIGHT for f1 in silent]
    return Quality(
        len(rows), interval(silent, entities), auroc_interval(wrong, [1 - u for u in worth], entities),
        ece(silent, worth), float(np.mean([row.ceiling for row in rows])) if rows else 0.0,
    )  # fmt: skip


def silent_f1(row: FitRow, posterior: Posterior) -> float:
    """F1 of the answer that is given without asking."""
    best = posterior.best
    return gains(row, posterior)[best] if best >= 0 else 0.0


def by_set(rows: Sequence[FitRow], posteriors: Sequence[Posterior]) -> dict[str, dict[str, Any]]:
    """The figures of each question set by its name."""
    out = {}
    for name in dict.fromkeys(row.data for row in rows):
        own = [(r, p) for r, p in zip(rows, posteriors, strict=True) if r.data == name]
        out[name] = quality([r for r, _ in own], [p for _, p in own]).to_json()
    return out


def with_provenance(
    weights: Weights, sets: list[dict[str, Any]], figures: dict[str, Any], folds: int, reg: float
) -> Weights:
    """Weights that say what they were fitted on and what they are worth (cross-validated)."""
    from datetime import UTC, datetime
    from importlib.metadata import version

    from clear_kgqa import __version__

    provenance = {
        "fitted_on": sets, "date": datetime.now(UTC).date().isoformat(), "folds": folds, "reg": reg,
        "cross_validated": figures,
        "versions": {"clear-kgqa": __version__, **{name: version(name) for name in ("numpy", "scipy")}},
    }  # fmt: skip
    return replace(weights, provenance=provenance)
