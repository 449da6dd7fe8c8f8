"""Choose the graph to ask, or add one from a file or an endpoint."""

from __future__ import annotations

import shlex
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static

from clear_kgqa_tools.catalog import DEMO, kg_list
from clear_kgqa_tui.backend import Backend
from clear_kgqa_tui.marked_list import MarkedList
from clear_kgqa_tui.shown import safe, short


class GraphsScreen(ModalScreen[str | None]):
    """Returns the graph that was chosen; adding goes on in the background, told by the chat."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,f7", "dismiss", "Close")]

    def __init__(self, backend: Backend) -> None:
        super().__init__()
        self._backend = backend
        added = {g["name"]: g for g in kg_list()}
        self._names = [DEMO, *(n for n in added if n != DEMO)]
        self._about = {n: f"{g['triples']:,} triples, {g['source']}" for n, g in added.items()}

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static("Graphs", classes="title", markup=False)
            yield MarkedList(self._line(n) for n in self._names)
            yield Static("Or a file or endpoint to ask now:", markup=False)
            yield Input(placeholder="file or https://…", id="spec")
            yield Static("Add one for good: NAME SOURCE [PROFILE]", markup=False)
            yield Input(placeholder="films ~/films.ttl", id="add")
            yield Static("Enter chooses · Tab moves · Esc closes", classes="keys", markup=False)

    def _line(self, name: str) -> Content:
        here = " (open)" if name == self._backend.kg else ""
        return Content.assemble(
            (name, "bold"), here, f"  {short(self._about.get(name, 'built when first asked'), 100)}"
        )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._names[event.option_index])

    def on_input_submitted(self, event: Input.Submitted) -> None:
        words = words_of(event.value)
        if event.input.id == "spec" and words:
            self.dismiss(event.value.strip())
        elif event.input.id == "add" and 2 <= len(words) <= 3:
            self._backend.add_graph(words[0], words[1], words[2] if len(words) == 3 else "")
            self.dismiss(None)
        else:
            self.query_one(".keys", Static).update(
                safe("Give a name, a file or an endpoint, and if you like a profile.")
            )


def words_of(text: str) -> list[str]:
    """The words of a line, quoted as in a shell; nothing where a quote is left open."""
    try:
        return shlex.split(text)
    except ValueError:
        return []
