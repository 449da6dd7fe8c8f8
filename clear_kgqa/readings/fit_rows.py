"""The raw material of a fit: every reading of every question of a set, each with its F1 against gold."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from clear_kgqa.evaluation.gold import Check, Gold, GoldQueries
from clear_kgqa.evaluation.metrics import answer_f1
from clear_kgqa.evaluation.query_shape import shape_of
from clear_kgqa.evaluation.samples import Sample, read_samples
from clear_kgqa.readings.paths import Doubles
from clear_kgqa.readings.reader import Reader, Table
from clear_kgqa.readings.reading import Span
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import QueryError

UNANSWERABLE = 2.0  # weight of a question that the graph cannot answer: there are few, and each kind matters
SMALL_GOLD = 50  # a cut list of answers cannot do well or badly by its cut where gold is smaller than this


@dataclass(frozen=True)
class FitRow:
    """One question of the set `data` with its table and the F1 of each reading against gold: (readings,).

    `weight` says how much it counts in a fit, `breadth` how broad its graph is (see PropertySpace).
    """

    data: str
    sample: Sample
    nodes: frozenset[str]
    table: Table
    f1: Doubles
    weight: float = 1.0
    breadth: float = 0.0

    @property
    def ceiling(self) -> float:
        """F1 of the best reading there is."""
        return float(self.f1.max(initial=0.0))

    @cached_property
    def entity(self) -> str:
        """The gold entity, by which folds are grouped: the first mentioned node that the gold query names."""
        named = self._named()
        return f"{self.data} {named[0][1] if named else min(self.nodes, default=self.sample.id)}"

    @cached_property
    def template(self) -> str:
        """The question without the longest mention of its gold entity (of any entity where that is unknown)."""
        text = self.sample.question
        spans = [span for span, _ in self._named()] or [m.span for m in self.table.mentions]
        start, end = max(spans, key=lambda s: s[1] - s[0], default=(0, 0))
        return " ".join(re.findall(r"\w+", f"{text[:start]} _ {text[end:]}".casefold()))

    def _named(self) -> list[tuple[Span, str]]:
        return [(m.span, n.iri) for m in self.table.mentions for n in m.nodes if n.iri in self.nodes]


def tabulate(
    bundle: GraphBundle, questions: Path, gold_cache: Path, told: Callable[[int, int], None] | None = None
) -> list[FitRow]:
    """One row per question with usable gold; `told(done, of)` hears of the progress.

    Raises ConfigError for a wrong questions file, EndpointError where the graph cannot be asked.
    """
    from clear_kgqa_tools.execute import ExecuteSPARQL

    samples = read_samples(questions)
    check = ExecuteSPARQL(bundle.graph, bundle.profile.prefixes).check
    runner = GoldQueries(bundle.graph, check, gold_cache, bundle.data_hash)
    reader, rows = Reader(bundle), []
    name = questions.parent.name if questions.stem == "questions" else questions.stem
    try:
        for done, sample in enumerate(samples, 1):
            gold = runner.gold(sample)
            unanswerable = gold.status == "empty" and sample.type == "unanswerable"
            if gold.usable or unanswerable:
                table = reader.table(sample.question, reader.mentions(sample.question))
                f1 = _against(table, gold, runner)
                rows.append(
                    FitRow(
                        name,
                        sample,
                        _nodes(sample, check),
                        table,
                        f1,
                        UNANSWERABLE if unanswerable else 1.0,
                        reader.space.breadth,
                    )
                )
            if told:
                told(done, len(samples))
    finally:
        runner.close()
    return rows


def _nodes(sample: Sample, check: Check) -> frozenset[str]:
    """The entities and classes of the gold query, and the intended entity."""
    intended = {sample.intended} - {""}
    try:
        return (
            frozenset({*shape_of(check(sample.sparql).text).nodes, *intended}) if sample.sparql else frozenset(intended)
        )
    except QueryError:
        return frozenset(intended)


def _against(table: Table, gold: Gold, runner: GoldQueries) -> Doubles:
    """F1 of each reading; answers that were cut are asked for again in full where that can matter."""
    found = []
    for reading, answers in zip(table.readings, table.answers, strict=True):
        values = tuple(dict.fromkeys(t.value for t in answers.terms))
        if answers.truncated and len(gold.answers) > SMALL_GOLD:
            values = runner.answers(reading.query) or values
        found.append(answer_f1(gold.resolve(values), values, "lenient"))
    return np.array(found)
