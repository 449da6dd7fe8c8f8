"""The same evaluation on a Ray cluster: each worker runs a shard, the shards become one run folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from clear_kgqa.evaluation.manifest import claim, read_manifest
from clear_kgqa.evaluation.run import EvaluateOptions, Progress, Tally, write_summary
from clear_kgqa.evaluation.samples import read_samples
from clear_kgqa.evaluation.summary import Summary, row_of
from clear_kgqa.evaluation.transcripts import NAME, Record, Transcripts, read_transcripts
from clear_kgqa_tools.errors import ClearKgqaError, ConfigError, EndpointError

Work = Callable[[EvaluateOptions], object]
"""Opens the graph, makes the strategies and calls `evaluate` with the options given; must be picklable."""
LOOK = 1.0  # seconds between two looks at what the workers have written


def evaluate_on_ray(
    options: EvaluateOptions,
    work: Work,
    workers: int,
    address: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Run the questions in shards on a cluster (None: a local one) and merge these into `options.out`.

    The run folder must lie on a file system that all workers see. A worker that dies is restarted and goes
    on where it was; so does the same command, with as many workers or others. Raises ConfigError without the
    extra `ray`, without the cluster or with a shard, and what stopped a worker.
    """
    if options.shard is not None:
        raise ConfigError("--executor ray makes the shards itself; leave --shard out")
    ray = _ray()
    held = _gathered(options)
    parts = [
        replace(options, out=options.out / f"shard-{at}-of-{workers}", shard=(at, workers), concurrency=1, skip=held)
        for at in range(1, workers + 1)
    ]
    _connect(ray, workers, address)
    try:
        shard = ray.remote(max_retries=3)(_worked)
        _watch(ray, [shard.remote(work, part) for part in parts], _Followed(parts, progress))
    finally:
        ray.shutdown()
    return merge_shards(options, [part.out for part in parts])


def _worked(work: Work, part: EvaluateOptions) -> None:
    """What a worker does; the result of `work` stays with it."""
    work(part)


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise ConfigError("--executor ray needs the extra: pip install 'clear-kgqa[ray]'") from error
    return ray


def _connect(ray: Any, workers: int, address: str | None) -> None:
    if address is None:
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
        return
    try:
        ray.init(address=address, log_to_driver=False)
    except (ConnectionError, ValueError) as error:
        raise ConfigError(f"--address {address}: no Ray cluster answers there") from error


def _gathered(options: EvaluateOptions) -> frozenset[str]:
    """Bring what shards of an earlier call hold into the run folder; the ids that need no answer any more."""
    shards = sorted(options.out.glob("shard-*-of-*"))
    if shards:
        merge_shards(options, shards)
    if not (options.out / NAME).exists():
        return frozenset()
    ends = {r["id"]: r["end"] for r in read_transcripts(options.out)}
    return frozenset(ends) - {s.id for s in options.open(read_samples(options.questions), ends)}


class _Followed:
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


def _watch(ray: Any, running: list[Any], followed: _Followed) -> None:
    """Wait for all workers; raises what stopped one of them."""
    try:
        while running:
            done, running = ray.wait(running, num_returns=len(running), timeout=LOOK)
            followed.look()
            ray.get(done)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, ClearKgqaError):
            raise error.cause from None
        raise
    except ray.exceptions.WorkerCrashedError as error:
        raise EndpointError("a Ray worker died again and again; the same command goes on") from error


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
