"""Question-answering strategies beside the agent: fixed pipelines and single calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clear_kgqa.settings import Settings
from clear_kgqa.strategy import Strategy
from clear_kgqa_tools.bundle import GraphBundle


@dataclass(frozen=True)
class Making:
    """What a strategy is made of: the graph, the settings, a chat model."""

    bundle: GraphBundle
    settings: Settings
    model: Any


def needing_model() -> dict[str, Callable[[Making], Strategy]]:
    """Strategy name -> factory, for those that need a language model and never ask back."""
    return {"io": _io, "cot": _cot, "nlkgq": _nlkgq}


def _io(made: Making) -> Strategy:
    from clear_kgqa.strategies.io import FromMemory

    return FromMemory(made.bundle, made.settings, made.model)


def _cot(made: Making) -> Strategy:
    from clear_kgqa.strategies.cot import ChainOfThought

    return ChainOfThought(made.bundle, made.settings, made.model)


def _nlkgq(made: Making) -> Strategy:
    from clear_kgqa.strategies.nlkgq import Nlkgq

    return Nlkgq(made.bundle, made.settings, made.model)
