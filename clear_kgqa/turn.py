"""A turn that Ctrl+C and a time limit can stop: the stream of events runs in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic

from clear_kgqa.events import Event, Failed
from clear_kgqa_tools.errors import ClearKgqaError

GRACE = 2.0
"""Seconds a cancelled stream has to end by itself before the prompt comes back without it."""


def stoppable(
    stream: Iterator[Event], cancel: Callable[[], None], seconds: float, limit: float | None = None
) -> Iterator[Event]:
    """The stream's events, ending with Failed("cancelled") after Ctrl+C and Failed("limit") past `seconds`, which are
    what is left of the user's `limit`.

    Whatever the stream raises is raised here. Closing this generator early cancels the stream.
    """
    queue: SimpleQueue[Event | BaseException | None] = SimpleQueue()
    Thread(target=_pump, args=(stream, queue), daemon=True, name="turn").start()
    stopped: Failed | None = None
    ended = False
    deadline = monotonic() + seconds
    try:
        while not ended:
            try:
                item = queue.get(timeout=max(0.0, deadline - monotonic()))
            except (Empty, KeyboardInterrupt) as reason:
                if stopped:
                    break
                stopped, deadline = _failure(reason, seconds if limit is None else limit), monotonic() + GRACE
                cancel()
                continue
            ended = item is None or isinstance(item, BaseException)
            if isinstance(item, BaseException):
                if not (stopped and isinstance(item, ClearKgqaError)):
                    raise item
            elif item is not None and not stopped:
                yield item
        if stopped:
            yield stopped
    finally:
        if not ended:
            cancel()


def _pump(stream: Iterator[Event], queue: SimpleQueue[Event | BaseException | None]) -> None:
    try:
        for event in stream:
            queue.put(event)
        queue.put(None)
    except BaseException as error:  # the thread's outermost edge: the reader raises it again
        queue.put(error)


def _failure(reason: BaseException, limit: float) -> Failed:
    if isinstance(reason, KeyboardInterrupt):
        return Failed("cancelled", "Stopped.")
    return Failed("limit", f"There was no answer within {limit:g} s.")
