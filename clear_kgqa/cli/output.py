"""The boundary to the terminal: all text is made visible here, once."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from clear_kgqa_tools.text import cut, one_line, visible

_NOT_ASCII = re.compile(r"[^\x20-\x7e\n]")


def say(text: str = "", stream: TextIO | None = None) -> None:
    """Print text from anywhere, its control characters made visible."""
    print(visible(text), file=stream or sys.stdout, flush=True)


def complain(text: str) -> None:
    """Print one line on standard error."""
    say(f"clear-kgqa: {one_line(text)}", sys.stderr)


def say_json(data: Any) -> None:
    """Print JSON; characters that `visible` would change stand as JSON escapes, so no data is lost."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    print(_NOT_ASCII.sub(lambda m: m[0] if visible(m[0]) == m[0] else json.dumps(m[0])[1:-1], text), flush=True)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows in aligned columns, long cells cut with their length told."""
    from rich.cells import cell_len, set_cell_size

    cells = [[cut(one_line(cell), 200) for cell in row] for row in (columns, *rows)]
    widths = [max(cell_len(row[i]) for row in cells) for i in range(len(columns))]
    return "\n".join("  ".join(map(set_cell_size, row, widths)).rstrip() for row in cells)
