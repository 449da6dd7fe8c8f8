"""The part of a streamed reply that is a thought: nothing of calls or queries written as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler

_END = re.compile(r"<tool_call|<function=|<\|python_tag|\[TOOL_CALLS|```|^\s*[{\[]|\bAction\s*:", re.IGNORECASE)
_TAGS = re.compile(r"</?think(?:ing)?>|\bThought\s*:\s*", re.IGNORECASE)
_HELD = 16  # characters in which a marker may be beginning


class Prose:
    """Passes on text piece by piece until something that is not prose begins."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell
        self._text, self._told, self._open = "", 0, True

    def add(self, piece: str, last: bool = False) -> None:
        """Take the next piece; `last` lets go of what was held back."""
        self._text += piece
        end = _END.search(self._text) if self._open else None
        self._open = self._open and end is None
        upto = end.start() if end else len(self._text) - (0 if last else _HELD)
        if (self._open or end) and upto > self._told:
            told = _TAGS.sub("", self._text[self._told : upto])
            self._told = upto
            if told:
                self._tell(told)


class Deltas(BaseCallbackHandler):
    """Tells every piece of a thought while the model writes it."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell

    def on_llm_new_token(self, token: Any, **kwargs: Any) -> None:
        """A piece of text, as langchain hands it on."""
        self._tell(str(token))
