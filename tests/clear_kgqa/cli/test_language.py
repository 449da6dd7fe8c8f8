"""`--language`: names in the user's language on the command line, in the settings file, and in the model's prompt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clear_kgqa.cli import main

TURTLE = """
@prefix e: <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix s: <http://schema.org/> .
e:City rdfs:label "city"@en, "Stadt"@de .
e:mayor rdfs:label "mayor"@en, "Bürgermeister"@de .
e:a a e:City ; rdfs:label "Frankfort"@en, "Frankfurt"@de ; s:description "on the Main"@en, "am Main"@de ; e:mayor e:m .
e:b a e:City ; rdfs:label "Frankfort"@en, "Frankfurt"@de ; s:description "on the Spree"@en, "an der Spree"@de ; e:mayor e:n .
e:m rdfs:label "Max the Elder"@en, "Max der Ältere"@de . e:n rdfs:label "Nora" .
"""
QUESTION = "Who is the mayor of Frankfort?"


@pytest.fixture
def graph(tmp_path: Path) -> str:
    (tmp_path / "g.ttl").write_text(TURTLE, encoding="utf-8")
    return str(tmp_path / "g.ttl")


def asked(graph: str, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, str]:
    """The options of the question back: description -> label."""
    assert main(["ask", QUESTION, "--kg", graph, "--json", "--fail-if-ambiguous", *more]) == 3
    options = json.loads(capsys.readouterr().out)["clarifications"][0]["options"]
    return {o["description"]: o["label"] for o in options if o["iri"]}


def test_the_user_is_asked_back_in_the_preferred_language(graph: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(graph, capsys) == {"on the Main": "Frankfort", "on the Spree": "Frankfort"}
    assert asked(graph, capsys, "--language", "de,en") == {"am Main": "Frankfurt", "an der Spree": "Frankfurt"}


def test_the_settings_file_can_hold_it(graph: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.toml").write_text('language = "de"\n')
    assert "am Main" in asked(graph, capsys, "--config", str(tmp_path / "own.toml"))


def test_an_answer_without_a_name_in_it_keeps_its_own(graph: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name, label in (("Max the Elder", "Max der Ältere"), ("Nora", "Nora")):
        question = f"Which city has the mayor {name}?"
        assert main(["ask", question, "--kg", graph, "--language", "de", "--json", "--assume-best"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["answer"]["values"][0]["label"] == "Frankfurt"
        assert label in told["interpretation"]


def test_a_language_that_is_not_there_is_told_and_the_answer_still_comes(
    graph: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", "Which city has the mayor Nora?", "--kg", graph, "--language", "ja", "--assume-best"]) == 0
    shown = capsys.readouterr()
    assert "has no names in ja; its own are shown (de, en)" in shown.err
    assert shown.out.startswith("Frankfort.")
