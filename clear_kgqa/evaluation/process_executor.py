"""The same evaluation in several processes of this machine: the offline planner keeps one core busy by itself."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import connection, get_context, parent_process
from threading import Thread
from typing import Any

from clear_kgqa.evaluation.run import EvaluateOptions, Progress
from clear_kgqa.evaluation.shards import LOOK, Followed, Work, merge_shards, shards_of
from clear_kgqa.evaluation.summary import Summary
from clear_kgqa_tools.errors import ClearKgqaError, EndpointError


def evaluate_in_processes(
    options: EvaluateOptions,
    work: Work,
    workers: int,
    progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Run the questions in shards, a process each, and merge these into `options.out`.

    Killed at any moment, the same command goes on, with as many processes or others. Raises ConfigError for a shard,
    and what stopped a process.
    """
    parts = shards_of(options, workers)
    followed = Followed(parts, progress)
    spawn = get_context("spawn")
    running: dict[Any, tuple[Any, connection.Connection]] = {}
    try:
        for part in parts:
            own, its = spawn.Pipe(duplex=False)
            process = spawn.Process(target=_worked, args=(work, part, its), daemon=True)
            process.start()
            its.close()
            running[process.sentinel] = process, own
        while running:
            for sentinel in connection.wait(list(running), timeout=LOOK):
                _joined(*running.pop(sentinel))
            followed.look()
    finally:
        for process, _ in running.values():
            process.terminate()
            process.join()
    return merge_shards(options, [part.out for part in parts])


def _joined(process: Any, end: connection.Connection) -> None:
    """Take leave of a process that has ended; raises what stopped it."""
    process.join()
    if process.exitcode:
        with suppress(EOFError):  # it said nothing
            raise end.recv()
        raise EndpointError(f"a worker process ended with {process.exitcode}; the same command goes on")


def _worked(work: Work, part: EvaluateOptions, end: connection.Connection) -> None:
    """What a process does; Ctrl+C is its parent's to handle, and it never outlives that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_leave_with_parent, daemon=True).start()
    try:
        work(part)
    except ClearKgqaError as error:
        end.send(error)
        raise SystemExit(1) from None


def _leave_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
