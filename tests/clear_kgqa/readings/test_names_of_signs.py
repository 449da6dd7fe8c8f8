"""Names of one letter or of signs alone are found in a question (to stand in tests/clear_kgqa/readings)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clear_kgqa.events import Answered
from clear_kgqa.session import make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.open_bundle import open_bundle

TURTLE = """
@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:Lang rdfs:label "language" . ex:year rdfs:label "year" .
ex:c a ex:Lang ; rdfs:label "C" ; ex:year 1972 . ex:cpp a ex:Lang ; rdfs:label "C++" ; ex:year 1985 .
ex:cs a ex:Lang ; rdfs:label "C#" ; ex:year 2000 . ex:chk a ex:Lang ; rdfs:label "!!!" ; ex:year 1996 .
ex:press a ex:Lang ; rdfs:label "[@click=app.quit]press[/]" ; ex:year 2021 . ex:X a ex:Lang ; ex:year 2022 .
"""


@pytest.fixture(scope="module")
def signs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphBundle]:
    folder: Path = tmp_path_factory.mktemp("signs")
    (folder / "signs.ttl").write_text(TURTLE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEAR_KGQA_CACHE", str(folder / "cache"))
        opened = open_bundle(str(folder / "signs.ttl"))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("name", "year"),
    [
        ("C", "1972"),
        ("C++", "1985"),
        ("C#", "2000"),
        ("!!!", "1996"),
        ("[@click=app.quit]press[/]", "2021"),
        ("X", "2022"),
    ],
)
def test_names_of_signs_and_single_letters_are_mentions(signs: GraphBundle, name: str, year: str) -> None:
    for question in (f"year of {name}", f"What is the year of {name}?"):
        answer = list(make_session(signs, Settings()).start(question))[-1]
        assert isinstance(answer, Answered)
        assert answer.text == f"{year}."
