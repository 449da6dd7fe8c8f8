"""Settings, graphs, help and the palette."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from clear_kgqa.events import Answered
from clear_kgqa_tools.catalog import kg_list
from clear_kgqa_tui.app import ChatApp
from clear_kgqa_tui.commands import COMMANDS, by_name
from tests.tui.driver import ask, opened, screen_text, until

pytestmark = pytest.mark.asyncio
SIZE = (110, 45)


async def test_settings_are_checked_then_hold_for_the_session(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot)
        await pilot.press("f6")
        field = pilot.app.screen.query_one("#entity_threshold", Input)
        field.focus()
        field.value = "7"
        await pilot.press("enter")
        await pilot.pause(0.1)
        assert "entity_threshold" in screen_text(pilot) and app.backend.settings.entity_threshold == 0.6
        field.value = "0.5"
        await pilot.press("enter")
        await until(pilot, lambda: app.backend.settings.entity_threshold == 0.5)
        assert app.backend.settings.ask_cost == 0.3


async def test_a_graph_is_added_and_chosen_from_inside(app: ChatApp, source: Path, tmp_path: Path) -> None:
    other = tmp_path / "with space.ttl"
    other.write_text(source.read_text().replace("Paris", "Lutetia"))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await opened(pilot)
        await pilot.press("f7")
        field = pilot.app.screen.query_one("#add", Input)
        field.focus()
        field.value = f'gaul "{other}"'
        await pilot.press("enter")
        await until(pilot, lambda: "gaul: " in screen_text(pilot))
        assert "gaul" in [g["name"] for g in kg_list()]
        await pilot.press("f7", "down", "enter")
        await until(pilot, lambda: app.backend.kg == "gaul" and screen.ready)
        await ask(pilot, "What is the capital of France?")
        assert screen.turn is not None and screen.turn.last(Answered).text == "Lutetia."


async def test_a_graph_that_is_not_there_leaves_the_open_one(app: ChatApp) -> None:
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await opened(pilot)
        await pilot.press("f7")
        field = pilot.app.screen.query_one("#spec", Input)
        field.focus()
        field.value = "./nowhere.ttl"
        await pilot.press("enter")
        await until(pilot, lambda: "no such file" in screen_text(pilot))
        await ask(pilot, "What is the capital of France?")
        assert screen.turn is not None and screen.turn.last(Answered).text == "Paris."


async def test_help_lists_every_command_and_the_palette_finds_them(app: ChatApp) -> None:
    async with app.run_test(size=(110, 60)) as pilot:
        await opened(pilot)
        await pilot.press("f1")
        await pilot.pause(0.1)
        shown = screen_text(pilot)
        assert all(c.title in shown and f"/{c.name}" in shown for c in COMMANDS)
        await pilot.press("escape", "ctrl+p", *"saved")
        await until(pilot, lambda: "Saved conversations" in screen_text(pilot))


async def test_slash_commands_may_be_cut_short_where_they_stay_unique() -> None:
    assert by_name("sess") is by_name("sessions") is not None
    assert by_name("s") is None and by_name("") is None and by_name("nonsense") is None
    assert all(by_name(c.name) is c for c in COMMANDS)
