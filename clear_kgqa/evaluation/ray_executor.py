"""The same evaluation on a Ray cluster: each worker runs a shard, the shards become one run folder."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from clear_kgqa.evaluation.run import EvaluateOptions, Progress
from clear_kgqa.evaluation.shards import LOOK, Followed, Work, merge_shards, shards_of
from clear_kgqa.evaluation.summary import Summary
from clear_kgqa_tools.errors import ClearKgqaError, ConfigError, EndpointError


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
    parts = shards_of(options, workers)
    ray = _ray()
    _connect(ray, workers, address)
    try:
        shard = ray.remote(max_retries=3)(_worked)
        _watch(ray, [shard.remote(work, part) for part in parts], Followed(parts, progress))
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
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    logging.getLogger("ray").setLevel("ERROR")  # it tells about its tokens before it reads the level
    if address is None:
        ray.init(num_cpus=workers, include_dashboard=False, **quiet)
        return
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, ValueError) as error:
        raise ConfigError(f"--address {address}: no Ray cluster answers there") from error


def _watch(ray: Any, running: list[Any], followed: Followed) -> None:
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
