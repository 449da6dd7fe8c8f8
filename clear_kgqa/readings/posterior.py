"""A probability for every reading and for NULL, answer classes, and the worth of the silent answer."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from clear_kgqa.readings.answers import Answers
from clear_kgqa.readings.features import FEATURES, NULL_FEATURES
from clear_kgqa.readings.paths import Doubles
from clear_kgqa.readings.reading import Reading


@dataclass(frozen=True)
class Weights:
    """The linear weights of the posterior with where they come from (data, questions, date, figures).

    `broad` is what is added to both on a graph of many properties, in proportion to its breadth: what a word that
    no label explains, or a class that an answer lacks, tells depends on how much of the world a graph tries to hold.
    """

    reading: Doubles
    null: Doubles
    provenance: dict[str, Any]
    broad: tuple[Doubles, Doubles] | None = None

    def at(self, breadth: float) -> Weights:
        """The weights on a graph of that breadth (0..1)."""
        if self.broad is None:
            return self
        reading, null = self.reading + breadth * self.broad[0], self.null + breadth * self.broad[1]
        return Weights(reading, null, self.provenance)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Weights:
        """Weights by feature name; features that the file does not name weigh nothing."""
        broad = _arrays(data["broad"]) if "broad" in data else None
        return Weights(*_arrays(data), data.get("provenance", {}), broad)

    def to_json(self) -> dict[str, Any]:
        broad = {"broad": _named(*self.broad)} if self.broad else {}
        return {**_named(self.reading, self.null), **broad, "provenance": self.provenance}


def _arrays(data: dict[str, Any]) -> tuple[Doubles, Doubles]:
    reading = np.array([data["reading"].get(name, 0.0) for name in FEATURES])
    return reading, np.array([data["null"].get(name, 0.0) for name in NULL_FEATURES])


def _named(reading: Doubles, null: Doubles) -> dict[str, dict[str, float]]:
    return {
        "reading": dict(zip(FEATURES, map(float, reading.round(4)), strict=True)),
        "null": dict(zip(NULL_FEATURES, map(float, null.round(4)), strict=True)),
    }


@cache
def load_weights(path: Path | None = None) -> Weights:
    """The shipped weights, or those of a file written by the fitting command."""
    source = path or files("clear_kgqa").joinpath("data/weights.json")
    return Weights.from_json(json.loads(source.read_text(encoding="utf-8")))


def softmax(scores: Doubles) -> Doubles:
    """Probabilities that sum to one; an empty array stays empty."""
    if not len(scores):
        return scores
    shifted = np.exp(scores - scores.max())
    result: Doubles = shifted / shifted.sum()
    return result


def overlap_f1(answers: list[Answers]) -> Doubles:
    """F1 between the answer sets of every two readings: (n, n), ones on the diagonal, zero for empty sets."""
    index: dict[str, int] = {}
    rows, columns = [], []
    for i, a in enumerate(answers):
        for key in a.keys:
            rows.append(i)
            columns.append(index.setdefault(key, len(index)))
    incidence = np.zeros((len(answers), len(index)), np.float32)
    incidence[rows, columns] = 1.0
    sizes = incidence.sum(axis=1)
    common = (incidence @ incidence.T).astype(np.float64)
    total = sizes[:, None] + sizes[None, :]
    f1 = np.divide(2 * common, total, out=np.zeros_like(common), where=total > 0)
    np.fill_diagonal(f1, 1.0)
    result: Doubles = f1
    return result


def entropy_score(masses: Doubles) -> float:
    """H / log N of the normalised masses, 0..1: 0 for fewer than two candidates, 1 for a tie."""
    p = np.asarray(masses, dtype=np.float64)
    p = np.where(np.isfinite(p) & (p > 0), p, 0.0)
    if len(p) < 2:
        return 0.0
    total = p.sum()
    if total <= 0 or np.all(p == p[0]):
        return 1.0
    p = p / total
    held = p[p > 0]
    return float(min(1.0, max(0.0, -(held * np.log(held)).sum() / math.log(len(p)))))


@dataclass
class Posterior:
    """Probabilities over readings (`p`, shape (n,)) and NULL, with what each reading answers.

    `f1[i, j]` compares the answers of readings i and j; readings with equal, complete answers share a class.
    """

    readings: list[Reading]
    answers: list[Answers]
    p: Doubles
    null: float
    f1: Doubles

    @cached_property
    def classes(self) -> list[int]:
        """Answer class of each reading; truncated answers are a class of their own."""
        seen: dict[Any, int] = {}
        keys = [(i,) if a.truncated else a.keys for i, a in enumerate(self.answers)]
        return [seen.setdefault(k, len(seen)) for k in keys]

    def utilities(self, p: Doubles | None = None) -> Doubles:
        """Expected F1 of answering with each reading: (n,)."""
        result: Doubles = (self.p if p is None else p) @ self.f1
        return result

    @property
    def best(self) -> int:
        """The silent answer: the reading with the highest expected F1 (ties by probability, then order)."""
        u = self.utilities()
        return int(np.lexsort((-self.p, -u.round(12)))[0]) if len(u) else -1

    @property
    def silent_value(self) -> float:
        """U(P), expected F1 of the silent answer; 1 - U is the overall ambiguity."""
        return float(self.utilities().max(initial=0.0))

    def with_p(self, p: Doubles, null: float) -> Posterior:
        """The same readings with other probabilities."""
        return Posterior(self.readings, self.answers, p, null, self.f1)


def infer(
    readings: list[Reading],
    answers: list[Answers],
    phi: Doubles,
    psi: Doubles,
    weights: Weights,
    keep: int = 40,
) -> Posterior:
    """Softmax over readings and NULL; the best `keep` readings stay, the rest give their mass to NULL."""
    scores = np.append(phi @ weights.reading, psi @ weights.null) if len(readings) else np.array([psi @ weights.null])
    p = softmax(scores)
    order = np.argsort(-p[:-1], kind="stable")[:keep]
    kept = [int(i) for i in order]
    chosen = [answers[i] for i in kept]
    return Posterior([readings[i] for i in kept], chosen, p[kept], float(1 - p[kept].sum()), overlap_f1(chosen))
