"""`clear-kgqa evaluate`: many questions with a simulated user, recorded in a run folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clear_kgqa.cli import options
from clear_kgqa.cli.output import say
from clear_kgqa.cli.stage_bar import StageBar
from clear_kgqa.cli.terminal_user import TerminalUser
from clear_kgqa_tools.errors import ConfigError

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel

    from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions, Progress
    from clear_kgqa.evaluation.samples import Sample
    from clear_kgqa.settings import Settings
    from clear_kgqa.strategy import Strategy

app = typer.Typer(add_completion=False, rich_markup_mode=None)

DECISIVE = {
    "model", "base_url", "temperature", "context_tokens", "strategy", "steps", "timeout", "query_timeout",
    "query_memory", "language", "scorer", "likelihood", "policy", "ask_cost", "asks_per_turn",
    "asks_per_session", "entity_threshold", "intent_threshold", "no_entity", "no_intent", "no_plugin",
    "top_n", "hops",
}  # fmt: skip
"""The settings that change results; they stand in the manifest."""

Text = str | None
Flag = bool | None


@app.command(help="Answer many questions with a simulated user, and record every conversation.")
def evaluate(
    kg: options.Kg = None,
    questions: options.Questions = None,
    out: options.RunFolder = None,
    strategy: options.Strategy = None,
    user: Annotated[
        Text, typer.Option("--user", metavar="PROFILE", help="silent (default), oracle, noisy:P, lazy ...")
    ] = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    scorer: Annotated[
        Text,
        typer.Option("--scorer", metavar="NAME", help="paper, published-code, calibrated (default) or noise."),
    ] = None,
    likelihood: Annotated[
        Text,
        typer.Option("--likelihood", metavar="SPEC", help="offline (default), hf:MODEL or openai:MODEL."),
    ] = None,
    policy: Annotated[Text, typer.Option("--policy", metavar="voi|thresholds", help="When to ask back; voi.")] = None,
    ask_cost: Annotated[
        float | None, typer.Option("--ask-cost", metavar="F1", help="The price of a question to the user.")
    ] = None,
    concurrency: options.Concurrency = None,
    limit: options.Limit = None,
    per_type: Annotated[int | None, typer.Option("--per-type", metavar="N", help="N questions of each type.")] = None,
    shard: Annotated[Text, typer.Option("--shard", metavar="I/N", help="The Ith of N parts of the questions.")] = None,
    retry_failed: Annotated[Flag, typer.Option("--retry-failed", help="Answer again what ended in an error.")] = None,
    no_entity: Annotated[Flag, typer.Option("--no-entity", help="Never ask about entities.")] = None,
    no_intent: Annotated[Flag, typer.Option("--no-intent", help="Never ask about properties.")] = None,
    no_plugin: Annotated[
        Flag, typer.Option("--no-plugin", help="No scores, hints and policy; the model may still ask.")
    ] = None,
    top_n: Annotated[
        int | None, typer.Option("--top-n", metavar="N", help="Patterns shown to the model at a time.")
    ] = None,
    hops: Annotated[int | None, typer.Option("--hops", metavar="N", help="How often it may look on.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="For all that is random.")] = None,
    mode: options.Mode = None,
    config: options.Config = None,
) -> None:
    """Running the same command again goes on where the last run stopped."""
    given = locals().copy()
    from clear_kgqa.settings import load_settings

    settings = load_settings(**given)
    what = evaluate_options(settings)
    summary = _run(settings, what)
    say(_told(summary, what.out))


def _run(settings: Settings, what: EvaluateOptions) -> dict[str, Any]:
    from clear_kgqa.evaluation.run import evaluate as run

    person = TerminalUser() if settings.user == "person" else None
    with opened_run(settings) as opened:
        model = _user_model(settings)
        return run(what, opened.strategies({}), opened.graph, person, model, shown_on(opened.bar))


@dataclass(frozen=True)
class Opened:
    """What a batch works with; `strategies` makes the sessions under changed settings."""

    strategies: Callable[[Mapping[str, Any]], Callable[[Sample], Strategy]]
    graph: EvaluateGraph
    bar: StageBar


@contextmanager
def opened_run(settings: Settings) -> Iterator[Opened]:
    """The graph of --kg, opened for a batch."""
    from clear_kgqa.cli.opening import opened_graph
    from clear_kgqa.evaluation.need import describer
    from clear_kgqa.evaluation.run import EvaluateGraph
    from clear_kgqa.readings.reader import Reader
    from clear_kgqa.session import make_session
    from clear_kgqa_tools.execute import ExecuteSPARQL

    with opened_graph(settings) as bundle, StageBar() as bar:
        check = ExecuteSPARQL(bundle.graph, bundle.profile.prefixes).check
        reader = Reader(bundle)

        def strategies(changes: Mapping[str, Any]) -> Callable[[Sample], Strategy]:
            changed = settings.model_copy(update=dict(changes))

            def strategy(sample: Sample) -> Strategy:
                if settings.user == "person":
                    say(f"\nQuestion: {sample.question}", sys.stderr)
                return make_session(bundle, changed, reader=reader)

            return strategy

        graph = EvaluateGraph(bundle.graph, check, describer(bundle), bundle.name, bundle.data_hash)
        yield Opened(strategies, graph, bar)


def _user_model(settings: Settings) -> BaseChatModel | None:
    """The model of `--user llm:MODEL`, on the same server."""
    profile, _, model = settings.user.partition(":")
    if profile != "llm":
        return None
    from clear_kgqa.agent.chat_model import chat_model

    return chat_model(settings.model_copy(update={"model": model}))


def evaluate_options(settings: Settings) -> EvaluateOptions:
    """The options of a run as settings give them; raises ConfigError where one is missing."""
    from clear_kgqa.evaluation.run import EvaluateOptions
    from clear_kgqa.settings import needed

    return EvaluateOptions(
        questions=needed(settings, "questions"), out=needed(settings, "out"), user=settings.user,
        seed=settings.seed, mode=settings.mode, concurrency=settings.concurrency, limit=settings.limit,
        per_type=settings.per_type, shard=_shard(settings.shard), retry_failed=settings.retry_failed,
        settings=settings.model_dump(mode="json", include=DECISIVE),
    )  # fmt: skip


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
        note = f"{now.done}/{now.total}, F1 {now.f1:.3f}, {now.asks_per_question:.2f} asks{failed}"
        bar(stage, now.done / max(now.total, 1), f"{note}, {now.seconds_left:.0f} s left")

    return show


def _told(summary: dict[str, Any], out: Path) -> str:
    names = (
        "f1",
        "precision",
        "recall",
        "rhits1",
        "em",
        "match",
        "asks_per_question",
        "seconds_per_question",
    )
    lines = [f"{name.replace('_', ' '):20} {summary[name]:.3f}" for name in names]
    counts = f"{summary['done']} of {summary['n']} questions, {summary['failed']} failed, "
    return "\n".join([f"{counts}{summary['excluded']} excluded; recorded in {out}", *lines])
