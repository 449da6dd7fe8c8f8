"""The help screen: every key and command."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from clear_kgqa_tui.commands import COMMANDS

INTRODUCTION = """\
Type a question and press Enter (ctrl+j begins a new line, ↑ ↓ bring back earlier ones).
When a question comes back: press an option's number, or ↑ ↓ and Enter, or type. Typing narrows the options; \
text that fits none, or several, is sent as your own words. A new question may be typed as well.
Esc clears the text, then drops the question, or stops what runs. Ctrl+C stops the turn, ctrl+q leaves.
"and its population?" asks about the entity of the question before; the line below it shows which.
In a table: arrows move, s sorts by the column. Tab moves between the parts of the screen.
"""


class HelpScreen(ModalScreen[None]):
    """Closes by any of Esc, F1, Enter or q."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,f1,enter,q", "dismiss", "Close")]

    def compose(self) -> ComposeResult:
        rows = [f"{c.key:8} /{c.name:11} {c.title}" for c in COMMANDS]
        with VerticalScroll(id="box"):
            yield Static(Content(INTRODUCTION), markup=False)
            yield Static(
                Content("\n".join([*rows, "ctrl+p                palette of all commands and themes"])),
                markup=False,
            )
            yield Static("Esc closes", classes="keys", markup=False)
