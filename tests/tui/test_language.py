"""The language of names, changed in the settings of a running chat."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from clear_kgqa.settings import Settings
from clear_kgqa_tui.app import ChatApp
from tests.tui.driver import until

TURTLE = """
@prefix e: <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:vienna a e:City ; rdfs:label "Vienna"@en, "Wien"@de ; e:size 5 .
"""


@pytest.mark.asyncio
async def test_the_graph_is_opened_anew_with_names_in_the_new_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEAR_KGQA_CACHE", str(tmp_path / "cache"))
    (tmp_path / "g.ttl").write_text(TURTLE, encoding="utf-8")
    app = ChatApp(Settings(kg=str(tmp_path / "g.ttl")), tmp_path / "data")
    async with app.run_test(size=(100, 40)) as pilot:
        await until(pilot, lambda: app.backend.opened is not None)
        assert app.backend.label("http://e.org/vienna") == "Vienna"
        await pilot.press("f6")
        await until(pilot, lambda: bool(app.screen.query("#language")))
        field = app.screen.query_one("#language", Input)
        field.focus()
        field.value = "de"
        await pilot.press("enter")
        await until(pilot, lambda: app.backend.label("http://e.org/vienna") == "Wien")
