"""The conversation: turns from top to bottom, kept at its end while new things arrive."""

from __future__ import annotations

from textual.containers import VerticalScroll

from clear_kgqa.followup import Carried
from clear_kgqa.session_store import Turn
from clear_kgqa_tui.turn_view import TurnView


class Conversation(VerticalScroll):
    """The turns of the session that is open."""

    def __init__(self) -> None:
        super().__init__(id="conversation")
        self.attribution = ""

    def on_mount(self) -> None:
        self.anchor()

    def show(self, turns: list[Turn]) -> None:
        """Show the turns of a session in place of what is shown now."""
        self.remove_children()
        self.mount_all([TurnView(turn, None, self.attribution, past=True) for turn in turns])

    def begin(self, turn: Turn, carried: Carried | None) -> None:
        """Begin a turn at the end."""
        self.anchor()
        self.mount(TurnView(turn, carried, self.attribution))

    @property
    def last(self) -> TurnView | None:
        """The latest turn."""
        views = self.query(TurnView)
        return views.last() if views else None

    def view(self, turn: Turn) -> TurnView | None:
        """Where a turn is shown."""
        return next((v for v in self.query(TurnView) if v.turn is turn), None)
