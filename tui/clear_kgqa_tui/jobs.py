"""One thread that does jobs in order, so that the screen never waits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Queue


class Jobs:
    """`stop` makes the running job and those that wait stale: what is stale should end, and reports nothing.

    `failed` gets what a job raises.
    """

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._queue: Queue[tuple[int, Callable[[], None]] | None] = Queue()
        self._stamp = 0
        self._running = 0
        self._thread = threading.Thread(target=self._work, daemon=True, name="chat")

    def start(self) -> None:
        self._thread.start()

    def submit(self, job: Callable[[], None]) -> None:
        """Do the job once those before it are done."""
        self._queue.put((self._stamp, job))

    def stop(self) -> None:
        self._stamp += 1

    @property
    def stale(self) -> bool:
        """Whether the job that runs was stopped."""
        return self._running != self._stamp

    @property
    def idle(self) -> bool:
        """Nothing runs, not even something that was stopped."""
        return self._queue.unfinished_tasks == 0

    def end(self, seconds: float) -> bool:
        """Take no more jobs; False where the last one has not ended in time."""
        self.stop()
        self._queue.put(None)
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            self._running, job = item
            if not self.stale:
                self._do(job)
            self._queue.task_done()

    def _do(self, job: Callable[[], None]) -> None:
        try:
            job()
        except Exception as error:  # the thread's outermost edge
            self._failed(error)
