"""Question-answering strategies beside the agent: fixed pipelines and single calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from clear_kgqa.clarification import Clarification
from clear_kgqa.events import Event
from clear_kgqa.settings import Settings
from clear_kgqa.strategy import Strategy
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError

if TYPE_CHECKING:
    from clear_kgqa.ambiguity.plugin import AmbiguityPlugin
    from clear_kgqa.followup import Bound
    from clear_kgqa.readings.reader import Reader

LOCAL = "hf:"
"""What the name of a model that runs in this process begins with."""


@dataclass(frozen=True)
class Making:
    """What a strategy is made of: the graph, the settings, a chat model (None for a model run in this process)."""

    bundle: GraphBundle
    settings: Settings
    model: Any


class Asking(Strategy, Protocol):
    """A strategy that may ask back: `pending` is the open clarification, `plugin` what weighs it."""

    pending: Clarification | None
    plugin: AmbiguityPlugin

    def start(self, question: str, bound: Bound = ()) -> Iterator[Event]:
        """Begin a turn in which some nodes are settled beforehand."""
        ...

    def asks_anew(self, reply: str) -> bool:
        """Whether a reply leaves the open clarification for a question of its own."""
        ...

    def drop(self) -> None:
        """Close the open clarification without a reply."""
        ...


def pipelines() -> dict[str, Callable[[Making, Reader, bool], Asking]]:
    """Strategy name -> factory, for those that work without a language model too; the flag says never to ask."""
    return {"mars": _mars}


def needing_model() -> dict[str, Callable[[Making], Strategy]]:
    """Strategy name -> factory, for those that need a language model and never ask back."""
    return {"io": _io, "cot": _cot, "nlkgq": _nlkgq, "direct": _direct}


def check_model(settings: Settings) -> None:
    """Raises ConfigError, saying what to give, where the strategy and the model do not go together."""
    strategy, model = settings.strategy, settings.model
    if strategy == "direct" and not model.startswith(LOCAL):
        raise ConfigError(
            f"the strategy direct needs a sequence model that writes queries, not {model}: "
            "give --model hf:MODEL[+ADAPTER] (a Hugging Face id or a folder)"
        )
    if strategy in needing_model() and model == "offline":
        raise ConfigError(
            f"the strategy {strategy} needs a language model, not offline: "
            "give --model NAME, and --base-url for your own server"
        )
    if strategy != "direct" and model.startswith(LOCAL):
        raise ConfigError(f"--model {model} is for --strategy direct; {strategy} takes a model of a server")


def _mars(made: Making, reader: Reader, silent: bool) -> Asking:
    from clear_kgqa.mars.pipeline import Mars

    return Mars(made.bundle, made.settings, reader, made.model, silent)


def _io(made: Making) -> Strategy:
    from clear_kgqa.examples.chosen import chosen_selector
    from clear_kgqa.strategies.io import FromMemory

    return FromMemory(made.bundle, made.settings, made.model, chosen_selector(made.settings, made.bundle))


def _cot(made: Making) -> Strategy:
    from clear_kgqa.examples.chosen import chosen_selector
    from clear_kgqa.strategies.cot import ChainOfThought

    return ChainOfThought(made.bundle, made.settings, made.model, chosen_selector(made.settings, made.bundle))


def _nlkgq(made: Making) -> Strategy:
    from clear_kgqa.strategies.nlkgq import Nlkgq, options_of

    return Nlkgq(made.bundle, made.settings, made.model, options_of(made.settings, made.bundle))


def _direct(made: Making) -> Strategy:
    from clear_kgqa.examples.chosen import chosen_selector
    from clear_kgqa.examples.generative import shared_model
    from clear_kgqa.strategies.direct import Direct

    model = shared_model(made.settings.model.removeprefix(LOCAL))
    return Direct(made.bundle, made.settings, model, chosen_selector(made.settings, made.bundle))
