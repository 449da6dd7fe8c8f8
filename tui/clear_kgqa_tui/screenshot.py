"""The picture in the README: `python -m clear_kgqa_tui.screenshot FILE.svg` asks the demo graph and draws the screen."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from textual.pilot import Pilot

from clear_kgqa.settings import Settings
from clear_kgqa_tui.app import ChatApp

QUESTIONS = ("What is the capital of France?", "What is the population of Springfield?")
SIZE = (100, 30)


async def draw(path: Path) -> None:
    """Ask the questions one after the other; the last one is left open."""
    with tempfile.TemporaryDirectory() as folder:
        app = ChatApp(Settings(kg="demo"), Path(folder))
        async with app.run_test(size=SIZE) as pilot:
            await _until_rest(app, pilot)
            for question in QUESTIONS:
                assert app.chat is not None
                app.chat.ask(question)
                await _until_rest(app, pilot)
            path.write_text(app.export_screenshot(title="clear-kgqa chat"), encoding="utf-8")
        app.backend.close()


async def _until_rest(app: ChatApp, pilot: Pilot[int]) -> None:
    while app.chat is None or not app.chat.ready or app.chat.running:
        await pilot.pause(0.1)
    await pilot.pause(0.3)


if __name__ == "__main__":
    asyncio.run(draw(Path(sys.argv[1])))
