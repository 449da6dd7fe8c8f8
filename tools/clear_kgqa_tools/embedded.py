"""An Oxigraph store queried in worker processes: a query in progress can only be stopped by killing it."""

from __future__ import annotations

import marshal
import os
import resource
import select
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from clear_kgqa_tools.errors import Cancelled, ClearKgqaError, ConfigError, LimitExceeded, QueryError
from clear_kgqa_tools.graph import CheckedQuery, Limits
from clear_kgqa_tools.terms import QueryResult, Term

_WORKER = Path(__file__).with_name("worker.py")
_STARTUP_SECONDS = 60.0
_POLL_SECONDS = 0.02
_MEMORY_SIGNS = (b"memory allocation", b"bad_alloc", b"MemoryError", b"out of memory")


class EmbeddedGraph:
    """A KnowledgeGraph over a store directory, opened read-only in up to `workers` processes, on demand.

    Safe to call from several threads; so many queries run at once as there are workers, the others wait. A
    query past its limit on seconds or megabytes takes its worker with it and raises LimitExceeded.
    """

    def __init__(self, path: Path, limits: Limits = Limits(), workers: int = 2) -> None:
        self.path = path
        self.limits = limits
        self._workers = workers
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._changed = threading.Condition()
        self._generation = 0
        self._closed = False
        self._graphs: frozenset[str] | None = None

    def load_soon(self) -> None:
        """Start a worker now, beside whatever else a start takes; the first query waits for it."""
        with self._changed:
            if not (self._idle or self._busy or self._closed):
                self._idle.append(_Worker(self.path))

    def query(self, query: CheckedQuery, limits: Limits | None = None) -> QueryResult:
        """Run the query; raises QueryError, LimitExceeded, Cancelled, or ConfigError (no store there)."""
        limits = limits or self.limits
        worker = self._take()
        try:
            return worker.run(query, limits)
        finally:
            self._give_back(worker)

    def named_graphs(self) -> frozenset[str]:
        """IRIs of the named graphs that the store holds."""
        if self._graphs is None:
            worker = self._take()
            try:
                self._graphs = frozenset(worker.open())
            finally:
                self._give_back(worker)
        return self._graphs

    def cancel(self) -> None:
        """Stop every running and waiting query: their callers get Cancelled."""
        with self._changed:
            self._generation += 1
            for worker in self._busy:
                worker.cancel()
            self._changed.notify_all()

    def close(self) -> None:
        """End all workers; running queries get Cancelled."""
        self._closed = True
        self.cancel()
        with self._changed:
            for worker in self._idle:
                worker.kill()
            self._idle.clear()

    def _take(self) -> _Worker:
        with self._changed:
            generation = self._generation
            while True:
                if self._closed:
                    raise QueryError("this graph has been closed")
                if generation != self._generation:
                    raise Cancelled("the query was cancelled")
                if self._idle or len(self._busy) < self._workers:
                    break
                self._changed.wait()
            worker = self._idle.pop() if self._idle else None
            if worker is None or not worker.alive():
                worker = _Worker(self.path)
            self._busy.add(worker)
            return worker

    def _give_back(self, worker: _Worker) -> None:
        with self._changed:
            self._busy.discard(worker)
            if worker.fit() and not self._closed:
                self._idle.append(worker)
            else:
                worker.kill()
            self._changed.notify()


