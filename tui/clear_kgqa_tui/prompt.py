"""Where the user types: questions, replies, and commands that begin with a slash."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.widgets import TextArea

from clear_kgqa_tools.text import visible

_ASK, _REPLY = "Ask a question; F1 helps", "Choose above, or reply in your own words"
_DIGITS = tuple("123456789")


class Prompt(TextArea):
    """A text field that grows with its text. Enter sends, Ctrl+J begins a new line, a paste arrives whole.

    While there are `choices`, the arrows move through the rows of a clarification and a digit picks one.
    """

    @dataclass
    class Submitted(Message):
        """The user sent the text."""

        text: str

    @dataclass
    class Moved(Message):
        """An arrow key while a clarification is open."""

        step: int

    @dataclass
    class Picked(Message):
        """A digit typed into the empty prompt while a clarification is open."""

        number: int

    def __init__(self) -> None:
        super().__init__(
            id="prompt", soft_wrap=True, tab_behavior="focus", show_line_numbers=False, compact=True,
            highlight_cursor_line=False, placeholder=_ASK,
        )  # fmt: skip
        self.choices = 0
        self.sent: list[str] = []
        self._back = 0
        self._draft = ""

    def choose(self, rows: int) -> None:
        """Let a digit pick one of so many rows; with none of them the prompt takes questions again."""
        self.choices, self.placeholder = rows, _REPLY if rows else _ASK

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            self._handled(event)
            self._send()
        elif event.key in ("ctrl+j", "shift+enter"):
            self._handled(event)
            self.insert("\n")
        elif event.key in ("up", "down"):
            self._arrow(event, -1 if event.key == "up" else 1)
        elif event.key in _DIGITS and int(event.key) <= self.choices and not self.text:
            self._handled(event)
            self.post_message(self.Picked(int(event.key)))

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.insert(visible(event.text.replace("\r\n", "\n").replace("\r", "\n")))

    def _handled(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()

    def _send(self) -> None:
        text = self.text.strip()
        if text or self.choices:
            self.post_message(self.Submitted(text))

    def _arrow(self, event: events.Key, step: int) -> None:
        if self.choices:
            self._handled(event)
            self.post_message(self.Moved(step))
            return
        row = self.cursor_location[0]
        leaves = row == 0 if step < 0 else row == self.document.line_count - 1
        if leaves and self._recall(-step):
            self._handled(event)

    def _recall(self, step: int) -> bool:
        """Show the question `step` further back; False at either end."""
        wanted = self._back + step
        if not 0 <= wanted <= len(self.sent):
            return False
        if self._back == 0:
            self._draft = self.text
        self._back = wanted
        self.text = self._draft if wanted == 0 else self.sent[-wanted]
        self.move_cursor(self.document.end)
        return True

    def remember(self, text: str) -> None:
        """Add what was sent to the history and begin afresh."""
        if text and (not self.sent or self.sent[-1] != text):
            self.sent.append(text)
        self._back, self._draft = 0, ""
        self.clear()
