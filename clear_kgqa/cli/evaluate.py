"""`clear-kgqa evaluate`: many questions with a simulated user, recorded in a run folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clear_kgqa.cli import faults, options
from clear_kgqa.cli.batch import evaluate_options, opened_run, shown_on
from clear_kgqa.cli.output import complain, say
from clear_kgqa.cli.terminal_user import TerminalUser
from clear_kgqa_tools.errors import ConfigError

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel

    from clear_kgqa.evaluation.run import EvaluateOptions
    from clear_kgqa.settings import Settings

app = typer.Typer(add_completion=False, rich_markup_mode=None)

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
    likelihood: options.Likelihood = None,
    policy: Annotated[Text, typer.Option("--policy", metavar="voi|thresholds", help="When to ask back; voi.")] = None,
    ask_cost: Annotated[
        float | None, typer.Option("--ask-cost", metavar="F1", help="The price of a question to the user.")
    ] = None,
    gold_entities: Annotated[
        Flag, typer.Option("--gold-entities", help="Give the gold query's entities to the agent.")
    ] = None,
    concurrency: options.Concurrency = None,
    limit: options.Limit = None,
    per_type: Annotated[int | None, typer.Option("--per-type", metavar="N", help="N questions of each type.")] = None,
    shard: Annotated[Text, typer.Option("--shard", metavar="I/N", help="The Ith of N parts of the questions.")] = None,
    executor: Annotated[
        Text,
        typer.Option("--executor", metavar="NAME", help="local (default), processes or ray: --concurrency of them."),
    ] = None,
    address: Annotated[
        Text, typer.Option("--address", metavar="HOST:PORT", help="The Ray cluster; without it a local one.")
    ] = None,
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
    mars_without: options.MarsWithout = None,
    language: options.Language = None,
    examples: options.Examples = None,
    examples_from: options.ExamplesFrom = None,
    ontology: options.Ontology = None,
    ontology_tokens: options.OntologyTokens = None,
    wrapper: options.Wrapper = None,
    note: options.Note = None,
    services: options.Services = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="For all that is random.")] = None,
    mode: options.Mode = None,
    config: options.Config = None,
) -> int:
    """Running the same command again goes on where the last run stopped.

    Exit codes: 0 every question has a record, 5 some had no reply of an endpoint or model, 1 some failed otherwise,
    4 none could be scored.
    """
    given = locals().copy()
    from clear_kgqa.settings import load_settings

    settings = load_settings(**given)
    what = evaluate_options(settings)
    try:
        summary = _local(settings, what) if settings.executor == "local" else _spread(settings, what)
    except KeyboardInterrupt:
        complain(f"stopped; the same command goes on where it stopped, in {what.out}")
        raise
    say(_told(summary, what.out))
    return _exit_code(summary)


def _local(settings: Settings, what: EvaluateOptions) -> dict[str, Any]:
    from clear_kgqa.evaluation.run import evaluate as run

    _check_model(settings)
    person = TerminalUser() if settings.user == "person" else None
    with opened_run(settings) as opened:
        model = _user_model(settings)
        return run(what, opened.strategies({}), opened.graph, person, model, shown_on(opened.bar))


def _spread(settings: Settings, what: EvaluateOptions) -> dict[str, Any]:
    """The same in as many workers as --concurrency says; the graph is built once before them."""
    from clear_kgqa.cli.opening import opened_graph
    from clear_kgqa.cli.stage_bar import StageBar
    from clear_kgqa.evaluation.process_executor import evaluate_in_processes
    from clear_kgqa.evaluation.ray_executor import evaluate_on_ray

    if settings.user == "person":
        raise ConfigError(f"--user person answers at this terminal; --executor {settings.executor} has none")
    file = Path(settings.kg)
    own = settings.model_copy(
        update={"executor": "local", "kg": str(file.resolve()) if file.is_file() else settings.kg}
    )
    with opened_graph(own):
        _check_model(own)
    with StageBar() as bar:
        work = partial(_shard_work, own)
        if settings.executor == "processes":
            return evaluate_in_processes(what, work, what.concurrency, shown_on(bar))
        return evaluate_on_ray(what, work, what.concurrency, settings.address or None, shown_on(bar))


def _shard_work(settings: Settings, part: EvaluateOptions) -> None:
    """What a worker does with its part."""
    from clear_kgqa.evaluation.run import evaluate as run

    with opened_run(settings) as opened:
        run(part, opened.strategies({}), opened.graph, user_model=_user_model(settings))


def _check_model(settings: Settings) -> None:
    """A model server that is away is told before anything is recorded (without --protocol auto nobody asks it)."""
    if settings.model == "offline" or settings.protocol != "auto" or settings.model.startswith(("replay:", "hf:")):
        return
    from clear_kgqa.agent.probe import probed

    probed(settings)


def _user_model(settings: Settings) -> BaseChatModel | None:
    """The model of `--user llm:MODEL`, on the same server."""
    profile, _, model = settings.user.partition(":")
    if profile != "llm":
        return None
    from clear_kgqa.agent.chat_model import chat_model

    return chat_model(settings.model_copy(update={"model": model}))


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


def _exit_code(summary: dict[str, Any]) -> int:
    """What went wrong in one line, and its code."""
    if summary["failed"]:
        why = f", {summary['unreachable']} without a reply of the endpoint or model" if summary["unreachable"] else ""
        complain(f"{summary['failed']} questions failed{why}; --retry-failed answers them again")
        return faults.UNREACHABLE if summary["unreachable"] else faults.FAULT
    if summary["n"] == summary["excluded"] and not summary.get("choice_n"):
        complain("no question could be scored: every gold query is broken, or empty on this graph")
        return faults.NO_ANSWER
    return faults.ANSWERED
