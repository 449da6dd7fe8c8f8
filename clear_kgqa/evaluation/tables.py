"""`clear-kgqa tables`: every table of a dataset by one command: users, baseline, ablations, rewrites."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from clear_kgqa.evaluation.dialogue import MakeStrategy
from clear_kgqa.evaluation.report import load_runs, write_report
from clear_kgqa.evaluation.rewrite import rewrite_file
from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions, Progress, evaluate

REWRITTEN = "rewritten.jsonl"


@dataclass(frozen=True, slots=True)
class Variant:
    """One run of the set: its folder, user, changed settings, number of seeds, and which questions."""

    name: str
    user: str = "silent"
    changes: Mapping[str, Any] = field(default_factory=dict)
    seeds: int = 1
    rewritten: bool = False

    def folders(self, first_seed: int = 0) -> list[str]:
        """The name of the run folder of each seed."""
        seeds = range(first_seed, first_seed + self.seeds)
        return [self.name if self.seeds == 1 else f"{self.name}-seed{seed}" for seed in seeds]


VARIANTS = (
    Variant("silent"),
    Variant("oracle", "oracle"),
    Variant("noisy-0.1", "noisy:0.1", seeds=3),
    Variant("noisy-0.3", "noisy:0.3", seeds=3),
    Variant("lazy", "lazy"),
    Variant("vague", "vague"),
    Variant("contradicting", "contradicting"),
    Variant("text", "text"),
    Variant("random-gold", "random-gold"),
    Variant("interactive", changes={"strategy": "interactive"}),
    Variant("interactive-rewritten", changes={"strategy": "interactive"}, rewritten=True),
    Variant("no-plugin", "oracle", {"no_plugin": True}),
    Variant("no-entity", "oracle", {"no_entity": True}),
    Variant("no-intent", "oracle", {"no_intent": True}),
    Variant("gold-entities", changes={"gold_entities": True}),
    Variant("gold-entities-oracle", "oracle", {"gold_entities": True}),
)

StrategyFor = Callable[[Mapping[str, Any]], MakeStrategy]
"""Makes a strategy factory under changed settings."""
Told = Callable[[str, Progress], None]


def tables(
    options: EvaluateOptions,
    strategy_for: StrategyFor,
    graph: EvaluateGraph,
    progress: Told | None = None,
    variants: Sequence[Variant] = VARIANTS,
) -> Path:
    """Run (or resume) all variants into folders under `options.out`, and report on them; returns report.html.

    report.md and report.csv stand beside it. Gold results are shared between the runs. Raises ConfigError
    where a variant cannot run.
    """
    options.out.mkdir(parents=True, exist_ok=True)
    shared = replace(options, gold_cache=options.gold_cache or options.out / "gold.sqlite")
    rewritten = options.out / REWRITTEN
    if any(variant.rewritten for variant in variants) and not rewritten.exists():
        rewrite_file(options.questions, rewritten, graph)
    folders = []
    for variant in variants:
        for seed, name in enumerate(variant.folders(options.seed), options.seed):
            folders.append(options.out / name)
            _run(variant, replace(shared, seed=seed, out=folders[-1]), strategy_for, graph, progress, rewritten)
    runs = load_runs(folders, options.mode)
    for kind in ("csv", "md", "html"):
        write_report(runs, options.out / f"report.{kind}")
    return options.out / "report.html"


def _run(
    variant: Variant,
    options: EvaluateOptions,
    strategy_for: StrategyFor,
    graph: EvaluateGraph,
    progress: Told | None,
    rewritten: Path,
) -> None:
    def told(now: Progress) -> None:
        if progress:
            progress(options.out.name, now)

    own = replace(
        options,
        user=variant.user,
        questions=rewritten if variant.rewritten else options.questions,
        settings={**options.settings, **variant.changes},
    )
    evaluate(own, strategy_for(variant.changes), graph, progress=told)
