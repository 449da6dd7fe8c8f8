"""The ask policy: a question is put only while the F1 it is expected to gain exceeds its price."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clear_kgqa.ambiguity.menus import Menu, menus
from clear_kgqa.readings.paths import Doubles
from clear_kgqa.readings.posterior import Posterior

BY_NONE = 0.75
PLAINER = 1.25


@dataclass(frozen=True, slots=True)
class Choice:
    """The best question and its value of information in F1; `menu` is None where there is nothing to ask."""

    menu: Menu | None
    value: float


def reply_model(posterior: Posterior, menu: Menu, noise: float) -> tuple[Doubles, Doubles]:
    """Probability of each outcome given each reading: (outcomes, readings), and given NULL: (outcomes,).

    Outcomes are the options and, last, "none of these". The true one has 1 - noise, the others share the rest
    (methods: pi(o|r)).
    """
    outcomes = len(menu.options) + 1
    wrong = noise / (outcomes - 1)
    pi = np.full((outcomes, len(posterior.readings)), wrong)
    truth = np.full(len(posterior.readings), outcomes - 1)
    for o, members in enumerate(menu.groups):
        truth[list(members)] = o
    pi[truth, np.arange(len(truth))] = 1 - noise
    null = np.full(outcomes, wrong)
    null[-1] = 1 - noise
    return pi, null


def value_of_information(posterior: Posterior, menu: Menu, noise: float = 0.0) -> float:
    """VOI(a) = sum_o P(o) U(P|o) - U(P), in F1; P(o) U(P|o) needs no normalising because U is linear in P.

    What "none of these" would tell counts by `BY_NONE`: a question is put for what it offers.
    """
    pi, _ = reply_model(posterior, menu, noise)
    worth = (pi * posterior.p[None, :]) @ posterior.f1
    gain = worth.max(axis=1) - worth[:, posterior.best] if worth.size else np.zeros(1)
    return float(gain[:-1].sum() + BY_NONE * gain[-1])


def best_question(
    posterior: Posterior,
    question: str,
    settled: tuple[str, ...] = (),
    noise: float = 0.0,
    kinds: frozenset[str] | None = None,
) -> Choice:
    """The question with the highest value, the plainer one (entity, then intent, form, reading) unless another gains
    `PLAINER` times as much."""
    best = Choice(None, 0.0)
    for menu in menus(posterior, question, settled):
        if kinds is not None and menu.kind not in kinds:
            continue
        value = value_of_information(posterior, menu, noise)
        if value > best.value * PLAINER + 1e-9:
            best = Choice(menu, value)
    return best


def update(posterior: Posterior, menu: Menu, outcome: int, noise: float) -> Posterior:
    """P <- P pi(o|r) / Z for the outcome that was replied (an option's index, or len(options) for "none")."""
    pi, null = reply_model(posterior, menu, noise)
    p, rest = posterior.p * pi[outcome], posterior.null * null[outcome]
    total = p.sum() + rest
    if total <= 0:
        return posterior.with_p(p * 0, 1.0)
    return posterior.with_p(p / total, float(rest / total))
