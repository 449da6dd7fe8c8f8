"""A query that runs: stopped by keys, left behind, never in the way of the next one."""

from __future__ import annotations

import time

import pytest
from textual.pilot import Pilot

from clear_kgqa.events import Answered
from clear_kgqa_tui.app import ChatApp
from clear_kgqa_tui.chat_screen import ChatScreen
from clear_kgqa_tui.query_editor import QueryEditor
from tests.tui.driver import ask, at_rest, opened, screen_text, until

pytestmark = pytest.mark.asyncio
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?o ?p }"


async def running(pilot: Pilot[int]) -> ChatScreen:
    """A query that would go on for its whole ten seconds."""
    screen = await opened(pilot)
    await pilot.press("f2")
    editor = screen.query_one(QueryEditor)
    editor.text = ENDLESS
    editor.focus()
    await pilot.press("ctrl+g")
    await pilot.pause(0.3)
    assert screen.running
    return screen


@pytest.mark.parametrize("key", ["ctrl+c", "escape"])
async def test_a_key_stops_the_query_not_the_program(app: ChatApp, key: str) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        screen = await running(pilot)
        start = time.monotonic()
        await pilot.press(key, key)  # the first Esc goes back to the prompt
        assert not screen.running and time.monotonic() - start < 5
        await pilot.press("f2")
        await ask(pilot, "What is the capital of France?")
        assert screen.turn is not None and screen.turn.last(Answered).text == "Paris."


async def test_what_was_stopped_is_never_shown(app: ChatApp) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        screen = await running(pilot)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.backend.jobs.idle)
        await at_rest(pilot)
        assert not list(screen.query("AnswerView")) and "stopped after" not in screen_text(pilot)


async def test_leaving_during_a_query(app: ChatApp) -> None:
    async with app.run_test(size=(120, 30)) as pilot:
        await running(pilot)
        start = time.monotonic()
        await pilot.press("ctrl+q")
    assert app.backend.close()
    assert time.monotonic() - start < 8  # two seconds where the machine is not busy with other things