class _Worker:
    """One worker process. Not thread-safe, but for `cancel`."""

    def __init__(self, path: Path) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - a pipe could fill up and block the worker
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_WORKER), str(path)],  # -P: no module here may shadow the library's
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, "MALLOC_ARENA_MAX": "2"},  # each arena reserves 64 MB of address space
            start_new_session=True,  # Ctrl+C in the terminal is the parent's to handle
        )
        assert self._process.stdin and self._process.stdout
        self._path = path
        self._stdin, self._stdout = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._graphs: tuple[str, ...] | None = None
        self._fit = True
        self._cancelled = False

    def open(self) -> tuple[str, ...]:
        """Wait for the store to be open; returns its named graphs."""
        if self._graphs is None:
            reply = self._receive(Limits(seconds=_STARTUP_SECONDS, megabytes=1 << 20))
            if reply[0] == "error":
                self._fit = False
                raise ConfigError(f"cannot open the store {self._path}: {reply[2]}")
            self._graphs = reply[1]
        return self._graphs

    def run(self, query: CheckedQuery, limits: Limits) -> QueryResult:
        """Send the query and wait for its rows; after a failure other than the query's own it is unfit."""
        self.open()
        start = time.perf_counter()
        self._send((query.text, query.dataset, limits.rows, limits.megabytes))
        reply = self._receive(limits)
        seconds = time.perf_counter() - start
        if reply[0] == "error":
            raise self._refused(reply[1], reply[2], limits)
        if seconds > _POLL_SECONDS and self._resident() > limits.megabytes << 19:
            self._fit = False  # freed memory does not all go back to the system
        _, columns, found, boolean, incomplete, reason = reply
        term = _Terms().__getitem__
        rows = [tuple(map(term, row)) for row in found]
        return QueryResult(query.form, columns, rows, boolean, incomplete, reason, seconds)

    def alive(self) -> bool:
        """Whether the process can still take a query; one that was just killed gives up its memory before it ends."""
        if self._process.poll() is not None:
            return False
        return self._resident() > 0 or not os.path.exists("/proc/self/statm")

    def fit(self) -> bool:
        return self._fit and not self._cancelled

    def cancel(self) -> None:
        self._cancelled = True
        self._process.kill()

    def kill(self) -> None:
        """End the process and release its pipes."""
        self._process.kill()
        self._process.wait()
        for file in (self._process.stdin, self._process.stdout, self._errors):
            assert file
            file.close()

    def _send(self, request: tuple[Any, ...]) -> None:
        payload = marshal.dumps(request)
        view = memoryview(struct.pack("<I", len(payload)) + payload)
        try:
            while view:
                view = view[os.write(self._stdin, view) :]
        except BrokenPipeError:
            raise self._died() from None

    def _receive(self, limits: Limits) -> tuple[Any, ...]:
        deadline = time.monotonic() + limits.seconds
        size = struct.unpack("<I", self._read(4, deadline, limits))[0]
        reply: tuple[Any, ...] = marshal.loads(self._read(size, deadline, limits))
        return reply

    def _read(self, size: int, deadline: float, limits: Limits) -> bytes:
        parts = []
        while size:
            self._await(deadline, limits)
            part = os.read(self._stdout, min(size, 1 << 20))
            if not part:
                raise self._died(limits)
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _await(self, deadline: float, limits: Limits) -> None:
        """Wait for output; kill the worker when it passes the deadline or its memory."""
        while not self._poll.poll(_POLL_SECONDS * 1000):
            if time.monotonic() > deadline:
                self._fit = False
                self._process.kill()
                raise LimitExceeded(f"the query was stopped after its limit of {limits.seconds:g} seconds")
            if self._resident() > limits.megabytes << 20:
                self._fit = False
                self._process.kill()
                raise _too_much_memory(limits)

    def _resident(self) -> int:
        """Bytes of private resident memory (0 where /proc is missing)."""
        try:
            with open(f"/proc/{self._process.pid}/statm", "rb") as file:
                fields = file.read().split()
            return (int(fields[1]) - int(fields[2])) * resource.getpagesize()
        except (OSError, IndexError):
            return 0

    def _refused(self, kind: str, message: str, limits: Limits) -> ClearKgqaError:
        if kind == "memory":
            self._fit = False
            return _too_much_memory(limits)
        return QueryError("the graph store refused the query: " + " ".join(message.split()))

    def _died(self, limits: Limits | None = None) -> ClearKgqaError:
        """Why the worker ended by itself, as an error in plain words."""
        self._fit = False
        code = self._process.wait()
        if self._cancelled:
            return Cancelled("the query was cancelled")
        self._errors.seek(0)
        said = self._errors.read()
        if limits and any(sign in said for sign in _MEMORY_SIGNS):
            return _too_much_memory(limits)
        if self._graphs is None:
            last = said.decode("utf-8", "replace").strip().splitlines()[-1:] or [f"exit code {code}"]
            return ConfigError(f"the store process for {self._path} did not start: {last[0]}")
        if code == -signal.SIGKILL:
            return LimitExceeded("the system stopped the query, probably for want of memory; narrow it down")
        return QueryError("the query crashed the graph store (too deeply nested, or too long a chain)")


def _too_much_memory(limits: Limits) -> LimitExceeded:
    return LimitExceeded(f"the query was stopped at its limit of {limits.megabytes:,} MB of memory")


class _Terms(dict[Any, Term | None]):
    """The terms of one result as the worker encodes them -> decoded, each once."""

    def __missing__(self, sent: Any) -> Term | None:
        found = None
        if sent is not None:
            found = Term(sent, "iri") if isinstance(sent, str) else Term(sent[1], sent[0], sent[2], sent[3])
        self[sent] = found
        return found
