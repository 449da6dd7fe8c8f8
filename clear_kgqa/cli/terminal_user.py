"""The person at the terminal as the one who answers clarifications."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from clear_kgqa.cli.output import say

if TYPE_CHECKING:
    from clear_kgqa.clarification import Clarification


class TerminalUser:
    """A User who reads menus on standard error, since standard output is for answers, and types one line."""

    def reply(self, clarification: Clarification) -> str | None:
        """The line; None at the end of the input, for which the best reading is taken."""
        from clear_kgqa.line_text import menu

        say(menu(clarification), sys.stderr)
        print("> ", end="", file=sys.stderr, flush=True)
        return sys.stdin.readline().strip() or None
