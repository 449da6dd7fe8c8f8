"""The protocol of a question-answering strategy: question in, events out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from clear_kgqa.events import Event


class Strategy(Protocol):
    """Answers questions over one graph. A stream ends with Asked (resume it), Answered or Failed."""

    def start(self, question: str) -> Iterator[Event]:
        """Begin a turn. A clarification still open is closed first, so that the history stays valid."""
        ...

    def resume(self, reply: str | None) -> Iterator[Event]:
        """Go on with the reply to the pending clarification. Raises ConfigError if none is pending."""
        ...

    def cancel(self) -> None:
        """Stop the running turn from another thread; its stream ends with Failed(kind="cancelled")."""
        ...
