"""Shards of one run: each is a run folder of its own, and together they become the run's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from clear_kgqa.evaluation.manifest import claim, read_manifest
from clear_kgqa.evaluation.run import EvaluateOptions, Progress, Tally, write_summary
from clear_kgqa.evaluation.samples import read_samples
from clear_kgqa.evaluation.summary import Summary, row_of
from clear_kgqa.evaluation.transcripts import NAME, Record, Transcripts, read_transcripts
from clear_kgqa_tools.errors import ConfigError

Work = Callable[[EvaluateOptions], object]
"""Opens the graph, makes the strategies and calls `evaluate` with the options given; must be picklable."""
LOOK = 1.0  # seconds between two looks at what the workers have written


def shards_of(options: EvaluateOptions, workers: int) -> list[EvaluateOptions]:
    """The parts of a run, without what it holds already; raises ConfigError where it is a shard itself."""
    if options.shard is not None:
        raise ConfigError("this executor makes the shards itself; leave --shard out")
    held = _gathered(options)
    return [
        replace(options, out=options.out / f"shard-{at}-of-{workers}", shard=(at, workers), concurrency=1, skip=held)
        for at in range(1, workers + 1)
    ]


def _gathered(options: EvaluateOptions) -> frozenset[str]:
    """Bring what shards of an earlier call hold into the run folder; the ids that need no answer any more."""
    shards = sorted(options.out.glob("shard-*-of-*"))
    if shards:
        merge_shards(options, shards)
    if not (options.out / NAME).exists():
        return frozenset()
    ends = {r["id"]: r["end"] for r in read_transcripts(options.out)}
    return frozenset(ends) - {s.id for s in options.open(read_samples(options.questions), ends)}


class Followed:
    """What the workers write, counted as it comes."""

    def __init__(self, parts: Sequence[EvaluateOptions], progress: Callable[[Progress], None] | None) -> None:
        samples = read_samples(parts[0].questions)
        self._mode, self._progress = parts[0].mode, progress
        self._at = {part.out / NAME: _size(part.out / NAME) for part in parts}
        total = todo = 0
        for part in parts:
            chosen = part.selected(samples)
            ends = {r["id"]: r["end"] for r in read_transcripts(part.out)} if self._at[part.out / NAME] else {}
            total += len(chosen)
            todo += len(part.open(chosen, ends))
        self._tally = Tally(total, total - todo, todo)

    def look(self) -> None:
        """Count what came since the last look, and tell."""
        came = [record for path in self._at for record in self._new(path)]
        for record in came:
            self._tally.add(row_of(record, self._mode))
        if came and self._progress:
            self._progress(self._tally.progress())

    def _new(self, path: Path) -> Iterator[Record]:
        if not path.exists():
            return
        with path.open("rb") as lines:
            lines.seek(self._at[path])
            for line in lines:
                if not line.endswith(b"\n"):
                    return  # being written
                self._at[path] += len(line)
                yield json.loads(line)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def merge_shards(options: EvaluateOptions, folders: Sequence[Path]) -> Summary:
    """Make one run folder of finished shards, with manifest and summary, as if it had been one run."""
    own = ("versions", "resumed_with")
    identity = {k: v for k, v in read_manifest(folders[0]).items() if k not in own}
    claim(options.out, identity | {"shard": None})
    with Transcripts(options.out) as transcripts:
        for folder in folders:
            for record in read_transcripts(folder):
                held = transcripts.ends.get(record["id"])
                if held is None or (held == "error" and record["end"] != "error"):
                    transcripts.append(record)
    chosen = options.selected(read_samples(options.questions))
    return write_summary(options.out, {s.id for s in chosen}, options.mode)
