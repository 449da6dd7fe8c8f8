"""The protocol of whoever answers a clarification."""

from __future__ import annotations

from typing import Protocol

from clear_kgqa.clarification import Clarification


class User(Protocol):
    """A person, a simulated user who holds the gold SPARQL, or a silent one."""

    def reply(self, clarification: Clarification) -> str | None:
        """What the user says: a number, a label, free text; None for "I do not answer" (the best reading is taken)."""
        ...
