"""The same evaluation on a Ray cluster: each worker runs a shard, the shards become one run folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from clear_kgqa.evaluation.manifest import claim, read_manifest
from clear_kgqa.evaluation.run import EvaluateOptions, write_summary
from clear_kgqa.evaluation.samples import read_samples, select
from clear_kgqa.evaluation.summary import Summary
from clear_kgqa.evaluation.transcripts import Transcripts, read_transcripts
from clear_kgqa_tools.errors import ConfigError

Work = Callable[[EvaluateOptions], object]
"""Opens the graph, makes the strategies and calls `evaluate` with the options given; must be picklable."""


def evaluate_on_ray(options: EvaluateOptions, work: Work, workers: int, address: str | None = None) -> Summary:
    """Run the questions in shards on a cluster (None: a local one) and merge these into `options.out`.

    The run folder must lie on a file system that all workers see. A worker that dies is restarted and goes
    on where it was; so does the same command. Raises ConfigError without the extra `ray` or with a shard.
    """
    if options.shard is not None:
        raise ConfigError("--executor ray makes the shards itself; leave --shard out")
    try:
        import ray
    except ImportError as error:
        raise ConfigError("--executor ray needs the extra: pip install 'clear-kgqa[ray]'") from error
    parts = [replace(options, out=options.out / f"shard-{at}", shard=(at, workers)) for at in range(1, workers + 1)]
    if address is None:
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    else:
        ray.init(address=address, log_to_driver=False)

    @ray.remote(max_retries=3)
    def shard(part: EvaluateOptions) -> None:
        work(part)

    try:
        ray.get([shard.remote(part) for part in parts])
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, ConfigError):
            raise error.cause from None
        raise
    finally:
        ray.shutdown()
    return merge_shards(options, [part.out for part in parts])


def merge_shards(options: EvaluateOptions, folders: Sequence[Path]) -> Summary:
    """Make one run folder of finished shards, with manifest and summary, as if it had been one run."""
    own = ("versions", "resumed_with")
    identity = {k: v for k, v in read_manifest(folders[0]).items() if k not in own}
    claim(options.out, identity | {"shard": None})
    with Transcripts(options.out) as transcripts:
        for folder in folders:
            for record in read_transcripts(folder):
                if transcripts.ends.get(record["id"], "error") == "error":
                    transcripts.append(record)
    chosen = select(read_samples(options.questions), per_type=options.per_type, limit=options.limit, seed=options.seed)
    return write_summary(options.out, {s.id for s in chosen}, options.mode)
