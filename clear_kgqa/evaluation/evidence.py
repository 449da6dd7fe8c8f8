"""Recorded readings: what the plugin knew at a point of a dialogue, from a transcript's Scored events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


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


def set_f1(a: frozenset[str], b: frozenset[str]) -> float:
    """F1 of two plain sets; two empty sets agree."""
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0


def silent_best(readings: Sequence[Recorded], p: Sequence[float] | None = None) -> int | None:
    """The reading whose answer has the highest expected F1 under p (methods: U), None of nothing."""
    weights = [r.p for r in readings] if p is None else p
    classes: dict[str, list[int]] = {}
    for at, reading in enumerate(readings):
        classes.setdefault(reading.answer_class, []).append(at)
    mass = {name: sum(weights[at] for at in members) for name, members in classes.items()}
    sets = {name: readings[members[0]].answers for name, members in classes.items()}
    names = [name for name in classes if mass[name] > 0]
    if not names:
        return None
    best = max(names, key=lambda name: sum(mass[n] * set_f1(sets[name], sets[n]) for n in names))
    return max(classes[best], key=lambda at: weights[at])


def expected_f1(readings: Sequence[Recorded], p: Sequence[float]) -> float:
    """U(P): the expected F1 of the best answer; p need not sum to 1, what is missing is NULL."""
    best = silent_best(readings, p)
    if best is None:
        return 0.0
    return sum(w * set_f1(readings[best].answers, r.answers) for w, r in zip(p, readings, strict=True))


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
