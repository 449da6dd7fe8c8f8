"""Recorded readings: what the plugin knew at a point of a dialogue, from a transcript's Scored events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded reading: its posterior, its answers (shortened where `truncated`), and what it says.

    `silent` marks the one that would have been answered without asking.
    """

    sparql: str
    p: float
    answers: frozenset[str]
    answer_class: str
    entity: str
    path: str
    truncated: bool = False
    silent: bool = False


def readings_of(scored: dict[str, Any]) -> list[Recorded]:
    """The readings of a Scored event in JSON form."""
    return [
        Recorded(
            r.get("sparql", ""),
            float(r.get("p", 0.0)),
            frozenset(r.get("answers") or ()),
            str(r.get("class", at)),
            r.get("entity", ""),
            r.get("path", ""),
            bool(r.get("truncated")),
            bool(r.get("silent")),
        )
        for at, r in enumerate(scored.get("readings") or ())
    ]


def agreement(readings: Sequence[Recorded]) -> Doubles:
    """F1 between the answers of every two readings: (n, n), ones on the diagonal, zero with an empty set."""
    out = np.eye(len(readings))
    for i, a in enumerate(readings):
        for j, b in enumerate(readings[:i]):
            size = len(a.answers) + len(b.answers)
            out[i, j] = out[j, i] = 2 * len(a.answers & b.answers) / size if size else 0.0
    return out


def best_answer(f1: Doubles, p: Doubles) -> int | None:
    """The reading with the highest expected F1 under p (methods: U), ties by p; None where p has no mass."""
    if not p.any():
        return None
    expected = (f1 @ p).round(12)
    return int(np.lexsort((-p, -expected))[0])


def silent_best(readings: Sequence[Recorded]) -> int | None:
    """The reading whose answer is the best without asking, None of nothing."""
    return best_answer(agreement(readings), np.array([r.p for r in readings]))


@dataclass(frozen=True, slots=True)
class Step:
    """A question put to the user (its clarification in JSON form) and the readings known just before it."""

    clarification: dict[str, Any]
    readings: list[Recorded]


def steps_of(events: Iterable[dict[str, Any]]) -> tuple[list[Step], list[Recorded]]:
    """The questions of a dialogue, and the first readings that were scored (before any question)."""
    steps: list[Step] = []
    first: list[Recorded] = []
    known: list[Recorded] = []
    for event in events:
        if event["event"] == "scored" and event.get("readings"):
            known = readings_of(event)
            first = first if steps else known
        elif event["event"] == "asked":
            steps.append(Step(event["clarification"], known))
    return steps, first
