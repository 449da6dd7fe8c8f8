"""Question-answering strategies beside the agent: fixed pipelines and single calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from clear_kgqa.clarification import Clarification
from clear_kgqa.settings import Settings
from clear_kgqa.strategy import Strategy
from clear_kgqa_tools.bundle import GraphBundle

if TYPE_CHECKING:
    from clear_kgqa.readings.reader import Reader


@dataclass(frozen=True)
class Making:
    """What a strategy is made of: the graph, the settings, a chat model."""

    bundle: GraphBundle
    settings: Settings
    model: Any


class Asking(Strategy, Protocol):
    """A strategy that may ask back: `pending` is the open clarification, `drop` closes it without a reply."""

    pending: Clarification | None

    def drop(self) -> None: ...


def pipelines() -> dict[str, Callable[[Making, Reader, bool], Asking]]:
    """Strategy name -> factory, for those that work without a language model too; the flag says never to ask."""
    return {"mars": _mars}


def needing_model() -> dict[str, Callable[[Making], Strategy]]:
    """Strategy name -> factory, for those that need a language model and never ask back."""
    return {"io": _io, "cot": _cot, "nlkgq": _nlkgq}


def _mars(made: Making, reader: Reader, silent: bool) -> Asking:
    from clear_kgqa.mars.pipeline import Mars

    return Mars(made.bundle, made.settings, reader, made.model, silent)


def _io(made: Making) -> Strategy:
    from clear_kgqa.strategies.io import FromMemory

    return FromMemory(made.bundle, made.settings, made.model)


def _cot(made: Making) -> Strategy:
    from clear_kgqa.strategies.cot import ChainOfThought

    return ChainOfThought(made.bundle, made.settings, made.model)


def _nlkgq(made: Making) -> Strategy:
    from clear_kgqa.strategies.nlkgq import Nlkgq

    return Nlkgq(made.bundle, made.settings, made.model)
