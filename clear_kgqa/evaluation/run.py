"""Batch evaluation: many dialogues at once, recorded as they end, resumed where a kill left them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from clear_kgqa.evaluation.dialogue import Judge, MakeStrategy, answer_sample, head
from clear_kgqa.evaluation.gold import Check, GoldQueries
from clear_kgqa.evaluation.manifest import claim, file_hash, write_json
from clear_kgqa.evaluation.need import Describe, need_of
from clear_kgqa.evaluation.samples import Sample, read_samples, select
from clear_kgqa.evaluation.summary import NAME as SUMMARY
from clear_kgqa.evaluation.summary import Row, Summary, row_of, summarise, unreachable
from clear_kgqa.evaluation.transcripts import Record, Transcripts, read_transcripts
from clear_kgqa.evaluation.user_model import ModelUser
from clear_kgqa.evaluation.users import UserFactory, behaviour_of
from clear_kgqa.evaluation.values import Mode
from clear_kgqa.strategy import Strategy
from clear_kgqa.user import User
from clear_kgqa_tools.errors import ConfigError, EndpointError
from clear_kgqa_tools.graph import KnowledgeGraph

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

MakeUser = Callable[[Sample], User]
GIVE_UP = 20  # questions in a row that an endpoint or a model did not answer; twice those at once, where more are


@dataclass(frozen=True)
class EvaluateOptions:
    """What to evaluate. `settings` hold all that changes results beside these fields, for the manifest.

    `shard` is (i, n) with i from 1; `gold_cache` a SQLite file shared between runs (None: in the run folder); `skip`
    are ids that another folder holds.
    """

    questions: Path
    out: Path
    user: str = "silent"
    seed: int = 0
    mode: Mode = "strict"
    concurrency: int = 1
    limit: int | None = None
    per_type: int | None = None
    shard: tuple[int, int] | None = None
    retry_failed: bool = False
    most_asks: int = 10
    settings: dict[str, Any] = field(default_factory=dict)
    gold_cache: Path | None = None
    skip: frozenset[str] = frozenset()

    def selected(self, samples: list[Sample]) -> list[Sample]:
        """Those of the samples that this run is about."""
        return select(samples, per_type=self.per_type, limit=self.limit, shard=self.shard, seed=self.seed)

    def open(self, samples: list[Sample], ends: Mapping[str, str]) -> list[Sample]:
        """Those that `ends`, how each recorded question ended, has no record of (or a failure, with retry_failed)."""
        again = {"error"} if self.retry_failed else set()
        return [s for s in samples if s.id not in self.skip and (s.id not in ends or ends[s.id] in again)]


@dataclass(frozen=True)
class EvaluateGraph:
    """The graph that gold queries and offered queries run on; `check` completes and checks a query for it."""

    graph: KnowledgeGraph
    check: Check
    describe: Describe
    name: str = ""
    data_hash: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is; means over what this call answered, `cost` in US dollars, `seconds_left` a guess."""

    done: int
    total: int
    failed: int
    f1: float
    asks_per_question: float
    tokens: int
    cost: float
    seconds_left: float


