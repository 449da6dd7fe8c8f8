"""The terminal chat as an application: `run` opens it, `serve` shows it in a browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from textual.app import App
from textual.notifications import SeverityLevel

from clear_kgqa.remembered import RememberedChoices
from clear_kgqa.session_store import SessionStore, gone_on_with
from clear_kgqa_tools.text import visible
from clear_kgqa_tui.backend import Backend
from clear_kgqa_tui.chat_screen import ChatScreen
from clear_kgqa_tui.palette import ChatCommands

if TYPE_CHECKING:
    from clear_kgqa.settings import Settings


FIRST_PAINT = 0.1  # seconds


class ChatApp(App[int]):
    """One chat over one user's data folder."""

    CSS_PATH = "chat.tcss"
    COMMANDS = App.COMMANDS | {ChatCommands}
    TITLE = "clear-kgqa"
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (30, "-narrow"), (60, "-normal"), (110, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (10, "-low"), (20, "-tall")]  # noqa: RUF012 - as Textual declares it

    def __init__(self, settings: Settings, folder: Path | None = None) -> None:
        super().__init__()
        self.store = SessionStore(folder)
        self.chat: ChatScreen | None = None
        self.backend = Backend(gone_on_with(settings, self.store), self.store, RememberedChoices(folder), self._pass_on)

    def on_mount(self) -> None:
        self.chat = ChatScreen(self.backend)
        self.push_screen(self.chat)
        self.set_timer(FIRST_PAINT, self.backend.start)  # imports in another thread would slow the first paint

    def _pass_on(self, message: object) -> None:
        if self.chat is not None and self.is_running:
            self.chat.post_message(message)  # type: ignore[arg-type]

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """A notification, verbatim whatever it holds."""
        super().notify(visible(message), title=visible(title), severity=severity, timeout=timeout, markup=markup)


def run(settings: Settings) -> NoReturn:
    """Open the chat on this terminal and end the process. Raises what went wrong inside, once the screen is back."""
    app = ChatApp(settings)
    code = app.run()
    app.backend.close()
    if app.backend.fault is not None:
        raise app.backend.fault
    # Interpreter shutdown takes half a second to take modules apart, and would wait for a model's reply.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)


def serve(settings: Settings, port: int = 8000) -> int:
    """Serve the chat to browsers on this machine alone; each connection runs a chat of its own."""
    from clear_kgqa_tui.web import serve_chat

    serve_chat(settings, port)
    return 0
