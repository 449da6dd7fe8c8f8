"""What the last question could have meant as well, with the answers it would have had."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from clear_kgqa.events import Answered, Scored
from clear_kgqa.session_store import Turn
from clear_kgqa_tui.backend import Backend
from clear_kgqa_tui.marked_list import MarkedList
from clear_kgqa_tui.shown import safe, short

SHOWN = 5


class ReadingsScreen(ModalScreen[str | None]):
    """The readings in order of probability; Enter runs one in the inspector."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,f5", "dismiss", "Close")]

    def __init__(self, turn: Turn, scored: Scored, backend: Backend) -> None:
        super().__init__()
        self._turn, self._readings, self._backend = turn, list(scored.readings), backend

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(safe(f"Readings of: {short(self._turn.asked, 200)}"), classes="title", markup=False)
            yield MarkedList(self._line(r) for r in self._readings)
            yield Static("Enter runs one · Esc closes", classes="keys", markup=False)

    def _line(self, reading: dict[str, Any]) -> Content:
        answer = self._turn.last(Answered)
        taken = "  (answered)" if answer is not None and answer.sparql == reading["sparql"] else ""
        found = [self._backend.label(a) for a in reading["answers"][:SHOWN]]
        more = len(reading["answers"]) - len(found)
        text = ", ".join(short(f, 60) for f in found) + (f" and {more} more" if more > 0 else "")
        which = self._backend.description(reading["entity"])
        return Content.assemble(
            f"{reading['p']:6.1%} ",
            (short(reading["interpretation"]), "bold"),
            taken,
            (f"\n       {short(which, 100)}" if which else "", "dim"),
            f"\n       {text or 'nothing'}",
        )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._readings[event.option_index]["sparql"])
