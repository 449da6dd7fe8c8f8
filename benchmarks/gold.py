"""Gold as prediction: the gold queries of question sets, run and answered as the agent's are, must score 1.000.

Usage: python benchmarks/gold.py [DATA]
DATA holds a folder per set with kg.nt.gz and questions.jsonl; the questions over the demo graph are always checked.
Lists what is excluded (broken or empty on the graph), what differs from stored answers, and every exception.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from clear_kgqa.agent.answer import answered, is_empty
from clear_kgqa.cli.batch import evaluate_options, opened_run
from clear_kgqa.cli.opening import opened_graph
from clear_kgqa.evaluation.report import load_runs
from clear_kgqa.evaluation.run import evaluate
from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.events import Event, Failed
from clear_kgqa.settings import Settings
from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.execute import ExecuteSPARQL
from clear_kgqa_tools.schema import Schema

LISTED = 10


class GoldQuery:
    """A strategy that knows the gold query."""

    def __init__(self, execute: ExecuteSPARQL, schema: Schema, sample: Sample) -> None:
        self._execute, self._schema, self._sparql = execute, schema, sample.sparql

    def start(self, question: str) -> Iterator[Event]:
        try:
            execution = self._execute(self._sparql)
        except QueryError as error:
            yield Failed("not_understood", str(error))
            return
        yield Failed("empty", "nothing") if is_empty(execution) else answered(execution, "", {}, self._schema)

    def resume(self, reply: str | None) -> Iterator[Event]:
        yield from ()

    def cancel(self) -> None: ...


def check(name: str, settings: Settings) -> None:
    """One line per set and mode, then what deserves a look."""
    options = evaluate_options(settings)
    with opened_graph(settings) as bundle, opened_run(settings) as opened:
        execute = ExecuteSPARQL(bundle.graph, bundle.profile.prefixes)
        evaluate(options, lambda sample: GoldQuery(execute, bundle.schema, sample), opened.graph)
    for mode in ("strict", "lenient"):
        run = load_runs([options.out], mode)[0]
        scored = [r for r in run.rows if r.scores]
        wrong = [r.id for r in scored if r.scores and r.scores.f1 < 1]
        mean = f"{sum(r.scores.f1 for r in scored if r.scores) / len(scored):.3f}" if scored else "-"
        print(f"| {name} | {mode} | {len(run.rows)} | {len(scored)} | {mean} | {listed(wrong)} |", flush=True)
    excluded = [r.id for r in run.rows if r.scores is None]
    print(f"  excluded {listed(excluded)}; stored answers differ {listed(run.summary['gold_differs'])}", flush=True)


def listed(ids: list[str]) -> str:
    """How many, and the first of them."""
    more = " ..." if len(ids) > LISTED else ""
    return f"{len(ids)}" + (f" ({', '.join(ids[:LISTED])}{more})" if ids else "")


def main(data: Path | None) -> None:
    print("| set | mode | questions | scored | F1 | below 1 |\n|---|---|---|---|---|---|")
    demo = Path(str(files("clear_kgqa") / "data" / "demo_questions.jsonl"))
    sets = {"demo": ("demo", demo)}
    for folder in sorted(data.iterdir()) if data else ():
        if (folder / "questions.jsonl").exists():
            sets[folder.name] = (str(folder / "kg.nt.gz"), folder / "questions.jsonl")
    with tempfile.TemporaryDirectory() as out:
        for name, (kg, questions) in sets.items():
            check(name, Settings(kg=kg, questions=questions, out=Path(out) / name))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
