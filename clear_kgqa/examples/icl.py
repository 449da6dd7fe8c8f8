"""The published experiment on choosing examples: strategies x shots x models on linearised triples.

Source: methods.md section 5. Types are predicted; rows marked `gold type` use the test question's own query
as an upper bound and are asked for by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean

from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.examples.generative import GenerativeModel, TransformersModel
from clear_kgqa.examples.icl_report import IclReport, IclRow
from clear_kgqa.examples.index import ExampleIndex, build_index, folded
from clear_kgqa.examples.linearise import bleu, linearise, triple_f1
from clear_kgqa.examples.patterns import query_pattern
from clear_kgqa.examples.replies import FILE_NAME, KeptReplies, model_identity
from clear_kgqa.examples.selectors import STRATEGIES, TYPED, Selector
from clear_kgqa.examples.structure import structural_type
from clear_kgqa.examples.type_classifier import question_features
from clear_kgqa.likelihood.hf import split_spec
from clear_kgqa_tools.errors import ConfigError, QueryError
from clear_kgqa_tools.similarity import Similarity

INSTRUCTION = "Write the triples of the query that answers the question."
SHOTS = (0, 1, 3)
Progress = Callable[[str, int, int], None]
"""Gets "MODEL STRATEGY:SHOTS", prompts answered and prompts in all."""


@dataclass(frozen=True)
class _Task:
    """What every cell of the table shares."""

    test: tuple[Sample, ...]
    gold: tuple[str, ...]
    index: ExampleIndex
    line_of: Callable[[Sample], str]
    similarity: Similarity
    seed: int
    progress: Progress


def run_icl(
    train: Sequence[Sample],
    test: Sequence[Sample],
    models: Mapping[str, Callable[[], GenerativeModel]],
    similarity: Similarity,
    *,
    strategies: Sequence[str] = tuple(STRATEGIES),
    shots: Sequence[int] = SHOTS,
    prefixes: Mapping[str, str] | None = None,
    gold_types: bool = False,
    seed: int = 0,
    cache: Path | None = None,
    progress: Progress = lambda cell, done, of: None,
) -> IclReport:
    """Every strategy with every number of shots on every model (0 shots once: no strategy is used then).

    `models` maps a model's name to what loads it; they are loaded one after the other. Examples that ask what
    a test question asks, and samples on either side whose query cannot be parsed, are left out and counted.
    `gold_types` adds the upper bounds. `cache` is a folder for the index and the replies, with which a run goes
    on where the last one stopped. Raises ConfigError where nothing is left.
    """
    asked = {folded(s.question) for s in test}
    examples = [s for s in train if _readable(s) and folded(s.question) not in asked]
    questions = [s for s in test if _readable(s)]
    if not examples or not questions:
        raise ConfigError("icl needs training and test questions with queries that can be parsed")

    def line_of(sample: Sample) -> str:
        return linearise(query_pattern(sample.sparql), prefixes)

    index = build_index(examples, similarity, seed, cache)
    task = _Task(tuple(questions), tuple(map(line_of, questions)), index, line_of, similarity, seed, progress)
    rows, predictions = [], []
    for name, load in models.items():
        model = KeptReplies(model_identity(name), load, cache / FILE_NAME if cache else None)
        for strategy, k, types in _cells(strategies, shots, gold_types):
            row, lines = _one_cell(task, name, model, strategy, k, types)
            rows.append(row)
            predictions += [
                {
                    "model": name,
                    "strategy": f"{strategy}:{k}",
                    "types": types,
                    "id": s.id,
                    "gold": g,
                    "predicted": p,
                }
                for s, g, p in zip(task.test, task.gold, lines, strict=True)
            ]
    accuracy, floor = _type_accuracy(task)
    left_out = len(train) - len(examples) + len(test) - len(questions)
    return IclReport(
        tuple(rows),
        len(examples),
        len(questions),
        left_out,
        similarity.name,
        accuracy,
        floor,
        tuple(predictions),
    )


def _cells(strategies: Sequence[str], shots: Sequence[int], gold_types: bool) -> Iterable[tuple[str, int, str]]:
    if 0 in shots:
        yield "none", 0, ""
    for k in (k for k in shots if k):
        for strategy in strategies:
            yield strategy, k, "predicted" if strategy in TYPED else ""
            if gold_types and strategy in TYPED:
                yield strategy, k, "gold"


def _one_cell(
    task: _Task, name: str, model: KeptReplies, strategy: str, k: int, types: str
) -> tuple[IclRow, list[str]]:
    gold_types = {s.question: structural_type(s.sparql) for s in task.test} if types == "gold" else {}
    type_of = gold_types.__getitem__ if gold_types else None
    selector = Selector(strategy, k, task.index, task.similarity, task.seed, type_of)
    prompts = [
        prompt(s.question, [(e.question, task.line_of(e)) for e in selector.select(s.question)]) for s in task.test
    ]
    model.progress = partial(task.progress, f"{name} {strategy}:{k}{' gold type' if gold_types else ''}")
    lines = model.generate(prompts)
    f1 = fmean(triple_f1(line, gold) for line, gold in zip(lines, task.gold, strict=True))
    return IclRow(name, strategy, k, types, bleu(lines, task.gold), f1, len(lines)), lines


def prompt(question: str, examples: Sequence[tuple[str, str]]) -> str:
    """The instruction, examples as (question, linearised triples), and the question to continue after."""
    shown = [f"Question: {q}\nTriples: {line}\n" for q, line in examples]
    return "\n".join([INSTRUCTION, "", *shown, f"Question: {question}\nTriples:"])


def _type_accuracy(task: _Task) -> tuple[float, float]:
    """Share of test questions whose type is predicted right, and that of always naming the commonest."""
    gold = [structural_type(s.sparql) for s in task.test]
    asked = [s.question for s in task.test]
    predicted = task.index.classifier.predict(question_features(asked, task.similarity.encode(asked)))
    commonest = max(task.index.by_type, key=lambda t: len(task.index.by_type[t]))
    return fmean(p == g for p, g in zip(predicted, gold, strict=True)), fmean(g == commonest for g in gold)


def _readable(sample: Sample) -> bool:
    try:
        return bool(structural_type(sample.sparql))
    except QueryError:
        return False


def models_of(specs: Sequence[str]) -> dict[str, Callable[[], GenerativeModel]]:
    """Name -> what loads it, for "[hf:]MODEL[+ADAPTER]"; with an adapter its base comes first, for comparison."""
    named = [spec.removeprefix("hf:") for spec in specs]
    both = [name for spec in named for name in dict.fromkeys((split_spec(spec)[0], spec))]
    return {name: partial(TransformersModel, name) for name in both}
