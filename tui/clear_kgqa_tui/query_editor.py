"""A SPARQL query that can be read in colours, edited and run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

STYLES = {
    "Keyword": "bold",
    "Name.Variable": "cyan",
    "Name.Label": "green",
    "Literal": "yellow",
    "Comment": "dim italic",
}


def coloured(sparql: str) -> list[Text]:
    """The lines of a query, styled by what their tokens are."""
    from pygments.lexers.rdf import SparqlLexer  # type: ignore[import-untyped]

    text = Text(sparql, end="")
    at = 0
    for token, value in SparqlLexer(stripnl=False, ensurenl=False).get_tokens(sparql):
        style = next((s for name, s in STYLES.items() if str(token).startswith(f"Token.{name}")), "")
        text.stylize(style, at, at + len(value))
        at += len(value)
    return list(text.split("\n", allow_blank=True))


class QueryEditor(TextArea):
    """Ctrl+G runs the query as it stands."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+g", "run", "Run the query")]

    @dataclass
    class Run(Message):
        """The user wants this query run."""

        sparql: str

    def __init__(self) -> None:
        super().__init__(id="query", soft_wrap=True, tab_behavior="focus", show_line_numbers=False, compact=True)
        self._coloured: tuple[str, list[Text]] = ("", [])

    def get_line(self, line_index: int) -> Text:
        """One line in colours; all are coloured again when the text has changed."""
        if self._coloured[0] != self.text:
            self._coloured = (self.text, coloured(self.text))
        lines = self._coloured[1]
        return lines[line_index].copy() if line_index < len(lines) else super().get_line(line_index)

    def action_run(self) -> None:
        if self.text.strip():
            self.post_message(self.Run(self.text))
