"""Asking, being asked back, and answering by every key."""

from __future__ import annotations

import pytest
from textual import events
from textual.pilot import Pilot

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.events import Answered, Asked, Failed, Replied, ToolCall
from clear_kgqa.session_store import Turn
from clear_kgqa_tui.answer_view import AnswerView
from clear_kgqa_tui.app import ChatApp
from clear_kgqa_tui.chat_screen import ChatScreen
from clear_kgqa_tui.prompt import Prompt
from clear_kgqa_tui.steps_view import StepsView
from tests.tui.conftest import ASKED_BACK
from tests.tui.driver import ask, at_rest, opened, screen_text, write

pytestmark = pytest.mark.asyncio
SIZE = (100, 30)
POPULATION = {"Illinois": "114,000.", "Missouri": "170,000."}


async def asked_back(pilot: Pilot[int]) -> ChatScreen:
    screen = await opened(pilot)
    await ask(pilot, ASKED_BACK)
    assert screen.card.asked is not None and len(screen.card.asked.options) == 2
    return screen


def place(screen: ChatScreen, state: str) -> int:
    """The index of the option that stands for the town in a state."""
    assert screen.card.asked is not None
    return next(i for i, o in enumerate(screen.card.asked.options) if state in o.description)


def answer(screen: ChatScreen) -> str:
    assert screen.turn is not None and screen.card.asked is None
    return str(screen.turn.last(Answered).text)


