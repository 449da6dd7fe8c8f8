"""Thoughts and tool calls of a turn, folded into one line until asked for."""

from __future__ import annotations

import json

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Collapsible, Static

from clear_kgqa.events import Event, Observation, Scored, Thought, ToolCall
from clear_kgqa_tools.text import cut
from clear_kgqa_tui.shown import safe, short

REDRAW = 0.1  # seconds between two redraws while thoughts stream in
OBSERVED = 1500  # characters of an observation shown


class StepsView(Collapsible):
    """What the agent did. Streamed pieces are gathered and drawn ten times a second, so keys stay quick."""

    def __init__(self) -> None:
        self._text = Static(markup=False)
        super().__init__(self._text, title="", collapsed=True, collapsed_symbol="▸", expanded_symbol="▾")
        self._parts: list[str] = []
        self._streaming = False
        self._calls = 0
        self._due = False

    def compose(self) -> ComposeResult:
        yield from super().compose()

    def on_mount(self) -> None:
        self._draw()

    def add(self, event: Event) -> None:
        """Take in a thought, tool call, observation or score."""
        match event:
            case Thought(delta=True) if self._streaming:
                self._parts[-1] += event.text
            case Thought():
                self._parts.append(event.text)
            case ToolCall():
                self._calls += 1
                arguments = json.dumps(event.arguments, ensure_ascii=False)
                self._parts.append(f"→ {event.name} {short(arguments, 1000)}")
            case Observation():
                self._parts.append("  " + cut(event.text, OBSERVED).replace("\n", "\n  "))
            case Scored(hint=hint) if hint:
                self._parts.append(f"  {hint}")
            case _:
                return
        self._streaming = isinstance(event, Thought) and event.delta
        if not self._due:
            self._due = True
            self.set_timer(REDRAW, self._draw)

    def _draw(self) -> None:
        self._due = False
        self.title = Content(f"{self._calls} step{'' if self._calls == 1 else 's'}")  # type: ignore[assignment]
        self.set_class(not self._parts, "-empty")
        self._text.update(safe("\n".join(self._parts)))
