"""Saved conversations: search, go on with one, delete one."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static

from clear_kgqa.session_store import SessionEntry, SessionStore
from clear_kgqa_tui.marked_list import MarkedList
from clear_kgqa_tui.shown import safe, short


class SessionsScreen(ModalScreen[SessionEntry | None]):
    """Typing searches all questions; Enter goes on with the conversation, ctrl+d pressed twice deletes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,f3", "dismiss", "Close"), ("down", "move(1)", "Down"), ("up", "move(-1)", "Up"), Binding("ctrl+d", "delete", "Delete", priority=True)
    ]  # fmt: skip

    def __init__(self, store: SessionStore, current: str) -> None:
        super().__init__()
        self._store, self._current = store, current
        self._entries: list[SessionEntry] = []
        self._doomed = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static("Conversations", classes="title", markup=False)
            yield Input(placeholder="search")
            yield MarkedList()
            yield Static(classes="keys", markup=False)

    def on_mount(self) -> None:
        self.query_one(MarkedList).can_focus = False
        self._fill()

    def on_input_changed(self) -> None:
        self._fill()

    def on_input_submitted(self) -> None:
        if (entry := self._chosen()) is not None:
            self.dismiss(entry)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._entries[event.option_index])

    def action_move(self, step: int) -> None:
        self.query_one(MarkedList).move(step)

    def action_delete(self) -> None:
        entry = self._chosen()
        if entry is None:
            return
        if entry.id == self._current:
            self._tell("This conversation is open; begin a new one (ctrl+n) first.")
        elif self._doomed != entry.id:
            self._doomed = entry.id
            self._tell(f"ctrl+d once more deletes: {entry.title}")
        else:
            self._store.delete(entry.id)
            self._fill()

    def _chosen(self) -> SessionEntry | None:
        at = self.query_one(MarkedList).highlighted
        return self._entries[at] if at is not None and self._entries else None

    def _fill(self) -> None:
        self._entries, self._doomed = self._store.sessions(self.query_one(Input).value), ""
        self.query_one(MarkedList).fill(self._line(e) for e in self._entries)
        self._tell("Enter goes on with it · ctrl+d deletes · Esc closes" if self._entries else "None found.")

    def _line(self, entry: SessionEntry) -> Content:
        when = datetime.fromtimestamp(entry.updated).strftime("%Y-%m-%d %H:%M")
        here = " (open)" if entry.id == self._current else ""
        count = "1 question" if entry.turns == 1 else f"{entry.turns} questions"
        return Content.assemble(
            (short(entry.title, 80), "bold"),
            f"{here}\n  {when} · {short(entry.kg, 60)} · {count} · {entry.id}",
        )

    def _tell(self, text: str) -> None:
        self.query_one(".keys", Static).update(safe(short(text)))