async def test_a_question_is_answered(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await opened(pilot)
        await ask(pilot, "What is the capital of France?")
        assert answer(screen) == "Paris."
        calls = sum(isinstance(e, ToolCall) for e in app.backend.turns[0].events)
        assert len(screen.query(AnswerView)) == 1 and f"▸ {calls} steps" in screen_text(pilot)  # nothing twice
        shown = screen_text(pilot)
        assert "What is the capital of France?" in shown and "Read as: Capital of France" in shown


async def test_the_card_tells_options_apart_and_marks_what_is_asked_about(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await asked_back(pilot)
        assert screen.card.asked is not None
        start, end = screen.card.asked.span
        assert ASKED_BACK[start:end] == "Springfield"
        shown = screen_text(pilot)
        assert "city in Illinois" in shown and "city in Missouri" in shown
        assert "3 None of these" in shown and "4 You decide" in shown and "█" in shown


async def test_an_option_is_chosen_by_its_number(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await asked_back(pilot)
        await pilot.press(str(place(screen, "Missouri") + 1))
        await at_rest(pilot)
        assert answer(screen) == POPULATION["Missouri"]
        assert "city in Missouri" in screen_text(pilot)  # what was chosen, not only its shared name


async def test_a_number_that_no_row_has_is_text(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await asked_back(pilot)
        await pilot.press("9", "5")
        assert screen.query_one(Prompt).text == "95" and screen.card.asked is not None


async def test_five_long_options_fit_the_smallest_usual_terminal(app: ChatApp) -> None:
    options = tuple(
        Option(f"http://ex.org/{n}", "Springfield", "city", f"city in state number {n}, United States", share=0.2)
        for n in range(5)
    )
    asked = Clarification("c", "entity:springfield", "entity", "Which Springfield?", options, (26, 37))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        screen.open_card(asked, Turn(ASKED_BACK, ASKED_BACK))
        await pilot.pause(0.3)
        shown = screen_text(pilot)
        assert "5 " in shown and "7 You decide" in shown and "Esc drops" in shown


async def test_what_each_option_would_answer_is_shown_on_request(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await asked_back(pilot)
        told = "-> 170000"
        assert told not in screen_text(pilot)
        await pilot.press("ctrl+l")
        assert told in screen_text(pilot)
        await pilot.press("ctrl+l")
        assert told not in screen_text(pilot)


async def test_an_option_is_chosen_by_arrows(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await asked_back(pilot)
        at = place(screen, "Illinois")
        await pilot.press(*["down"] * at, "down", "up", "enter")
        await at_rest(pilot)
        assert answer(screen) == POPULATION["Illinois"]


async def test_an_option_is_chosen_by_mouse(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await asked_back(pilot)
        await pilot.click("#card-options", offset=(6, place(screen, "Illinois")))
        await at_rest(pilot)
        assert answer(screen) == POPULATION["Illinois"]


async def test_typing_narrows_the_options(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await asked_back(pilot)
        await pilot.press(*"illin")
        assert "city in Missouri" not in screen_text(pilot)
        await pilot.press("enter")
        await at_rest(pilot)
        assert answer(screen) == POPULATION["Illinois"]


async def test_own_words_are_a_reply(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await asked_back(pilot)
        await ask(pilot, "the one in Missouri please")
        assert answer(screen) == POPULATION["Missouri"]


async def test_text_that_tells_no_option_apart_is_asked_about_once_more(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await asked_back(pilot)
        await ask(pilot, "city")
        assert screen.turn is not None and screen.turn.last(Replied) is None
        assert screen.turn.last(Asked).clarification.question.startswith("That fits none of these. Which Springfield")
        await pilot.press("1")
        await at_rest(pilot)
        assert screen.turn.last(Replied).kind == "options"


async def test_you_decide_and_none_of_these(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await asked_back(pilot)
        await pilot.press("4")
        await at_rest(pilot)
        assert screen.turn is not None and screen.turn.last(Replied).kind == "delegate"
        assert answer(screen) in POPULATION.values()
        await ask(pilot, ASKED_BACK)
        await pilot.press("3")
        await at_rest(pilot)
        assert screen.turn.last(Replied).kind == "none"


async def test_escape_clears_the_text_then_drops_the_question(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await asked_back(pilot)
        await pilot.press(*"ill", "escape")
        assert screen.card.asked is not None and screen.query_one(Prompt).text == ""
        await pilot.press("escape")
        await at_rest(pilot)
        assert screen.card.asked is None and screen.turn is not None
        assert screen.turn.last(Failed).kind == "gave_up"
        await ask(pilot, "What is the capital of Spain?")
        assert answer(screen) == "Madrid."


async def test_a_new_question_instead_of_a_reply(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await asked_back(pilot)
        await ask(pilot, "What is the capital of Spain?")
        assert [t.question for t in app.backend.turns] == [ASKED_BACK, "What is the capital of Spain?"]
        assert answer(screen) == "Madrid."


async def test_a_question_typed_before_the_graph_is_open_is_asked_then(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await write(pilot, "What is the capital of France?")
        await pilot.press("enter")
        screen = await opened(pilot)
        await at_rest(pilot)
        assert answer(screen) == "Paris."


async def test_two_questions_at_once_are_both_answered(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await opened(pilot)
        for question in ("What is the capital of France?", "What is the capital of Spain?"):
            await write(pilot, question)
            await pilot.press("enter")
        await at_rest(pilot)
        await at_rest(pilot)
        assert answer(screen) == "Madrid." and app.backend.turns[0].last(Answered).text == "Paris."


async def test_a_paste_of_five_lines_arrives_whole_and_harmless(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await opened(pilot)
        prompt = screen.query_one(Prompt)
        await prompt._on_paste(events.Paste("one\r\ntwo\nthree\nfour\nfive \x1b]52;c;cm0=\x07"))
        await pilot.pause()
        assert prompt.text.split("\n") == ["one", "two", "three", "four", "five ␛]52;c;cm0=␇"]
        assert app.backend.turns == []


async def test_control_j_begins_a_line_and_arrows_bring_questions_back(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await opened(pilot)
        prompt = screen.query_one(Prompt)
        await pilot.press("a", "ctrl+j", "b")
        assert prompt.text == "a\nb"
        prompt.clear()
        await ask(pilot, "What is the capital of France?")
        await ask(pilot, "What is the capital of Spain?")
        await pilot.press("up", "up")
        assert prompt.text == "What is the capital of France?"
        await pilot.press("down", "down")
        assert prompt.text == ""


async def test_steps_are_folded_until_asked_for(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = await opened(pilot)
        await ask(pilot, "What is the capital of France?")
        assert "ExecuteSPARQL" not in screen_text(pilot)
        await pilot.press("ctrl+o")
        await pilot.pause(0.2)
        assert all(not v.collapsed for v in screen.query(StepsView))
        screen.conversation.scroll_home(animate=False)
        await pilot.pause(0.2)
        assert "SearchNodes" in screen_text(pilot)


async def test_iris_are_shown_on_demand(app: ChatApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot)
        await ask(pilot, "What is the capital of France?")
        assert "http://ex.org/paris" not in screen_text(pilot)
        await pilot.press("f9")
        await pilot.pause()
        assert "Paris  <http://ex.org/paris>" in screen_text(pilot)
