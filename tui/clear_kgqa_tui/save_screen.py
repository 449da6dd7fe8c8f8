"""Save an answer, a query or the conversation to a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static

from clear_kgqa.events import Answered
from clear_kgqa.export import answer_csv, transcript_json, transcript_markdown, turn_json, turn_markdown
from clear_kgqa.session_store import Turn
from clear_kgqa_tools.text import visible
from clear_kgqa_tui.marked_list import MarkedList
from clear_kgqa_tui.shown import safe, short


class SaveScreen(ModalScreen[None]):
    """Choose what, then where; a file that exists is replaced only when Enter is pressed once more."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss", "Close")]

    def __init__(self, turns: list[Turn]) -> None:
        super().__init__()
        self.choices = savable(turns)
        self._confirmed: Path | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static("Save", classes="title", markup=False)
            yield MarkedList(safe(title) for title, _, _ in self.choices)
            yield Input(placeholder="file")
            yield Static("Enter chooses, then saves · Esc closes", classes="keys", markup=False)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        self.query_one(Input).value = self.choices[event.option_index][1]

    def on_option_list_option_selected(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        path = Path(event.value).expanduser()
        if not event.value.strip():
            return
        if path.exists() and self._confirmed != path:
            self._confirmed = path
            self._tell(f"{path} exists; Enter once more replaces it.")
            return
        write = self.choices[self.query_one(MarkedList).highlighted or 0][2]
        try:
            path.write_text(write(), encoding="utf-8")
        except OSError as error:
            self._tell(f"Cannot write {path}: {error.strerror}")
            return
        self.app.notify(f"Saved {path.resolve()}")
        self.dismiss()

    def _tell(self, text: str) -> None:
        self.query_one(".keys", Static).update(safe(short(text)))


def savable(turns: list[Turn]) -> list[tuple[str, str, Callable[[], str]]]:
    """(title, file name, text) of everything that the conversation offers."""
    turn = next((t for t in reversed(turns) if t.last(Answered)), turns[-1])
    answer = turn.last(Answered)
    out: list[tuple[str, str, Callable[[], str]]] = []
    if answer is not None:
        out += [
            ("Answer as CSV", "answer.csv", lambda: answer_csv(answer)),
            ("Answer as JSON", "answer.json", lambda: json.dumps(turn_json(turn), indent=1) + "\n"),
            ("Answer as Markdown", "answer.md", lambda: turn_markdown(turn)),
            ("Query as SPARQL", "query.rq", lambda: visible(answer.sparql) + "\n"),
        ]
    return [
        *out,
        ("Conversation as Markdown", "conversation.md", lambda: transcript_markdown(turns)),
        ("Conversation as JSON", "conversation.json", lambda: transcript_json(turns)),
    ]
