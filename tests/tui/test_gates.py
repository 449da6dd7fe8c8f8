"""Hostile text: nothing from a graph reaches the terminal, a file or a widget but as visible, verbatim characters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.pilot import Pilot

from clear_kgqa.settings import Settings
from clear_kgqa_tools.text import visible
from clear_kgqa_tui.answer_table import AnswerTable
from clear_kgqa_tui.app import ChatApp
from clear_kgqa_tui.save_screen import savable
from tests.tui.driver import ask, at_rest, opened, screen_text, until

pytestmark = pytest.mark.asyncio
SIZE = (150, 45)
EVIL = (
    "Paris\x1b]52;c;cm0gLXJm\x1b\\", "\x9b2JNice", "Lyon\x1b]8;;http://evil\x1b\\", "\u202eenabrilsiL", "Foo [/] bar",
    '"x"[en]', "[@click=app.quit]press[/]", "?s ex:p [ ex:x 1 ]", "a\nb\r\n1 None of these", "[bold red]hot",
    "\x7fdel\x00", "L" * 20_000,
)  # fmt: skip


def literal(text: str) -> str:
    return json.dumps(text)


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A graph in which every label and description is hostile, and one name is shared by two such nodes."""
    monkeypatch.setenv("CLEAR_KGQA_CACHE", str(tmp_path / "cache"))
    lines = [
        "@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .",
        "@prefix s: <http://schema.org/> .",
        f'ex:City a rdfs:Class ; rdfs:label {literal("city" + EVIL[6])} . ex:mayor rdfs:label "mayor" .',
        'ex:part rdfs:label "part" . ex:land rdfs:label "Land" ; ex:size 3 .',
    ]
    for i, name in enumerate(EVIL):
        lines.append(f"ex:e{i} a ex:City ; rdfs:label {literal(name)} ; s:description {literal(name * 2)} .")
        lines.append(f"ex:land ex:part ex:e{i} . ex:e{i} ex:mayor ex:e{i} .")
    for i in (0, 6):
        lines.append(f'ex:t{i} a ex:City ; rdfs:label "Twin" ; s:description {literal(EVIL[i])} ; ex:mayor ex:e{i} .')
    path = tmp_path / "hostile.ttl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def assert_clean(pilot: Pilot[int]) -> None:
    """Every cell of the screen holds a character that a terminal only draws."""
    text = screen_text(pilot)
    assert all(visible(line) == line and "\t" not in line for line in text.splitlines()), text


async def test_hostile_names_are_shown_verbatim_everywhere(hostile: Path, tmp_path: Path) -> None:
    app = ChatApp(Settings(kg=str(hostile), ask_cost=0.2), tmp_path / "data")
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await opened(pilot)
        await ask(pilot, "Who is the mayor of Twin?")
        screen.run_query(
            "SELECT ?x ?l { <http://ex.org/land> <http://ex.org/part> ?x . ?x ?p ?l FILTER isLiteral(?l) }"
        )
        await at_rest(pilot)
        await pilot.press("f2")
        await until(pilot, lambda: len(screen.query(AnswerTable)) == 1)
        await pilot.pause(0.3)
        assert "press[/]" in screen_text(pilot) and "␛]52" in screen_text(pilot)
        assert_clean(pilot)
        await pilot.press("1", "f2", "ctrl+o", "f9")
        await at_rest(pilot)
        assert_clean(pilot)
        for _ in range(4):
            screen.conversation.scroll_page_up(animate=False)
            await pilot.pause(0.1)
            assert_clean(pilot)
        for key in ("f2", "f5", "f3", "f4", "f7", "ctrl+s"):
            await pilot.press(key)
            await pilot.pause(0.2)
            assert_clean(pilot)
            await pilot.press("escape")
        for _, _, text in savable(app.backend.turns):
            assert visible(text()) == text()
    app.backend.close()


async def test_hostile_options_of_a_card(hostile: Path, tmp_path: Path) -> None:
    app = ChatApp(Settings(kg=str(hostile), ask_cost=0.1), tmp_path / "data")
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await opened(pilot)
        await ask(pilot, "Who is the mayor of Twin?")
        assert screen.card.asked is not None
        assert_clean(pilot)
        shown = screen_text(pilot)
        assert "[@click=app.quit]press[/]" in shown and "␛]52;c;cm0gLXJm␛\\" in shown
        await pilot.press("ctrl+r", "1")
        await at_rest(pilot)
        await pilot.press("f4")
        await pilot.pause(0.2)
        assert_clean(pilot)
    app.backend.close()


async def test_hostile_questions_and_notifications(app: ChatApp) -> None:
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await opened(pilot)
        for text in EVIL[:-1]:
            await ask(pilot, text)
            app.notify(f"told {text}", title=text)
            await until(pilot, lambda: "told" in screen_text(pilot))
            assert_clean(pilot)
            app.clear_notifications()
        assert app.is_running
