"""An answer's rows as a table that sorts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable

from clear_kgqa.export import Cell, plain
from clear_kgqa_tui.shown import short

MOST_ROWS = 500
CELL = 80


def cell_text(cell: Cell, iris: bool) -> str:
    """A cell as it is shown: its label, or its IRI where IRIs are wanted."""
    if cell is None:
        return ""
    return plain(cell) if iris else cell.get("label", plain(cell))


def sort_key(cell: Cell) -> tuple[int, float, str]:
    """Numbers by value, then texts by their label; empty cells last."""
    text = cell_text(cell, False)
    try:
        return (0, float(text.replace(",", "")), "") if text else (2, 0.0, "")
    except ValueError:
        return 1, 0.0, text.casefold()


class AnswerTable(DataTable[Text]):
    """The first rows of an answer; `s` sorts by the column of the cursor, again the other way round; a click does too."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "sort_column", "Sort")]

    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        super().__init__(zebra_stripes=True, cursor_type="cell")
        self._names, self._all = list(columns), [tuple(r) for r in rows]
        self._iris = False
        self._sorted: tuple[int, bool] | None = None

    def on_mount(self) -> None:
        self._draw()

    def show_iris(self, iris: bool) -> None:
        """Show IRIs in place of labels, or labels again."""
        self._iris = iris
        self._draw()

    def action_sort_column(self) -> None:
        self.sort_by(self.cursor_column)

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        event.stop()
        self.sort_by(event.column_index)

    def sort_by(self, column: int) -> None:
        """Sort all rows by a column."""
        down = self._sorted == (column, False)
        self._sorted = (column, down)
        self._all.sort(key=lambda row: sort_key(row[column]), reverse=down)
        self._draw()

    def _draw(self) -> None:
        column = self.cursor_column
        self.clear(columns=True)
        for i, name in enumerate(self._names):
            mark = "" if self._sorted is None or self._sorted[0] != i else " ▼" if self._sorted[1] else " ▲"
            self.add_column(Text(short(name, CELL) + mark))
        for row in self._all[:MOST_ROWS]:
            self.add_row(*(Text(short(cell_text(cell, self._iris), CELL)) for cell in row))
        self.move_cursor(column=column)
