"""`clear-kgqa icl` with a tiny model made here, and what it says where something is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clear_kgqa.cli import main

TOWNS = "http://example.org/"


def questions(path: Path, *asked: tuple[str, str]) -> Path:
    lines = (json.dumps({"id": str(i), "question": q, "sparql": s}) for i, (q, s) in enumerate(asked))
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    train = questions(
        tmp_path / "train.jsonl",
        *((f"Who is mayor of {n}?", f"SELECT ?x {{ <{TOWNS}{n}> <{TOWNS}mayor> ?x }}") for n in "abcd"),
        ("Is m mayor of c?", f"ASK {{ <{TOWNS}c> <{TOWNS}mayor> <{TOWNS}m> }}"),
    )
    test = questions(
        tmp_path / "test.jsonl",
        ("Who runs c?", f"SELECT ?x {{ <{TOWNS}c> <{TOWNS}mayor> ?x }}"),
        ("What is c?", f"SELECT ?x {{ <{TOWNS}c> a ?x }}"),
    )
    return ["icl", "--train", str(train), "--test", str(test), "--out", str(tmp_path / "out")]


def test_without_a_model_one_line_says_what_to_give(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(files) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "--model MODEL" in told


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--selectors", "best"], "there is no selector 'best'; there are fr, ss, str, stss"),
        (["--shots", "1;2"], "write numbers with commas"),
        (["--train", "nowhere.jsonl"], "cannot read nowhere.jsonl"),
    ],
)
def test_wrong_options_are_told_in_one_line(
    files: list[str], options: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*files, "--model", "hf:o/m", *options]) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1


def test_the_table_is_printed_and_written_and_a_second_run_asks_no_model(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("sacrebleu")
    from tests.clear_kgqa.examples.test_generative import causal, saved

    model = saved(causal(), tmp_path / "model")
    chosen = [
        *files,
        "--model",
        f"hf:{model}",
        "--selectors",
        "ss,stss",
        "--shots",
        "0,1",
        "--readable",
        "--kg",
        "towns",
    ]
    assert main(chosen) == 0
    shown = capsys.readouterr().out
    assert shown.count(f"| {model} |") == 3 and "5 examples, 2 questions" in shown
    data = json.loads((tmp_path / "out" / "icl.json").read_text())
    assert [(r["strategy"], r["shots"]) for r in data["rows"]] == [("none", 0), ("ss", 1), ("stss", 1)]
    lines = [json.loads(line) for line in (tmp_path / "out" / "predictions.jsonl").read_text().splitlines()]
    assert lines[0]["gold"] == ":Oakvale [SEP] :mayor [SEP] [ROOT] [END]"
    replies = (tmp_path / "out" / "replies.jsonl").read_text()
    assert main(chosen) == 0
    assert capsys.readouterr().out == shown
    assert (tmp_path / "out" / "replies.jsonl").read_text() == replies


def test_an_adapter_brings_its_base_model_as_a_row_of_its_own() -> None:
    from clear_kgqa.examples.icl import models_of

    assert list(models_of(["hf:google/flan-t5-base+runs/lora", "smollm2-135m"])) == [
        "google/flan-t5-base", "google/flan-t5-base+runs/lora", "smollm2-135m",
    ]  # fmt: skip
