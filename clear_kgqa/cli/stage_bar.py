"""How far a build is, on standard error: a bar per stage on a terminal, a line per stage elsewhere."""

from __future__ import annotations

import shutil
import sys
from types import TracebackType

from clear_kgqa.cli.output import say
from clear_kgqa_tools.text import one_line

WIDTH = 30


class StageBar:
    """A progress callback (stage, fraction 0 to 1); as a context manager it ends on a new line."""

    def __init__(self) -> None:
        self.stage = ""
        self.terminal = sys.stderr.isatty()

    def __call__(self, stage: str, fraction: float, note: str = "") -> None:
        new = stage != self.stage
        if new and not self.terminal:
            say(stage, sys.stderr)
        if self.terminal:
            self._draw(f"{one_line(stage)} {note}".strip(), fraction, "\n" if new and self.stage else "\r")
        self.stage = stage

    def _draw(self, stage: str, fraction: float, start: str) -> None:
        full = round(WIDTH * min(max(fraction, 0.0), 1.0))
        bar = f"[{'#' * full}{'.' * (WIDTH - full)}] {fraction:4.0%}" if fraction else ""
        room = shutil.get_terminal_size().columns - len(bar) - 2
        print(f"{start}{stage[:room].ljust(min(room, 32))} {bar}", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> StageBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.terminal and self.stage:
            print(file=sys.stderr)
