"""The questions of a session are counted in the full-screen chat as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from clear_kgqa.events import Answered
from clear_kgqa.settings import Settings
from clear_kgqa_tui.app import ChatApp
from tests.tui.conftest import ASKED_BACK
from tests.tui.driver import ask, opened, screen_text

pytestmark = pytest.mark.asyncio


async def test_without_questions_left_the_best_reading_is_answered_and_shown(source: Path, tmp_path: Path) -> None:
    app = ChatApp(Settings(kg=str(source), ask_cost=0.3, asks_per_session=0), tmp_path / "data")
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await opened(pilot)
        await ask(pilot, ASKED_BACK)
        assert screen.card.asked is None
        assert screen.turn is not None and isinstance(screen.turn.last(Answered), Answered)
        assert "Read as: Population of Springfield (city in" in screen_text(pilot)
    app.backend.close()
