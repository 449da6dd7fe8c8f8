"""What the commands over many questions share: the options of a run, the graph opened for it, its progress line."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from clear_kgqa.cli.output import say
from clear_kgqa.cli.stage_bar import StageBar
from clear_kgqa_tools.errors import ConfigError

if TYPE_CHECKING:
    from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions, Progress
    from clear_kgqa.evaluation.samples import Sample
    from clear_kgqa.settings import Settings
    from clear_kgqa.strategy import Strategy

DECISIVE = {
    "model", "base_url", "temperature", "context_tokens", "reply_tokens", "token_budget", "protocol", "verify",
    "remind", "strategy", "steps", "timeout", "query_timeout", "query_memory", "language", "scorer", "likelihood",
    "policy", "ask_cost", "asks_per_turn", "asks_per_session", "entity_threshold", "intent_threshold", "no_entity",
    "no_intent", "no_plugin", "top_n", "hops", "examples", "examples_from", "mars_without", "ontology",
    "ontology_tokens", "wrapper", "note", "services", "gold_entities", "reply_noise",
}  # fmt: skip
"""The settings that change results; they stand in the manifest. A test holds every setting to be here or not."""


@dataclass(frozen=True)
class Opened:
    """What a batch works with; `strategies` makes the sessions under changed settings."""

    strategies: Callable[[Mapping[str, Any]], Callable[[Sample], Strategy]]
    graph: EvaluateGraph
    bar: StageBar


@contextmanager
def batch(given: dict[str, Any]) -> Iterator[tuple[EvaluateOptions, Opened]]:
    """The run of a command's arguments (those not given are None), and what it works with."""
    from clear_kgqa.settings import load_settings

    settings = load_settings(**given)
    options = evaluate_options(settings)
    with opened_run(settings) as opened:
        yield options, opened


@contextmanager
def opened_run(settings: Settings) -> Iterator[Opened]:
    """The graph of --kg, opened for a batch."""
    from clear_kgqa.cli.opening import opened_graph
    from clear_kgqa.evaluation.need import describer, topic_entities
    from clear_kgqa.evaluation.run import EvaluateGraph
    from clear_kgqa.readings.reader import Reader
    from clear_kgqa.session import AGENT_STRATEGIES, make_session
    from clear_kgqa.strategies import pipelines
    from clear_kgqa_tools.execute import ExecuteSPARQL

    with opened_graph(settings) as bundle, StageBar() as bar:
        check = ExecuteSPARQL(bundle.graph, bundle.profile.prefixes).check
        reader = Reader(bundle)

        def strategies(changes: Mapping[str, Any]) -> Callable[[Sample], Strategy]:
            changed = settings.model_copy(update=dict(changes))
            taking = (*AGENT_STRATEGIES, *pipelines())
            if changed.gold_entities and changed.strategy not in taking:
                raise ConfigError(f"--gold-entities: only {', '.join(taking)} take entities")

            def strategy(sample: Sample) -> Strategy:
                if settings.user == "person":
                    say(f"\nQuestion: {sample.question}", sys.stderr)
                given = topic_entities(sample, bundle) if changed.gold_entities else ()
                spoken = {"language": sample.language} if sample.language else {}
                return make_session(bundle, changed.model_copy(update=spoken), reader=reader, given=given)

            return strategy

        graph = EvaluateGraph(bundle.graph, check, describer(bundle), bundle.name, bundle.data_hash)
        yield Opened(strategies, graph, bar)


def evaluate_options(settings: Settings) -> EvaluateOptions:
    """The options of a run as settings give them; raises ConfigError where one is missing."""
    from clear_kgqa.evaluation.run import EvaluateOptions
    from clear_kgqa.settings import needed

    return EvaluateOptions(
        questions=needed(settings, "questions"), out=needed(settings, "out"), user=settings.user,
        seed=settings.seed, mode=settings.mode, concurrency=settings.concurrency, limit=settings.limit,
        per_type=settings.per_type, shard=_shard(settings.shard), retry_failed=settings.retry_failed,
        settings={**settings.model_dump(mode="json", include=DECISIVE), "weights": _weights()},
    )  # fmt: skip


def _weights() -> str:
    """Which weights of the posterior ship with this version, for the manifest: the start of their SHA-256."""
    return hashlib.sha256(files("clear_kgqa").joinpath("data/weights.json").read_bytes()).hexdigest()[:12]


def _shard(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    part, _, parts = text.partition("/")
    if part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts):
        return int(part), int(parts)
    raise ConfigError(f"--shard {text}: write I/N with I from 1 to N, such as 1/4")


def shown_on(bar: StageBar, stage: str = "answering") -> Callable[[Progress], None]:
    """A progress callback that draws on the bar."""

    def show(now: Progress) -> None:
        failed = f", {now.failed} failed" if now.failed else ""
        cost = f", ${now.cost:.2f}" if now.cost else ""
        note = f"{now.done}/{now.total}, F1 {now.f1:.3f}, {now.asks_per_question:.2f} asks{failed}{cost}"
        bar(stage, now.done / max(now.total, 1), f"{note}, {now.seconds_left:.0f} s left")

    return show