def evaluate(
    options: EvaluateOptions,
    make_strategy: MakeStrategy,
    graph: EvaluateGraph,
    person: User | None = None,
    user_model: BaseChatModel | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Answer all selected questions that have no record yet, and write the run folder.

    `person` answers for `--user person`, `user_model` (a LangChain chat model) for `llm:MODEL`. Raises
    ConfigError for wrong files and for another run's folder, EndpointError when GIVE_UP questions in a row were not
    answered at all; a question that fails is recorded, not raised.
    """
    if person is None and user_model is None:
        behaviour_of(options.user)
    everything = read_samples(options.questions)
    samples = options.selected(everything)
    claim(options.out, identity_of(options, graph))
    gold = GoldQueries(
        graph.graph,
        graph.check,
        options.gold_cache or options.out / "gold.sqlite",
        graph.data_hash or graph.name,
    )
    if person is not None:
        make_user: MakeUser = partial(_same, person)
    elif user_model is not None:
        make_user = partial(_played, user_model, gold, graph.describe, options.seed)
    else:
        make_user = UserFactory(options.user, gold, graph.describe, everything, options.seed)
    try:
        with Transcripts(options.out) as transcripts:
            run = _Run(options, make_strategy, make_user, Judge(gold, graph.describe), transcripts, progress)
            run.all(samples)
    finally:
        gold.close()
    return write_summary(options.out, {s.id for s in samples}, options.mode)


def _same(person: User, sample: Sample) -> User:
    return person


def _played(model: BaseChatModel, gold: GoldQueries, describe: Describe, seed: int, sample: Sample) -> User:
    need = need_of(sample, gold.gold(sample), describe)
    return ModelUser(model, need, Random(f"{seed}/llm/{sample.id}"))


def identity_of(options: EvaluateOptions, graph: EvaluateGraph) -> dict[str, Any]:
    """Everything that tells one run from another, for the manifest."""
    return {
        "graph": {"name": graph.name, "sha256": graph.data_hash},
        "questions": {"name": options.questions.name, "sha256": file_hash(options.questions)},
        "user": options.user,
        "seed": options.seed,
        "per_type": options.per_type,
        "shard": list(options.shard) if options.shard else None,
        "most_asks": options.most_asks,
        "settings": options.settings,
    }


def write_summary(folder: Path, ids: set[str], mode: Mode) -> Summary:
    """Compute summary.json of a run folder from the records of these ids."""
    rows = (row_of(record, mode) for record in read_transcripts(folder) if record["id"] in ids)
    summary = summarise(rows, len(ids), mode)
    write_json(folder / SUMMARY, summary)
    return summary


class _Run:
    """The open work of one run. Dialogues run in threads; the event loop's thread alone writes records."""

    def __init__(
        self,
        options: EvaluateOptions,
        make_strategy: MakeStrategy,
        make_user: MakeUser,
        judge: Judge,
        transcripts: Transcripts,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._options = options
        self._make_strategy = make_strategy
        self._make_user = make_user
        self._judge = judge
        self._transcripts = transcripts
        self._progress = progress
        self._open: set[Strategy] = set()
        self._tally = Tally()
        self._unreached = 0

    def all(self, samples: list[Sample]) -> None:
        """Answer every sample that is not recorded (or failed, with retry_failed)."""
        todo = self._options.open(samples, self._transcripts.ends)
        self._tally = Tally(len(samples), len(samples) - len(todo), len(todo))
        asyncio.run(self._workers(iter(todo)))

    async def _workers(self, todo: Iterator[Sample]) -> None:
        pool = ThreadPoolExecutor(self._options.concurrency, thread_name_prefix="evaluate")
        try:
            await asyncio.gather(*(self._worker(todo, pool) for _ in range(self._options.concurrency)))
        finally:
            for strategy in list(self._open):
                strategy.cancel()
            pool.shutdown(cancel_futures=True)

    async def _worker(self, todo: Iterator[Sample], pool: ThreadPoolExecutor) -> None:
        loop = asyncio.get_running_loop()
        for sample in todo:
            record = await loop.run_in_executor(pool, self._one, sample)
            self._transcripts.append(record)
            self._tally.add(row_of(record, self._options.mode))
            if self._progress:
                self._progress(self._tally.progress())
            self._give_up(record)

    def _give_up(self, record: Record) -> None:
        """A server that is away for good is told once, not for every question."""
        self._unreached = self._unreached + 1 if unreachable(record) else 0
        if self._unreached >= max(GIVE_UP, 2 * self._options.concurrency):
            raise EndpointError(
                f"{self._unreached} questions in a row got no reply: {record['error']} "
                f"Stopped; the same command with --retry-failed goes on."
            )

    def _one(self, sample: Sample) -> Record:
        opened: list[Strategy] = []

        def make_strategy(sample: Sample) -> Strategy:
            opened.append(self._make_strategy(sample))
            self._open.update(opened)
            return opened[0]

        try:
            return answer_sample(sample, make_strategy, self._make_user, self._judge, self._options.most_asks)
        except ConfigError:
            raise  # the same for every question: stop, and say so
        except Exception as error:  # the outermost edge of one question: the others go on
            failure = "endpoint" if isinstance(error, EndpointError) else "fault"
            return {**head(sample, "error", f"{type(error).__name__}: {error}"), "failure": failure}
        finally:
            self._open.difference_update(opened)


@dataclass
class Tally:
    """Running means for the progress line."""

    total: int = 0
    done: int = 0
    left: int = 0
    failed: int = 0
    scored: int = 0
    answered: int = 0
    f1: float = 0.0
    asks: int = 0
    tokens: int = 0
    cost: float = 0.0
    started: float = field(default_factory=time.monotonic)

    def add(self, row: Row) -> None:
        self.done += 1
        self.left -= 1
        self.answered += 1
        self.failed += row.end == "error"
        self.scored += row.scores is not None
        self.f1 += row.scores.f1 if row.scores else 0.0
        self.asks += row.asks
        self.tokens += row.tokens
        self.cost += row.cost

    def progress(self) -> Progress:
        elapsed = time.monotonic() - self.started
        return Progress(
            self.done,
            self.total,
            self.failed,
            self.f1 / self.scored if self.scored else 0.0,
            self.asks / self.answered,
            self.tokens,
            self.cost,
            elapsed / self.answered * self.left,
        )
