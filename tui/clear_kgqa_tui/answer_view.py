"""An answer: one sentence, a table where there is more to see, and what must stand beside it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from clear_kgqa.events import Answered
from clear_kgqa_tui.shown import safe, short

IN_TEXT = 10  # values that one sentence holds


class AnswerView(Vertical):
    """The answer of a turn, or of a query that the user ran."""

    def __init__(self, answer: Answered, attribution: str = "") -> None:
        super().__init__()
        self.answer, self._attribution = answer, attribution
        self._iris = False

    def compose(self) -> ComposeResult:
        yield Static(markup=False, classes="reading")
        yield Static(markup=False, classes="answer")
        if len(self.answer.columns) > 1 or len(self.answer.rows) > IN_TEXT:
            from clear_kgqa_tui.answer_table import AnswerTable

            yield AnswerTable(self.answer.columns, self.answer.rows)
        yield Static(markup=False, classes="note")

    def on_mount(self) -> None:
        reading, text, note = self.query(Static)
        reading.update(safe(f"Read as: {short(self.answer.interpretation, 600)}"))
        text.update(self._sentence())
        note.update(safe(self._note()))
        note.display = bool(self._note())

    def toggle_iris(self) -> None:
        """Show the IRIs behind the labels, or hide them again."""
        self._iris = not self._iris
        self.query_one(".answer", Static).update(self._sentence())
        for table in self.query("AnswerTable"):
            table.show_iris(self._iris)  # type: ignore[attr-defined]

    def _sentence(self) -> Content:
        text = self.answer.text
        if self._iris:
            text += "".join(f"\n  {v['label']}  <{v['iri']}>" for v in self.answer.values[:IN_TEXT] if "iri" in v)
        return safe(text, "bold")

    def _note(self) -> str:
        from clear_kgqa_tui.answer_table import MOST_ROWS

        rows = len(self.answer.rows)
        notes = []
        if self.answer.incomplete:
            notes.append("Incomplete: the source left rows out.")
        if rows > MOST_ROWS:
            notes.append(f"{rows:,} rows, the first {MOST_ROWS:,} shown; ctrl+s saves all.")
        if self._attribution:
            notes.append(f"Source: {short(self._attribution)}")
        return "\n".join(notes)
