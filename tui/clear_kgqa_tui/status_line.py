"""The line on top: what goes on, and which graph and model answer."""

from __future__ import annotations

from time import monotonic

from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from clear_kgqa_tui.shown import safe, short

_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class StatusLine(Static):
    """Text at rest, a spinner with the seconds gone while something runs."""

    def __init__(self) -> None:
        super().__init__(id="status", markup=False)
        self._doing = ""
        self._at_rest = ""
        self._waiting = ""
        self._since = 0.0
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        self._timer = self.set_interval(0.25, self._draw, pause=not self._doing)
        self._draw()

    def busy(self, doing: str) -> None:
        """Show that something runs."""
        if not self._doing:
            self._since = monotonic()
        self._doing = short(doing, 200)
        if self._timer:
            self._timer.resume()
        self._draw()

    def rest(self, text: str | None = None) -> None:
        """Show that nothing runs; `text` is what stands here at rest from now on."""
        self._doing = ""
        self._at_rest = self._at_rest if text is None else short(text, 300)
        if self._timer:
            self._timer.pause()
        self._draw()

    def waiting(self, questions: int) -> None:
        """Show how many questions wait for their turn."""
        self._waiting = f" · {questions} waiting" if questions else ""
        self._draw()

    def _draw(self) -> None:
        if not self._doing:
            self.update(safe(self._at_rest + self._waiting))
            return
        seconds = monotonic() - self._since
        shown = f" {seconds:.0f} s" if seconds >= 1 else ""
        self.update(Content(f"{_SPINNER[int(seconds * 4) % len(_SPINNER)]} {self._doing}{shown}{self._waiting}"))
