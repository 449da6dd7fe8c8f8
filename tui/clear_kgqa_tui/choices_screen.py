"""Remembered choices of a graph: listed, changed, forgotten."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from clear_kgqa.remembered import RememberedChoice, RememberedChoices
from clear_kgqa_tui.marked_list import MarkedList
from clear_kgqa_tui.shown import safe, short


class ChoicesScreen(ModalScreen[None]):
    """Enter (or e) changes a choice to the next option that was offered, d forgets it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,f4", "dismiss", "Close"),
        ("d,delete", "forget", "Forget"),
        ("e", "change", "Change"),
    ]

    def __init__(self, choices: RememberedChoices, kg: str) -> None:
        super().__init__()
        self._choices, self._kg = choices, kg
        self._shown: list[RememberedChoice] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(safe(f"Remembered for {short(self._kg, 80)}"), classes="title", markup=False)
            yield MarkedList()
            yield Static(classes="keys", markup=False)

    def on_mount(self) -> None:
        self._fill()

    def on_option_list_option_selected(self) -> None:
        self.action_change()

    def action_change(self) -> None:
        if (choice := self._chosen()) is not None:
            keys = [a.key for a in choice.offered]
            self._choices.change(choice, keys[(keys.index(choice.key) + 1) % len(keys)])
            self._fill()

    def action_forget(self) -> None:
        if (choice := self._chosen()) is not None:
            self._choices.forget(choice)
            self._fill()

    def _chosen(self) -> RememberedChoice | None:
        at = self.query_one(MarkedList).highlighted
        return self._shown[at] if at is not None and self._shown else None

    def _fill(self) -> None:
        rows = self.query_one(MarkedList)
        at = rows.highlighted or 0
        self._shown = self._choices.all(self._kg)
        rows.fill(Content.assemble((short(c.slot, 100), "bold"), f"\n    → {short(c.label)}") for c in self._shown)
        rows.highlighted = min(at, len(self._shown) - 1) if self._shown else None
        keys = (
            "e changes · d forgets · Esc closes"
            if self._shown
            else "None yet: ctrl+r on a question back keeps the choice."
        )
        self.query_one(".keys", Static).update(safe(keys))
