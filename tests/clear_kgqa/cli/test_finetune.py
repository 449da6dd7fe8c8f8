"""`clear-kgqa finetune` without training packages: data, permissions, and what each mistake is told."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from clear_kgqa.cli import main

ALLOWED = ["--licence", "CC0-1.0", "--consent", "simulated users"]
TRAINS = all(importlib.util.find_spec(name) for name in ("torch", "transformers", "peft", "accelerate"))


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the offline planner, its one clarification answered, over a graph of this package."""
    folder = tmp_path_factory.mktemp("evaluated")
    population = "SELECT ?x { <http://example.org/%s> <http://example.org/population> ?x }"
    questions = [
        {"id": "1", "question": "What is the population of Springfield?", "sparql": population % "b"},
        {"id": "2", "question": "What is the population of Oakvale?", "sparql": population % "c"},
    ]
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps(q) + "\n" for q in questions))
    out = folder / "run"
    args = ["evaluate", "--kg", "towns", "--questions", str(file), "--out", str(out), "--user", "oracle"]
    assert main(args) == 0
    return out


def test_a_run_becomes_training_data_once_it_is_allowed(
    run_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = ["finetune", "data", str(run_folder), "--out", str(tmp_path / "data"), "--kg", "towns", "--valid-share", "0"]
    assert main(made) == 2
    refused = capsys.readouterr().err
    assert "is not marked as allowed for training: clear-kgqa finetune allow" in refused
    assert refused.count("\n") == 1
    assert main(["finetune", "allow", str(run_folder), *ALLOWED]) == 0
    assert main(made) == 0
    shown = capsys.readouterr().out
    assert "agent: 2 rows to train on, 0 to validate" in shown
    assert 'assistant: ⟦SearchNodes{"name": "' in shown
    assert "user: What is the population of" in shown
    card = json.loads((tmp_path / "data" / "card.json").read_text())
    assert card["sources"] == [{"name": "run", "licence": "CC0-1.0", "consent": "simulated users"}]
    rows = [json.loads(line) for line in (tmp_path / "data" / "agent.train.jsonl").read_text().splitlines()]
    asked = [m for row in rows for m in row["messages"] if m["role"] == "tool" and m["name"] == "AskForClarification"]
    assert [m["content"].startswith("The user's reply, as data: ") for m in asked] == [True]


def test_a_conversation_becomes_training_data_once_it_is_allowed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from clear_kgqa.events import Answered, Observation, ToolCall
    from clear_kgqa.session_store import SessionStore

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    sparql = "SELECT ?x { <http://example.org/c> <http://example.org/population> ?x }"
    store = SessionStore()
    store.begin_turn("s1", "towns", 0, "How many live in Oakvale?", "How many live in Oakvale?")
    for event in (
        ToolCall("1", "ExecuteSPARQL", {"sparql": sparql}),
        Observation("1", "ExecuteSPARQL", "300", {"rows": 1}, ""),
        Answered("select", ("x",), (), (), None, sparql, "", "300"),
    ):
        store.record("s1", 0, event)
    store.close()
    made = ["finetune", "data", "s1", "--out", str(tmp_path / "data"), "--valid-share", "0"]
    assert main(made) == 2
    assert "s1 is not marked as allowed" in capsys.readouterr().err
    assert main(["finetune", "allow", "s1", *ALLOWED]) == 0
    assert main(made) == 0
    (row,) = [json.loads(line) for line in (tmp_path / "data" / "agent.train.jsonl").read_text().splitlines()]
    assert [m["role"] for m in row["messages"]] == ["user", "assistant", "tool", "assistant"]


def test_labelled_items_become_helper_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = tmp_path / "items.jsonl"
    towns = ["http://example.org/a", "http://example.org/c"]
    items.write_text(json.dumps({"question": "Who is the mayor?", "candidates": towns, "label": 0}) + "\n")
    args = ["finetune", "data", "--items", str(items), "--kg", "towns", "--style", "fits", "--valid-share", "0"]
    assert main([*args, "--out", str(tmp_path / "data")]) == 0
    shown = capsys.readouterr().out
    assert "This one has mayor. All have population." in shown
    assert json.loads((tmp_path / "data" / "card.json").read_text())["context_style"] == "fits"


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["data"], "--out is missing"),
        (["data", "--out", "x"], "name a run folder or a saved conversation"),
        (["data", "nowhere", "--out", "x"], "nowhere is neither a run folder nor a saved conversation"),
        (["data", ".", "--out", "x"], "holds no transcripts.jsonl"),
        (["data", "--items", "none.jsonl", "--kg", "towns", "--out", "x"], "cannot read none.jsonl"),
        (["data", "--items", "none.jsonl", "--out", "x"], "give --kg"),
        (["data", ".", "--out", "x", "--style", "odd"], "--style odd: write full"),
        (["data", ".", "--out", "x", "--valid-share", "1"], "at least 0 and below 1"),
        (["allow", "."], "--licence"),
        (["allow", ".", *ALLOWED], "holds no transcripts.jsonl"),
        (["allow", "nowhere", *ALLOWED], "neither a run folder nor a saved conversation"),
        (["train"], "RECIPE"),
        (["train", "odd"], "no recipe 'odd'; there are flan-t5-base-sparql"),
        (["check", "nowhere"], "nowhere" if TRAINS else "pip install 'clear-kgqa[finetune]'"),
        (["merge", "nowhere"], "--out is missing"),
        (["merge", "nowhere", "--out", "x"], "nowhere" if TRAINS else "pip install 'clear-kgqa[finetune]'"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    args: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["finetune", *args]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line
    assert not (tmp_path / "x").exists()


def test_a_recipe_with_an_unknown_field_names_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = tmp_path / "mine.yaml"
    recipe.write_text("name: mine\nmethod: agent\nbase: tiny-llama\nlearning_rte: 1\n")
    assert main(["finetune", "train", str(recipe)]) == 2
    assert "learning_rte: Extra inputs are not permitted" in capsys.readouterr().err


@pytest.mark.skipif(TRAINS, reason="the training packages are installed")
def test_training_without_its_packages_names_the_extra(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["finetune", "train", "tiny-cpu"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("pip install 'clear-kgqa[finetune]'")


@pytest.mark.skipif(not TRAINS, reason="needs torch, transformers and peft")
def test_train_check_and_merge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["finetune", "train", "tiny-cpu"]) == 0
    shown = capsys.readouterr().out
    assert "⟦" in shown and "auroc_question_only: " in shown and "seconds: " in shown
    folder = "finetuned/tiny-cpu"
    assert main(["finetune", "check", folder]) == 0
    assert "belongs to its base: tiny-llama" in capsys.readouterr().out
    assert main(["finetune", "merge", folder, "--out", "merged"]) == 0
    assert (tmp_path / "merged" / "model.safetensors").is_file()
    assert main(["finetune", "merge", folder, "--out", "merged"]) == 2
    assert "merged is not empty" in capsys.readouterr().err
    from clear_kgqa_finetune.tiny import build_tiny_llama

    build_tiny_llama(tmp_path / "other", seed=5)
    assert main(["finetune", "check", folder, "--base", "other"]) == 2
    assert "belongs to tiny-llama" in capsys.readouterr().err
