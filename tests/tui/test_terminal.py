"""Terminals as people have them: small, resized, in few colours or none, over a line that carries bytes."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import time
from pathlib import Path

import pytest

from clear_kgqa.events import Thought
from clear_kgqa.session_store import Turn
from clear_kgqa_tui import messages
from clear_kgqa_tui.app import ChatApp
from clear_kgqa_tui.prompt import Prompt
from clear_kgqa_tui.steps_view import StepsView
from tests.tui.conftest import ASKED_BACK
from tests.tui.driver import ask, at_rest, opened, screen_text, until

CHAT = "import sys; from clear_kgqa.cli import main; sys.exit(main())"
COLOUR = re.compile(rb"\x1b\[[0-9;]*\b(?:3[1-6]|4[1-6]|9[1-6]|10[1-6]|38|48)\b[0-9;]*m")
TRUE_COLOUR = re.compile(rb"\x1b\[[0-9;]*\b[34]8;")


class Terminal:
    """The chat on a pseudo-terminal, as a program of its own."""

    def __init__(self, source: Path, home: Path, **environment: str) -> None:
        arguments = [sys.executable, "-c", CHAT, "chat", "--kg", str(source)]
        given = os.environ | {"XDG_DATA_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)} | environment
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            os.execve(sys.executable, arguments, given)
        self.shown = b""

    def read_until(self, text: bytes, seconds: float = 60.0) -> None:
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            assert time.monotonic() < deadline, self.shown[-2000:]
            if select.select([self._master], [], [], 0.2)[0]:
                self.shown += os.read(self._master, 1 << 16)

    def type(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def exit_code(self, seconds: float = 20.0) -> int:
        """How the program ended; it is killed where it goes on."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                os.close(self._master)
                return os.waitstatus_to_exitcode(status)
            if select.select([self._master], [], [], 0.1)[0]:
                try:
                    self.shown += os.read(self._master, 1 << 16)
                except OSError:  # the other end is closed
                    time.sleep(0.05)
        os.kill(self.pid, signal.SIGKILL)
        raise AssertionError("it does not end")


@pytest.mark.parametrize(
    ("environment", "absent"),
    [({"TERM": "xterm-16color"}, TRUE_COLOUR), ({"TERM": "xterm-16color", "NO_COLOR": "1"}, COLOUR)],
    ids=["16 colours", "no colours"],
)
def test_few_colours_or_none(
    source: Path, tmp_path: Path, environment: dict[str, str], absent: re.Pattern[bytes]
) -> None:
    terminal = Terminal(source, tmp_path, COLORTERM="", **environment)
    terminal.read_until(b"triples")
    terminal.type(b"What is the capital of France?\r")
    terminal.read_until(b"Paris.")
    terminal.type(b"\x11")
    assert terminal.exit_code() == 0
    assert not absent.search(terminal.shown)


@pytest.mark.asyncio
async def test_a_resize_while_a_question_is_open(app: ChatApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await ask(pilot, ASKED_BACK)
        for size in ((20, 6), (40, 15), (200, 60), (20, 6)):
            await pilot.resize_terminal(*size)
            await pilot.pause(0.2)
            assert "Springfield" in screen_text(pilot)
            assert screen.query_one(Prompt).region.height >= 1
        await pilot.press("1")
        await at_rest(pilot)
        assert screen.card.asked is None and "000." in screen_text(pilot)


@pytest.mark.asyncio
async def test_a_resize_while_reading_keeps_the_place(app: ChatApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        for country in ("France", "Spain", "Georgia", "France", "Spain"):
            await ask(pilot, f"What is the population of {country}?")
        await pilot.press("pageup", "pageup")
        await pilot.pause(0.3)
        assert screen.conversation.scroll_offset.y < screen.conversation.max_scroll_y
        await pilot.resize_terminal(40, 15)
        await pilot.pause(0.3)
        assert screen.conversation.scroll_offset.y < screen.conversation.max_scroll_y  # not thrown to the end


@pytest.mark.asyncio
async def test_keys_work_while_thoughts_stream_in(app: ChatApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        turn = Turn("q", "q")
        screen.post_message(messages.TurnBegan(turn, None))
        await pilot.pause()
        await pilot.press("ctrl+o")  # steps unfolded: every piece is drawn
        for number in range(3000):
            screen.post_message(messages.TurnEvent(turn, Thought(f"w{number} ", True)))
        start = time.monotonic()
        await pilot.press("x")
        assert screen.query_one(Prompt).text == "x" and time.monotonic() - start < 10
        await until(pilot, lambda: screen.query_one(StepsView)._parts[0].endswith("w2999 "))
