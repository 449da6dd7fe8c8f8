"""What the chat looks like, at three sizes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from clear_kgqa.settings import Settings
from clear_kgqa_tui.app import ChatApp
from tests.tui.conftest import ASKED_BACK
from tests.tui.driver import ask, at_rest, opened

SIZES = [(80, 24), (120, 40), (40, 15)]


@pytest.fixture
def quiet(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ChatApp:
    """A chat whose screen shows nothing that changes from run to run: the graph goes by a name."""
    monkeypatch.chdir(source.parent)
    return ChatApp(Settings(kg=source.name, ask_cost=0.3), tmp_path / "data")


async def steady(pilot: Pilot[int]) -> None:
    """No blinking cursor, nothing in motion."""
    for area in pilot.app.query("TextArea"):
        area.cursor_blink = False  # type: ignore[attr-defined]
    await pilot.pause(0.5)
    await asyncio.sleep(0)


@pytest.mark.parametrize("size", SIZES)
def test_an_answer(snap_compare: Any, quiet: ChatApp, size: tuple[int, int]) -> None:
    async def before(pilot: Pilot[int]) -> None:
        await opened(pilot)
        await ask(pilot, "What is the capital of France?")
        await steady(pilot)

    assert snap_compare(quiet, terminal_size=size, run_before=before)


@pytest.mark.parametrize("size", SIZES)
def test_a_question_back(snap_compare: Any, quiet: ChatApp, size: tuple[int, int]) -> None:
    async def before(pilot: Pilot[int]) -> None:
        await opened(pilot)
        await ask(pilot, ASKED_BACK)
        await steady(pilot)

    assert snap_compare(quiet, terminal_size=size, run_before=before)


@pytest.mark.parametrize("size", SIZES)
def test_help(snap_compare: Any, quiet: ChatApp, size: tuple[int, int]) -> None:
    async def before(pilot: Pilot[int]) -> None:
        await opened(pilot)
        await pilot.press("f1")
        await at_rest(pilot)
        await steady(pilot)

    assert snap_compare(quiet, terminal_size=size, run_before=before)
