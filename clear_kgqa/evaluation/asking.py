"""Were the questions to the user worth asking: divergent, changing, harmful and missed asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from clear_kgqa.evaluation.evidence import Recorded, Step, silent_best, steps_of

Answers = Callable[[str], tuple[str, ...]]
F1 = Callable[[Sequence[str]], float]


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to the user.

    `divergent`: two offered options answer differently; `changed`: the best answer after the reply is not the
    one before it, with `gain` in F1 (negative: harmful). None where no readings are recorded to tell.
    """

    divergent: bool | None
    changed: bool | None
    gain: float | None


@dataclass(frozen=True, slots=True)
class Asking:
    """All questions of one item; `silent_f1` is what the best answer before any reply would have scored.

    `readings_f1` scores the first recorded readings; `missed`: nothing was asked, the answer is wrong and one
    of them is right.
    """

    asks: list[Ask] = field(default_factory=list)
    silent_f1: float | None = None
    missed: bool = False
    readings_f1: list[float] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def asking_of(events: list[dict[str, Any]], final: Sequence[str], f1: F1, answers: Answers) -> Asking:
    """Judge the questions of a dialogue in JSON events.

    `final` are the answers it ended with, `f1` scores answers against gold, `answers` runs a query on the
    graph (recorded answers may be shortened).
    """
    steps, first = steps_of(events)
    scores = [_score(reading, f1, answers) for reading in first]
    if not steps:
        return Asking([], f1(final), f1(final) < 1 and 1.0 in scores, scores)
    states = [_silent(step.readings, answers) for step in steps] + [tuple(final)]
    asks = [
        Ask(
            _divergent(step, answers),
            None if before is None or after is None else set(before) != set(after),
            None if before is None or after is None else round(f1(after) - f1(before), 6),
        )
        for step, before, after in zip(steps, states, states[1:], strict=False)
    ]
    return Asking(asks, None if states[0] is None else f1(states[0]), False, scores)


def _silent(readings: list[Recorded], answers: Answers) -> tuple[str, ...] | None:
    best = silent_best(readings)
    told = [r for r in readings if r.silent] or ([] if best is None else [readings[best]])
    return _whole(told[0], answers) if told else None


def _whole(reading: Recorded, answers: Answers) -> tuple[str, ...]:
    return answers(reading.sparql) if reading.truncated else tuple(reading.answers)


def _divergent(step: Step, answers: Answers) -> bool | None:
    found = [_option_class(option, step.readings, answers) for option in step.clarification["options"]]
    told = {c for c in found if c is not None}
    return len(told) > 1 if told else None


def _option_class(option: dict[str, Any], readings: list[Recorded], answers: Answers) -> object:
    kept = [readings[at] for at in option["readings"] if at < len(readings)]
    kept = kept or [r for r in readings if option["iri"] and r.entity == option["iri"]]
    if kept:
        return max(kept, key=lambda r: r.p).answer_class
    return frozenset(answers(option["sparql"])) if option["sparql"] else None


def _score(reading: Recorded, f1: F1, answers: Answers) -> float:
    """F1 of a reading; a shortened one is run if what is recorded of it is right at all."""
    score = f1(tuple(reading.answers)) if reading.answers else 0.0
    return round(f1(_whole(reading, answers)) if reading.truncated and score else score, 6)
