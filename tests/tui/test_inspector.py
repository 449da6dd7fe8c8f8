"""The inspector, the readings, and what can be saved."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from textual.widgets import Input

from clear_kgqa.events import Answered
from clear_kgqa_tui.app import ChatApp
from clear_kgqa_tui.inspector import laid_out
from clear_kgqa_tui.query_editor import QueryEditor, coloured
from tests.tui.conftest import ASKED_BACK
from tests.tui.driver import ask, at_rest, opened, screen_text, until

pytestmark = pytest.mark.asyncio
SIZE = (130, 45)


async def test_scores_stand_against_their_thresholds(app: ChatApp) -> None:
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await opened(pilot)
        await pilot.press("f2")
        await ask(pilot, ASKED_BACK)
        shown = screen_text(pilot)
        assert "entity:springfield" in shown and "of 0.60 ambiguous" in shown and "of 0.80" in shown
        await pilot.press("1")
        await at_rest(pilot)
        shown = screen_text(pilot)
        assert "1 row in" in shown and "complete" in shown and "tiny.ttl" in shown
        assert screen.query_one(QueryEditor).text.split() == screen.turn.last(Answered).sparql.split()  # type: ignore[union-attr]


async def test_an_edited_query_runs_and_a_wrong_one_says_why(app: ChatApp) -> None:
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await opened(pilot)
        await pilot.press("f2")
        editor = screen.query_one(QueryEditor)
        editor.focus()
        editor.text = "SELECT ?c ?n { ?c <http://ex.org/population> ?n ; a <http://ex.org/Country> }"
        await pilot.press("ctrl+g")
        await at_rest(pilot)
        await pilot.pause(0.3)
        shown = screen_text(pilot)
        assert "France" in shown and "68000000" in shown and "3 rows" in shown.replace("4 rows", "3 rows")
        editor.text = "DROP ALL"
        await pilot.press("ctrl+g")
        await at_rest(pilot)
        assert "France" not in screen_text(pilot).split("Query (ctrl+g")[1]


async def test_a_table_sorts_by_value_both_ways(app: ChatApp) -> None:
    from clear_kgqa_tui.answer_table import AnswerTable

    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await opened(pilot)
        await pilot.press("f2")
        editor = screen.query_one(QueryEditor)
        editor.focus()
        editor.text = "SELECT ?c ?n { ?c <http://ex.org/population> ?n ; a <http://ex.org/City> }"
        await pilot.press("ctrl+g")
        await at_rest(pilot)
        await pilot.pause(0.3)
        table = screen.query_one(AnswerTable)
        table.focus()
        await pilot.press("right", "s")
        rows = [table.get_row_at(i) for i in range(table.row_count)]
        numbers = [int(str(row[1])) for row in rows]
        assert numbers == sorted(numbers) and numbers[0] == 114_000
        await pilot.press("s")
        assert int(str(table.get_row_at(0)[1])) == 3_200_000
        assert str(table.get_row_at(0)[0]) == "Madrid"


async def test_the_other_readings_have_answers_and_can_be_run(app: ChatApp) -> None:
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await opened(pilot)
        await ask(pilot, ASKED_BACK)
        await pilot.press("1")
        await at_rest(pilot)
        await pilot.press("f5")
        await pilot.pause(0.2)
        shown = screen_text(pilot)
        assert "114000" in shown and "170000" in shown and "(answered)" in shown
        assert "city in Illinois" in shown and "city in Missouri" in shown
        await pilot.press("enter")
        await at_rest(pilot)
        await pilot.pause(0.3)
        assert "your own query" in screen_text(pilot)


@pytest.mark.parametrize(
    "name", ["answer.csv", "answer.json", "answer.md", "query.rq", "conversation.md", "conversation.json"]
)
async def test_saving_to_a_file(app: ChatApp, tmp_path: Path, name: str) -> None:
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await opened(pilot)
        await ask(pilot, "What is the capital of France?")
        await pilot.press("ctrl+s")
        await pilot.pause(0.1)
        field = pilot.app.screen.query_one(Input)
        for _ in range(6):
            if field.value != name:
                await pilot.press("down")
        assert field.value == name
        await pilot.press("enter")
        field.value = str(tmp_path / name)
        await pilot.press("enter")
        await until(pilot, lambda: "Saved" in screen_text(pilot))
        text = (tmp_path / name).read_text()
        if name.endswith(".csv"):
            assert list(csv.reader(io.StringIO(text))) == [["x", "x label"], ["http://ex.org/paris", "Paris"]]
        elif name == "answer.json":
            assert json.loads(text)["answer"]["values"] == [{"iri": "http://ex.org/paris", "label": "Paris"}]
        elif name == "conversation.json":
            assert json.loads(text)[0]["question"] == "What is the capital of France?"
        elif name == "query.rq":
            assert text.startswith("SELECT DISTINCT ?x")
        else:
            assert "What is the capital of France?" in text and "```sparql" in text


async def test_a_file_is_not_replaced_unasked(app: ChatApp, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("mine")
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await opened(pilot)
        await ask(pilot, "What is the capital of France?")
        await pilot.press("ctrl+s", "enter")
        pilot.app.screen.query_one(Input).value = str(tmp_path / "a.csv")
        await pilot.press("enter")
        await pilot.pause(0.1)
        assert (tmp_path / "a.csv").read_text() == "mine" and "Enter once more" in screen_text(pilot)
        await pilot.press("enter")
        assert "Paris" in (tmp_path / "a.csv").read_text()


async def test_copying_claims_nothing(app: ChatApp) -> None:
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await opened(pilot)
        await ask(pilot, "What is the capital of France?")
        await ask(pilot, "/copy")
        await until(pilot, lambda: "OSC 52" in screen_text(pilot))
        assert app.clipboard == "Paris." and "opied" not in screen_text(pilot)


async def test_queries_are_laid_out_and_coloured_without_a_change() -> None:
    query = "SELECT DISTINCT ?x WHERE { <http://ex.org/a> <http://ex.org/p> ?x . ?x <http://ex.org/q> ?y . }"
    assert laid_out(query).split() == query.split() and laid_out(query).count("\n") == 4
    tricky = 'SELECT ?x WHERE { ?x ?p " WHERE { . " . }'
    assert laid_out(tricky) == tricky
    assert "\n".join(line.plain for line in coloured("SELECT ?x\n\n{ ?x ?p 1 }\n")) == "SELECT ?x\n\n{ ?x ?p 1 }\n"
