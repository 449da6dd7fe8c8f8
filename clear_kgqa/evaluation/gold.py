"""Gold answers: the gold query run on the same graph, cached, with LIMIT ties and disagreements found."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from clear_kgqa.evaluation.metrics import answer_f1
from clear_kgqa.evaluation.order_ties import Cut, cut_of, ranked_query
from clear_kgqa.evaluation.query_shape import tidy
from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.evaluation.values import answers_of, overlap, row_answer
from clear_kgqa_tools.errors import LimitExceeded, QueryError
from clear_kgqa_tools.graph import CheckedQuery, KnowledgeGraph
from clear_kgqa_tools.terms import QueryResult

Status = Literal["run", "stored", "empty", "broken"]
Check = Callable[[str], CheckedQuery]


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold of one sample.

    `run` gold comes from the graph, `stored` from the file (no query given); `empty` and `broken` gold is
    excluded from scores, for a `reason`. Where LIMIT cuts through equal ranks, `tied` are the answers of that
    rank, `fixed` those before it; `unchecked`: ties could not be looked for; `differs`: the file's differ;
    `alternatives` are the answers of the sample's other queries.
    """

    answers: tuple[str, ...]
    status: Status
    reason: str = ""
    fixed: tuple[str, ...] = ()
    tied: tuple[str, ...] = ()
    unchecked: bool = False
    differs: bool = False
    alternatives: tuple[tuple[str, ...], ...] = ()

    @property
    def usable(self) -> bool:
        return self.status in ("run", "stored")

    def resolve(self, predicted: tuple[str, ...]) -> tuple[str, ...]:
        """The gold answers that fit the prediction best: ties in its favour, the best of the alternatives."""
        sets = [self._untied(predicted), *self.alternatives]
        return max(sets, key=lambda s: answer_f1(s, predicted, "lenient")) if self.alternatives else sets[0]

    def _untied(self, predicted: tuple[str, ...]) -> tuple[str, ...]:
        if not self.tied:
            return self.answers
        chosen = [a for a in self.tied if a in set(predicted)] + [a for a in self.tied if a not in set(predicted)]
        return (*self.fixed, *chosen[: len(self.answers) - len(self.fixed)])


class GoldQueries:
    """Runs gold queries on a graph; results stay in a SQLite file, so that no run repeats another's work.

    Safe to call from several threads. `data_hash` tells graphs apart in a shared cache.
    """

    def __init__(self, graph: KnowledgeGraph, check: Check, cache: Path, data_hash: str = "") -> None:
        self._graph = graph
        self._check = check
        self._hash = data_hash
        self._lock = threading.Lock()
        cache.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(cache, check_same_thread=False, timeout=60)
        self._db.execute("CREATE TABLE IF NOT EXISTS gold (key TEXT PRIMARY KEY, value TEXT NOT NULL)")

    def close(self) -> None:
        self._db.close()

    def gold(self, sample: Sample) -> Gold:
        """The sample's gold; raises EndpointError or Cancelled when the graph could not be asked."""
        if not sample.sparql.strip():
            return Gold(sample.answers, "stored") if sample.answers else Gold((), "empty", "no query and no answers")
        found = [self._cached(query) for query in (sample.sparql, *sample.alternatives)]
        good = [gold for gold in found if gold.usable]
        gold = replace(good[0], alternatives=tuple(g.answers for g in good[1:])) if good else found[0]
        if sample.answers is None or not gold.usable:
            return gold
        sizes = overlap(sample.answers, gold.answers, "lenient")
        same = sizes.shared == sizes.gold == sizes.predicted or set(sample.answers) <= {
            *gold.fixed,
            *gold.tied,
        }
        return gold if same else replace(gold, differs=True)

    def answers(self, sparql: str) -> tuple[str, ...]:
        """The answers of any query, empty where it cannot be run."""
        try:
            return answers_of(self._graph.query(self._check(tidy(sparql))))
        except (QueryError, LimitExceeded):
            return ()

    def _cached(self, sparql: str) -> Gold:
        key = hashlib.sha256(f"{self._hash}\0{sparql}".encode()).hexdigest()
        with self._lock:
            row = self._db.execute("SELECT value FROM gold WHERE key = ?", (key,)).fetchone()
        if row:
            return _from_json(json.loads(row[0]))
        gold = self._run(sparql)
        with self._lock, self._db:
            self._db.execute("INSERT OR REPLACE INTO gold VALUES (?, ?)", (key, json.dumps(asdict(gold))))
        return gold

    def _run(self, sparql: str) -> Gold:
        try:
            checked = self._check(tidy(sparql))
            result = self._graph.query(checked)
        except (QueryError, LimitExceeded) as error:
            return Gold((), "broken", str(error))
        if result.incomplete:
            return Gold((), "broken", f"the graph cut the result: {result.reason}")
        answers = answers_of(result)
        if not answers:
            return Gold((), "empty", "the gold query finds nothing in this graph")
        cut = cut_of(checked.text)
        return Gold(answers, "run") if cut is None else self._with_ties(answers, result, cut)

    def _with_ties(self, answers: tuple[str, ...], result: QueryResult, cut: Cut) -> Gold:
        if len(result.rows) < cut.limit:
            return Gold(answers, "run")
        found = self._ranked(cut)
        if found is None:
            return Gold(answers, "run", unchecked=True)
        ranked, names = found
        at = [ranked.columns.index(name) for name in names]
        keys = [tuple(row[i] for i in at) for row in ranked.rows]
        values = [row_answer(row[: len(result.columns)]) for row in ranked.rows]  # added ranks come last
        last = keys[min(cut.offset + cut.limit, len(keys)) - 1]
        tied = [at for at, key in enumerate(keys) if key == last]
        names_tied = tuple(dict.fromkeys(values[at] for at in tied))
        if set(names_tied) <= set(answers):  # every row of the last rank is in, or repeats one that is
            return Gold(answers, "run")
        return Gold(answers, "run", fixed=tuple(a for a in answers if a not in names_tied), tied=names_tied)

    def _ranked(self, cut: Cut) -> tuple[QueryResult, tuple[str, ...]] | None:
        ranked = ranked_query(cut)
        if ranked is None:
            return None
        try:
            result = self._graph.query(self._check(ranked[0]))
        except (QueryError, LimitExceeded):
            return None
        return (result, ranked[1]) if result.rows else None


def _from_json(data: dict[str, Any]) -> Gold:
    lists = {name: tuple(data[name]) for name in ("answers", "fixed", "tied")}
    return Gold(**{**data, **lists})
