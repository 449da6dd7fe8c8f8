"""What pilot tests do again and again: wait for the chat, type, read the screen."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.pilot import Pilot

from clear_kgqa_tui.app import ChatApp
from clear_kgqa_tui.chat_screen import ChatScreen
from clear_kgqa_tui.prompt import Prompt


async def until(pilot: Pilot[int], done: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until something is true on the screen."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise AssertionError("it never came about:\n" + screen_text(pilot))
        await pilot.pause(0.05)


def chat(pilot: Pilot[int]) -> ChatScreen:
    assert isinstance(pilot.app, ChatApp) and pilot.app.chat is not None
    return pilot.app.chat


async def opened(pilot: Pilot[int]) -> ChatScreen:
    """Wait until questions can be asked."""
    await until(pilot, lambda: isinstance(pilot.app, ChatApp) and pilot.app.chat is not None)
    await until(pilot, lambda: chat(pilot).ready)
    return chat(pilot)


async def at_rest(pilot: Pilot[int]) -> None:
    """Wait until no turn runs."""
    await until(pilot, lambda: not chat(pilot).running)
    await pilot.pause(0.15)


async def write(pilot: Pilot[int], text: str) -> None:
    """Put text into the prompt."""
    chat(pilot).query_one(Prompt).text = text
    await pilot.pause()


async def ask(pilot: Pilot[int], question: str) -> None:
    """Type a question, send it, wait for what comes of it."""
    await write(pilot, question)
    await pilot.press("enter")
    await at_rest(pilot)


def screen_text(pilot: Pilot[int]) -> str:
    """The screen as characters."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)
