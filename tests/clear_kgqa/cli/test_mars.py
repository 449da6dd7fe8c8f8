"""`ask` and `evaluate` with --strategy mars and no model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clear_kgqa.cli import main

SPRINGFIELD = "What is the population of Springfield?"


def said(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main([*args, "--kg", "towns", "--strategy", "mars"])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_an_answer_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(
        capsys, "ask", "What is the population of Oakvale?", "--json", "--mars-without", "rewriting, counts"
    )
    told = json.loads(out)
    assert code == 0
    assert told["answer"]["values"] == [{"literal": "300", "label": "300"}]
    assert told["interpretation"] == "Population of Oakvale"
    assert "<http://example.org/population>" in told["sparql"]


def test_two_towns_of_one_name(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "ask", SPRINGFIELD, "--json")
    told = json.loads(out)
    assert code == 3
    assert {o["description"] for o in told["clarifications"][0]["options"]} == {
        "town in the north",
        "town in the south",
    }
    assert said(capsys, "ask", SPRINGFIELD, "--assume-best")[0] == 0


def test_no_such_step(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, told = said(capsys, "ask", SPRINGFIELD, "--mars-without", "thinking")
    assert code == 2
    assert "there is no step thinking; the steps are rewriting" in told


def test_an_evaluation_with_an_oracle(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    e = "http://example.org/"
    questions = [("1", SPRINGFIELD, "b"), ("2", "What is the population of Oakvale?", "c")]
    file = tmp_path / "questions.jsonl"
    lines = [
        json.dumps({"id": i, "question": q, "sparql": f"SELECT ?x WHERE {{ <{e}{town}> <{e}population> ?x }}"})
        for i, q, town in questions
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    run = tmp_path / "run"
    options = ["--questions", str(file), "--out", str(run), "--user", "oracle", "--gold-entities"]
    assert said(capsys, "evaluate", *options[:-1])[0] == 0
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    assert (summary["f1"], summary["asks_per_question"], summary["failed"]) == (1.0, 0.5, 0)
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    assert "mars_without" in json.dumps(manifest)
    options[3] = str(tmp_path / "given")
    assert said(capsys, "evaluate", *options)[0] == 0
    given = json.loads((tmp_path / "given" / "summary.json").read_text(encoding="utf-8"))
    assert (given["f1"], given["asks_per_question"]) == (1.0, 0.0)
