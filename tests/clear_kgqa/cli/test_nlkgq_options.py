"""What nlkgq is given on the command line: ontology, wrapper, note, budget, endpoints; and `kg info` that writes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clear_kgqa.cli import main
from clear_kgqa.nlkgq.ontology_file import read_ontology
from clear_kgqa.nlkgq.wrapper import read_wrapper
from tests.clear_kgqa.agent.faulty_model_server import FaultyModelServer, completion

E = "http://example.org/"
QUESTION = "Who is the mayor of Oakvale?"


def ask(server: FaultyModelServer, *more: str) -> int:
    return main(
        [
            "ask",
            QUESTION,
            "--kg",
            "towns",
            "--strategy",
            "nlkgq",
            "--model",
            "m",
            "--base-url",
            server.url,
            "--json",
            *more,
        ]
    )


def told(server: FaultyModelServer) -> str:
    return str(server.chats[0]["messages"][0]["content"])


def test_the_ontology_of_a_graph_is_printed_or_written_and_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["kg", "info", "towns", "--ontology"]) == 0
    shown = capsys.readouterr().out
    assert main(["kg", "info", "towns", "--ontology", str(tmp_path / "towns.ttl")]) == 0
    assert (tmp_path / "towns.ttl").read_text() == shown
    schema = read_ontology(tmp_path / "towns.ttl").schema
    assert schema.property_by_iri[f"{E}mayor"].label == "mayor"
    assert schema.class_by_iri[f"{E}Town"].label == "town"


@pytest.mark.parametrize("name", ["w.yaml", "w.tsv"])
def test_a_wrapper_is_written_and_used(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kg", "info", "towns", "--wrapper", str(tmp_path / name)]) == 0
    assert {t.name for t in read_wrapper(tmp_path / name).terms} >= {"Town", "mayor", "population"}
    capsys.readouterr()
    with FaultyModelServer([completion(f"SELECT ?a {{ <{E}c> w:mayor ?a }}")]) as server:
        assert ask(server, "--wrapper", str(tmp_path / name)) == 0
        assert "w:mayor a owl:ObjectProperty" in told(server)
    answer = json.loads(capsys.readouterr().out)
    assert answer["answer"]["values"][0]["iri"] == f"{E}m" and f"{E}mayor" in answer["sparql"]


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (["--ontology", "--wrapper"], "exclude each other"),
        (["out.ttl"], "give one of them"),
        (["--ontology", "/nowhere/at/all.ttl"], "cannot write /nowhere/at/all.ttl"),
    ],
)
def test_what_cannot_be_written_is_told(more: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kg", "info", "towns", *more]) == 2
    error = capsys.readouterr().err
    assert line in error and error.count("\n") == 1


def test_a_given_ontology_a_note_and_a_budget_stand_in_the_prompt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ontology, note = tmp_path / "o.ttl", tmp_path / "note.md"
    ontology.write_text(f"<{E}mayor> a <http://www.w3.org/2002/07/owl#ObjectProperty> . # as it stands\n")
    note.write_text("Mayors are people.\n")
    query = completion(f"SELECT ?a {{ <{E}c> <{E}mayor> ?a }}")
    with FaultyModelServer([query]) as server:
        assert ask(server, "--ontology", str(ontology), "--note", str(note)) == 0
        assert "# as it stands" in told(server) and "Mayors are people." in told(server)
    with FaultyModelServer([query]) as server:
        assert ask(server, "--note", "Be brief.", "--ontology-tokens", "120") == 0
        assert "Be brief." in told(server)
        small = len(told(server))
    with FaultyModelServer([query]) as server:
        assert ask(server) == 0
        assert len(told(server)) > small
    capsys.readouterr()


def test_an_endpoint_of_the_wrapper_must_be_allowed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrapper = tmp_path / "w.yaml"
    wrapper.write_text(f"terms: {{cites: {{native: '<{E}cites>', endpoint: 'http://127.0.0.1:9/sparql'}}}}")
    with FaultyModelServer([completion(f"SELECT ?a {{ <{E}c> w:cites ?a }}")]) as server:
        assert ask(server, "--wrapper", str(wrapper)) == 2
        assert "not among the allowed services" in capsys.readouterr().err
        assert ask(server, "--wrapper", str(wrapper), "--service", "http://127.0.0.1:9/sparql") != 2


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (["--wrapper", "nowhere.yaml"], "cannot read the wrapper nowhere.yaml"),
        (["--ontology", "nowhere.ttl"], "cannot read the ontology nowhere.ttl"),
        (["--ontology-tokens", "3"], "ontology-tokens"),
    ],
)
def test_files_that_cannot_be_used_are_told_in_one_line(
    more: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with FaultyModelServer([completion("ASK { }")]) as server:
        assert ask(server, *more) == 2
    error = capsys.readouterr().err
    assert line in error and error.count("\n") == 1


@pytest.mark.parametrize("strategy", ["io", "cot", "nlkgq", "direct"])
def test_a_strategy_that_needs_a_model_ends_with_2_and_says_what_to_give(
    strategy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", QUESTION, "--kg", "towns", "--strategy", strategy, "--model", "offline"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and strategy in error and "offline" in error and "--model" in error
