"""Asking, being asked back, and answering by every key."""

from __future__ import annotations

import pytest

from clear_kgqa.events import Answered, Replied
from clear_kgqa_tui.app import ChatApp
from tests.tui.conftest import ASKED_BACK
from tests.tui.driver import ask, at_rest, opened, screen_text

pytestmark = pytest.mark.asyncio


async def test_a_question_is_answered(app: ChatApp) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await opened(pilot)
        await ask(pilot, "What is the capital of France?")
        assert screen.turn is not None and screen.turn.last(Answered).text == "Paris."
        shown = screen_text(pilot)
        assert "What is the capital of France?" in shown and "Paris." in shown and "Read as: Capital of France" in shown


async def test_an_option_is_chosen_by_its_number(app: ChatApp) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await opened(pilot)
        await ask(pilot, ASKED_BACK)
        assert screen.card.asked is not None
        wanted = next(i for i, o in enumerate(screen.card.asked.options) if "Missouri" in o.description)
        await pilot.press(str(wanted + 1))
        await at_rest(pilot)
        assert screen.card.asked is None and screen.turn is not None
        assert screen.turn.last(Replied).kind == "options"
        assert screen.turn.last(Answered).text == "170,000."
