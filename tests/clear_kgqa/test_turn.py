"""A turn ends on Ctrl+C and at its time limit, whatever its stream does."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from clear_kgqa.events import Event, Failed, Thought
from clear_kgqa.turn import GRACE, stoppable
from clear_kgqa_tools.errors import Cancelled, EndpointError


class Slow:
    """A stream that waits until it is cancelled, or for ever where it is deaf."""

    def __init__(self, deaf: bool = False) -> None:
        self.cancelled = threading.Event()
        self.cancels = 0
        self.deaf = deaf

    def cancel(self) -> None:
        self.cancels += 1
        self.cancelled.set()

    def events(self) -> Iterator[Event]:
        yield Thought("begun")
        (threading.Event() if self.deaf else self.cancelled).wait(30)
        raise Cancelled("stopped")


def interrupt_soon() -> None:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()


def test_events_pass_in_order() -> None:
    slow = Slow()
    events: list[Event] = [Thought("a"), Thought("b"), Failed("empty", "nothing")]
    assert list(stoppable(iter(events), slow.cancel, 10)) == events
    assert slow.cancels == 0


def test_ctrl_c_cancels_the_turn() -> None:
    slow = Slow()
    interrupt_soon()
    assert list(stoppable(slow.events(), slow.cancel, 10)) == [
        Thought("begun"),
        Failed("cancelled", "Stopped."),
    ]
    assert slow.cancels == 1


def test_the_limit_cancels_the_turn() -> None:
    slow = Slow()
    *_, last = stoppable(slow.events(), slow.cancel, 0.1)
    assert last == Failed("limit", "There was no answer within 0.1 s.")


def test_the_prompt_comes_back_from_a_stream_that_does_not_listen() -> None:
    slow = Slow(deaf=True)
    begun = time.monotonic()
    interrupt_soon()
    *_, last = stoppable(slow.events(), slow.cancel, 10)
    assert last == Failed("cancelled", "Stopped.")
    assert time.monotonic() - begun < GRACE + 5


def test_errors_of_the_stream_are_raised() -> None:
    def events() -> Iterator[Event]:
        yield Thought("begun")
        raise EndpointError("down")

    with pytest.raises(EndpointError, match="down"):
        list(stoppable(events(), lambda: None, 10))


def test_leaving_early_cancels_the_stream() -> None:
    slow = Slow()
    stream = stoppable(slow.events(), slow.cancel, 10)
    assert next(stream) == Thought("begun")
    stream.close()  # type: ignore[attr-defined]
    assert slow.cancels == 1


def test_the_limit_named_is_the_users_own() -> None:
    slow = Slow()
    *_, last = stoppable(slow.events(), slow.cancel, 0.2, 120.0)
    assert last == Failed("limit", "There was no answer within 120 s.")
