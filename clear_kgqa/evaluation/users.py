"""Simulated users: they hold the gold of a question and answer clarifications in words or by number.

A simulated user never says SPARQL, an IRI or an answer that was not offered: what it says is made of the
options' own text, or of labels of the gold entity where a clarification has no options.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Literal

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.evaluation.gold import GoldQueries
from clear_kgqa.evaluation.need import Describe, Need, fitting, fitting_by_text, need_of
from clear_kgqa.evaluation.samples import Sample
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.folding import fold

NONE = "none of these"
DELEGATE = "you decide"
_OFF_TOPIC = (
    "Can you book me a flight to Rome?",
    "What is the weather like tomorrow?",
    "Please sing me a song.",
)

SaidKind = Literal["option", "none", "delegate", "silent", "text", "out_of_scope"]


@dataclass(frozen=True, slots=True)
class Said:
    """One reply: its text (None: no reply), what it chose, and the bits it gave away.

    Choosing one of n options, or none of them, tells log2(n + 1) bits.
    """

    text: str | None
    kind: SaidKind
    option: int | None = None
    bits: float = 0.0


def shuffled(clarification: Clarification, rng: Random) -> tuple[Clarification, tuple[int, ...]]:
    """The clarification with its options in random order, and for each shown option its original index."""
    order = tuple(rng.sample(range(len(clarification.options)), len(clarification.options)))
    return replace(clarification, options=tuple(clarification.options[at] for at in order)), order


def unshuffled(reply: str | None, order: Sequence[int]) -> str | None:
    """A reply given to shuffled options, a bare number turned into the number of the original option."""
    number = (reply or "").strip().rstrip(".)")
    return str(order[int(number) - 1] + 1) if number.isdigit() and 1 <= int(number) <= len(order) else reply


class SimulatedUser:
    """A deterministic user. `said` keeps every reply, with the options numbered as the agent sent them."""

    def __init__(self, behaviour: Behaviour, choose: Choose, need: Need, rng: Random) -> None:
        self.said: list[Said] = []
        self.need = need
        self.rng = rng
        self._behaviour = behaviour
        self._choose = choose

    def reply(self, clarification: Clarification) -> str | None:
        shown, order = shuffled(clarification, self.rng)
        said = self._behaviour(self, shown, partial(self._choose, self.need, shown))
        if said.option is not None:
            said = replace(said, option=order[said.option])
        said = replace(said, text=unshuffled(said.text, order))
        self.said.append(said)
        return said.text


Choose = Callable[[Need, Clarification], int | None]
Fit = Callable[[], int | None]
"""Finds the option that fits the need; called by behaviours that care, for it may run queries."""
Behaviour = Callable[[SimulatedUser, Clarification, Fit], Said]


def _bits(clarification: Clarification) -> float:
    return math.log2(len(clarification.options) + 1)


def wording(option: Option, options: Sequence[Option]) -> str:
    """The shortest own words of an option that no other option shares."""
    others = [o for o in options if o is not option]
    if all(fold(o.label) != fold(option.label) for o in others):
        return option.label
    for name in ("type", "description", "fact", "path"):
        told = getattr(option, name)
        if told and all(getattr(o, name) != told for o in others):
            return f"{option.label}, {told}"
    return option.line()


def _pick(user: SimulatedUser, clarification: Clarification, at: int | None) -> Said:
    if at is None:
        return Said(NONE, "none", bits=_bits(clarification))
    by_number = user.rng.random() < 0.5
    text = str(at + 1) if by_number else wording(clarification.options[at], clarification.options)
    return Said(text, "option", at, _bits(clarification))


def silent(user: SimulatedUser, clarification: Clarification, fit: Fit) -> Said:
    """Gives no answer."""
    return Said(None, "silent")


def oracle(user: SimulatedUser, clarification: Clarification, fit: Fit) -> Said:
    """Picks the fitting option, or says that none fits; names the gold entity where there are no options."""
    if clarification.options:
        return _pick(user, clarification, fit())
    label = next((n.label for n in user.need.nodes if n.label), "")
    return Said(f"I mean {label}", "text") if label else Said(DELEGATE, "delegate")


def noisy(probability: float) -> Behaviour:
    """An oracle that with this probability picks any other outcome."""

    def behave(user: SimulatedUser, clarification: Clarification, fit: Fit) -> Said:
        if not clarification.options or user.rng.random() >= probability:
            return oracle(user, clarification, fit)
        return _pick(user, clarification, _other(user.rng, clarification, fit()))

    return behave


def _other(rng: Random, clarification: Clarification, at: int | None) -> int | None:
    wrong = [i for i in range(len(clarification.options)) if i != at]
    return rng.choice(wrong) if wrong else None


def lazy(user: SimulatedUser, clarification: Clarification, fit: Fit) -> Said:
    """Leaves every decision to the agent."""
    return Said(DELEGATE, "delegate")


def vague(user: SimulatedUser, clarification: Clarification, fit: Fit) -> Said:
    """Describes the fitting option by what is written beside its name, without the name."""
    at = fit()
    if at is None:
        return oracle(user, clarification, fit)
    option = clarification.options[at]
    told = next((t for t in (option.type, option.description, option.fact, option.path) if t), "")
    if not told:
        return Said(DELEGATE, "delegate")
    return Said(f"the one with {told}" if told == option.path else f"the {told}", "text", at, _bits(clarification))


def contradicting(user: SimulatedUser, clarification: Clarification, fit: Fit) -> Said:
    """Names another option first and takes it back in the same breath."""
    at = fit()
    wrong = _other(user.rng, clarification, at)
    if at is None or wrong is None:
        return oracle(user, clarification, fit)
    first, then = (wording(clarification.options[i], clarification.options) for i in (wrong, at))
    return Said(f"{first}. No, sorry: {then}", "text", at, _bits(clarification))


def out_of_scope(user: SimulatedUser, clarification: Clarification, fit: Fit) -> Said:
    """Says something that has nothing to do with the question."""
    return Said(user.rng.choice(_OFF_TOPIC), "out_of_scope")


BEHAVIOURS: dict[str, Behaviour] = {
    "silent": silent,
    "oracle": oracle,
    "text": oracle,
    "random-gold": oracle,
    "lazy": lazy,
    "vague": vague,
    "contradicting": contradicting,
    "out-of-scope": out_of_scope,
}


def behaviour_of(profile: str) -> Behaviour:
    """The behaviour of a deterministic profile; raises ConfigError for an unknown one."""
    name, _, argument = profile.partition(":")
    if name == "noisy":
        try:
            probability = float(argument)
        except ValueError:
            probability = -1.0
        if not 0 <= probability <= 1:
            raise ConfigError(f"--user {profile}: noisy takes a probability, such as noisy:0.3")
        return noisy(probability)
    if profile not in BEHAVIOURS:
        known = ", ".join((*BEHAVIOURS, "noisy:P", "llm:MODEL", "person"))
        raise ConfigError(f"--user {profile}: no such user; there are {known}")
    return BEHAVIOURS[profile]


@dataclass(frozen=True)
class UserFactory:
    """Makes the simulated user of each sample.

    `samples` are all samples of the run, from which `random-gold` takes another one's gold. A user's random
    choices depend on the seed and the sample's id alone, so shards and resumed runs agree.
    """

    profile: str
    gold: GoldQueries
    describe: Describe
    samples: Sequence[Sample]
    seed: int = 0

    def __call__(self, sample: Sample) -> SimulatedUser:
        behaviour = behaviour_of(self.profile)
        rng = Random(f"{self.seed}/{self.profile}/{sample.id}")
        held = self._other(sample, rng) if self.profile == "random-gold" else sample
        need = need_of(held, self.gold.gold(held), self.describe)
        choose = fitting_by_text if self.profile == "text" else self._fitting
        return SimulatedUser(behaviour, choose, need, rng)

    def _fitting(self, need: Need, clarification: Clarification) -> int | None:
        return fitting(need, clarification, self.gold.answers)

    def _other(self, sample: Sample, rng: Random) -> Sample:
        others = [s for s in self.samples if s.id != sample.id]
        if not others:
            raise ConfigError("--user random-gold needs at least two questions")
        return rng.choice(others)
