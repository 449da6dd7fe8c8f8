"""Conversations kept on disk, choices kept per graph, follow-up questions."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from textual.widgets import OptionList

from clear_kgqa.events import Answered, Asked, Replied
from clear_kgqa.settings import Settings
from clear_kgqa_tui.app import ChatApp
from tests.tui.conftest import ASKED_BACK
from tests.tui.driver import ask, at_rest, opened, screen_text

pytestmark = pytest.mark.asyncio
SIZE = (100, 40)


def again(app: ChatApp, tmp_path: Path, session: str = "") -> ChatApp:
    """Another process's chat over the same data folder."""
    settings = app.backend.settings.model_copy(update={"session": session})
    return ChatApp(settings, tmp_path / "data")


async def test_an_open_question_survives_a_crash(app: ChatApp, tmp_path: Path) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot)
        await ask(pilot, "What is the capital of France?")
        await ask(pilot, ASKED_BACK)
    second = again(app, tmp_path, app.backend.session_id)
    async with second.run_test(size=SIZE) as pilot:
        screen = await opened(pilot)
        await pilot.pause(0.3)
        assert screen.card.asked is not None and "Paris." in screen_text(pilot)
        wanted = next(i for i, o in enumerate(screen.card.asked.options) if "Missouri" in o.description)
        await pilot.press(str(wanted + 1))
        await at_rest(pilot)
        assert screen.turn is not None and screen.turn.last(Answered).text == "170,000."
    second.backend.close()


async def test_nobody_else_can_read_what_is_kept(app: ChatApp, tmp_path: Path) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot)
        await ask(pilot, ASKED_BACK)
        await pilot.press("ctrl+r", "1")
        await at_rest(pilot)
        files = list((tmp_path / "data").iterdir())
        assert {"sessions.sqlite", "choices.json"} <= {f.name for f in files}
        assert {stat.S_IMODE(f.stat().st_mode) for f in files} == {0o600}
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


async def test_sessions_are_listed_searched_reopened_and_deleted(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await opened(pilot)
        await ask(pilot, "What is the capital of France?")
        first = app.backend.session_id
        await pilot.press("ctrl+n")
        await at_rest(pilot)
        await pilot.pause(0.3)
        await ask(pilot, "Who directed Heat?")
        assert app.backend.session_id != first and len(app.backend.turns) == 1
        await pilot.press("f3")
        await pilot.pause()
        shown = screen_text(pilot)
        assert "What is the capital of France?" in shown and "Who directed Heat?" in shown
        await pilot.press(*"franc")
        await pilot.pause()
        assert pilot.app.screen.query_one(OptionList).option_count == 1
        await pilot.press("enter")
        await pilot.pause(0.5)
        await at_rest(pilot)
        assert app.backend.session_id == first and screen.turn is not None
        assert screen.turn.last(Answered).text == "Paris."
        await pilot.press("f3", *"heat", "ctrl+d", "ctrl+d", "escape")
        assert [e.id for e in app.store.sessions()] == [first]


async def test_a_remembered_choice_is_taken_changed_and_forgotten(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await opened(pilot)
        await ask(pilot, ASKED_BACK)
        assert screen.card.asked is not None
        wanted = next(i for i, o in enumerate(screen.card.asked.options) if "Missouri" in o.description)
        await pilot.press("ctrl+r", str(wanted + 1))
        await at_rest(pilot)
        await ask(pilot, ASKED_BACK)
        assert screen.card.asked is None and screen.turn is not None
        assert screen.turn.last(Answered).text == "170,000." and "(remembered" in screen_text(pilot)
        await pilot.press("f3", "enter")  # read from disk again
        await pilot.pause(0.5)
        await at_rest(pilot)
        assert "(remembered" in screen_text(pilot)
        await pilot.press("f4")
        await pilot.pause()
        assert "city in Missouri" in screen_text(pilot)
        await pilot.press("e", "escape")
        await ask(pilot, ASKED_BACK)
        assert screen.turn.last(Answered).text == "114,000."
        await pilot.press("f4", "d", "escape")
        await ask(pilot, ASKED_BACK)
        assert screen.card.asked is not None


async def test_what_was_chosen_holds_in_its_conversation(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await opened(pilot)
        await ask(pilot, ASKED_BACK)
        await pilot.press("2")
        await at_rest(pilot)
        assert screen.turn is not None
        before = screen.turn.last(Answered).text
        await ask(pilot, ASKED_BACK)
        assert screen.card.asked is None and screen.turn.last(Answered).text == before
        assert "(as chosen before; F8 asks again)" in screen_text(pilot)
        await pilot.press("f8")
        await at_rest(pilot)
        assert screen.card.asked is not None
        await pilot.press("1")
        await at_rest(pilot)
        assert screen.turn.last(Answered).text != before
        await pilot.press("ctrl+n")
        await at_rest(pilot)
        await ask(pilot, ASKED_BACK)
        assert screen.card.asked is not None


async def test_a_choice_is_undone(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await opened(pilot)
        await pilot.press("f8")
        assert app.backend.turns == []
        await ask(pilot, ASKED_BACK)
        await pilot.press("ctrl+r", "1")
        await at_rest(pilot)
        assert screen.turn is not None
        before = screen.turn.last(Answered).text
        await pilot.press("f8")
        await at_rest(pilot)
        assert screen.card.asked is not None  # asked again, although the choice is remembered
        await pilot.press("2")
        await at_rest(pilot)
        assert {before, screen.turn.last(Answered).text} == {"114,000.", "170,000."}


async def test_a_follow_up_carries_the_entity_over(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await opened(pilot)
        await ask(pilot, "What is the capital of France?")
        await ask(pilot, "and its population?")
        assert screen.turn is not None and screen.turn.last(Answered).text == "68,000,000."
        assert "Asked as: France's population?" in screen_text(pilot)
        assert "Paris instead" in screen_text(pilot)
        await pilot.press("ctrl+t")
        await at_rest(pilot)
        assert screen.turn.last(Answered).text == "2,100,000."


async def test_a_follow_up_keeps_the_node_that_was_chosen(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await opened(pilot)
        await ask(pilot, ASKED_BACK)
        assert screen.card.asked is not None
        wanted = next(i for i, o in enumerate(screen.card.asked.options) if "Illinois" in o.description)
        await pilot.press(str(wanted + 1))
        await at_rest(pilot)
        await ask(pilot, "What is its population?")
        assert screen.card.asked is None and screen.turn is not None
        assert screen.turn.last(Answered).text == "114,000."
        asked, replied = screen.turn.last(Asked), screen.turn.last(Replied)
        assert asked is None or replied.kind == "options"


async def test_a_session_of_another_graph_opens_that_graph(app: ChatApp, source: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.ttl"
    other.write_text(source.read_text().replace("Paris", "Lutetia"))
    async with app.run_test(size=SIZE) as pilot:
        screen = await opened(pilot)
        await ask(pilot, "What is the capital of France?")
        screen._use_graph(str(other))
        await at_rest(pilot)
        await opened(pilot)
        await ask(pilot, "What is the capital of France?")
        assert screen.turn is not None and screen.turn.last(Answered).text == "Lutetia."
        assert Settings.model_validate({"kg": str(other)}).kg == app.backend.settings.kg
        await pilot.press("f3", "down", "enter")
        await pilot.pause(0.5)
        await opened(pilot)
        await ask(pilot, "What is the capital of France?")
        assert screen.turn.last(Answered).text == "Paris."
