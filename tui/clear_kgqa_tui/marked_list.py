"""A list whose highlighted row carries a mark, so that it is seen without colours as well."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

MARK, NO_MARK = "❯ ", "  "


class MarkedList(OptionList):
    """Rows of content, filled anew as a whole; an id tells a row where its place does not."""

    def __init__(self, rows: Iterable[Content] = (), id: str | None = None) -> None:
        self._rows = list(rows)
        self._marked: int | None = None
        super().__init__(*(Option(NO_MARK + row) for row in self._rows), id=id, markup=False, compact=True)

    def fill(self, rows: Iterable[Content], ids: Iterable[str | None] = ()) -> None:
        """Show other rows and highlight the first."""
        self._rows, self._marked = list(rows), None
        names = list(ids) or [None] * len(self._rows)
        self.clear_options()
        self.add_options([Option(NO_MARK + row, id=name) for row, name in zip(self._rows, names, strict=True)])
        self.highlighted = 0 if self._rows else None

    def move(self, step: int) -> None:
        """Move the highlight, past either end to the other."""
        if self.option_count:
            self.highlighted = ((self.highlighted or 0) + step) % self.option_count

    def watch_highlighted(self, highlighted: int | None) -> None:
        """Move the mark with the highlight."""
        before, self._marked = self._marked, highlighted
        for at, mark in ((before, NO_MARK), (highlighted, MARK)):
            if at is not None and at < len(self._rows):
                self.replace_option_prompt_at_index(at, mark + self._rows[at])
        super().watch_highlighted(highlighted)
