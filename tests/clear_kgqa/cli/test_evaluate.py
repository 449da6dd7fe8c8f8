"""`clear-kgqa evaluate`: what is recorded, how it ends, and the same work on Ray."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from clear_kgqa.cli import main
from clear_kgqa.cli.batch import DECISIVE
from clear_kgqa.settings import Settings
from tests.clear_kgqa.agent.faulty_model_server import FaultyModelServer, Raw, completion, error

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Start = Callable[..., "subprocess.Popen[str]"]
CHANGES_NOTHING = {
    "config", "kg", "api_key", "retries", "streaming", "price_in", "price_out", "record", "user", "concurrency",
    "limit", "per_type", "shard", "executor", "address", "retry_failed", "seed", "mode", "questions", "out", "gold",
    "predictions", "session", "web", "assume_best", "fail_if_ambiguous", "json_output",
    "train", "test", "selectors", "shots", "gold_types", "encoder", "readable",
}  # fmt: skip
"""Settings that change no result, and those that stand in the manifest beside the settings (graph, user, seed ...)."""
E = "http://example.org/"
QUESTIONS = {
    "oak": ("What is the population of Oakvale?", f"SELECT ?x {{ <{E}c> <{E}population> ?x }}"),
    "south": ("What is the population of Springfield?", f"SELECT ?x {{ <{E}b> <{E}population> ?x }}"),
    "north": ("What is the population of Springfield?", f"SELECT ?x {{ <{E}a> <{E}population> ?x }}"),
}


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    return written(tmp_path / "questions.jsonl", QUESTIONS)


def written(path: Path, questions: dict[str, tuple[str, str]]) -> Path:
    lines = [json.dumps({"id": i, "question": q, "sparql": s}) for i, (q, s) in questions.items()]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def command(questions: Path, out: str = "run", *more: str) -> list[str]:
    return ["evaluate", "--kg", "towns", "--questions", str(questions), "--out", str(questions.parent / out), *more]


def summary(questions: Path, out: str = "run") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((questions.parent / out / "summary.json").read_text())
    return found


def test_every_setting_stands_in_the_manifest_or_changes_nothing() -> None:
    assert not DECISIVE & CHANGES_NOTHING
    assert set(Settings.model_fields) == DECISIVE | CHANGES_NOTHING


def test_given_entities_leave_nothing_to_ask(questions: Path) -> None:
    assert main(command(questions)) == 0
    assert summary(questions)["asks_per_question"] == pytest.approx(2 / 3, abs=1e-6)
    assert main(command(questions, "given", "--gold-entities")) == 0
    given = summary(questions, "given")
    assert (given["f1"], given["asks_per_question"]) == (1.0, 0.0)
    manifest = json.loads((questions.parent / "given" / "manifest.json").read_text())
    assert manifest["settings"]["gold_entities"] is True
    assert len(manifest["settings"]["weights"]) == 12


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (("--gold-entities", "--strategy", "io"), "only clear, interactive, mars take entities"),
        (("--executor", "slurm"), "executor"),
        (("--executor", "ray", "--user", "person"), "--executor ray has none"),
        (("--executor", "ray", "--shard", "1/2"), "leave --shard out"),
        (("--shard", "3/2"), "--shard 3/2"),
        (("--user", "nobody"), "no such user"),
    ],
)
def test_what_does_not_go_together_is_one_line(
    questions: Path, more: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(questions, "run", *more)) == 2
    [line] = [line for line in capsys.readouterr().err.splitlines() if "%" not in line]
    assert expected in line


def test_without_ray_one_line_says_what_to_install(questions: Path, run: Run) -> None:
    done = run(*command(questions, "run", "--executor", "ray"), code="sys.modules['ray'] = None; sys.exit(main())")
    assert done.returncode == 2
    assert "pip install 'clear-kgqa[ray]'" in done.stderr.splitlines()[-1]


def test_a_model_that_is_away_is_told_before_anything_is_recorded(
    questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(questions, "run", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")) == 5
    assert "cannot be reached" in capsys.readouterr().err
    assert not (questions.parent / "run").exists()


def test_questions_without_a_reply_are_exit_5_and_answered_again_on_demand(
    questions: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("PROTOCOL", "tools"), ("RETRIES", "0"), ("VERIFY", "false")):
        monkeypatch.setenv(f"CLEAR_KGQA_{name}", value)
    answer = completion("", [("ExecuteSPARQL", {"sparql": QUESTIONS["oak"][1]})])
    with FaultyModelServer([answer, completion("300."), Raw(502, "away")]) as server:
        served = command(questions, "run", "--model", "m", "--base-url", server.url)
        assert main(served) == 5
        assert "2 questions failed, 2 without a reply" in capsys.readouterr().err
        assert (summary(questions)["failed"], summary(questions)["unreachable"]) == (2, 2)
        server.script[:] = [answer, completion("300.")]
        assert main(served) == 5, "recorded failures stay failures"
        assert main([*served, "--retry-failed"]) == 0
    assert (summary(questions)["failed"], summary(questions)["done"]) == (0, 3)


def test_a_server_that_stays_away_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("PROTOCOL", "tools"), ("RETRIES", "0")):
        monkeypatch.setenv(f"CLEAR_KGQA_{name}", value)
    many = written(tmp_path / "many.jsonl", {f"q{i}": QUESTIONS["oak"] for i in range(40)})
    with FaultyModelServer([error(429, "quota")]) as server:
        assert main(command(many, "run", "--model", "m", "--base-url", server.url)) == 5
        assert len(server.chats) == 20
    assert "20 questions in a row got no reply" in capsys.readouterr().err
    assert len((tmp_path / "run" / "transcripts.jsonl").read_text().splitlines()) == 20


def test_ctrl_c_says_that_the_same_command_goes_on(questions: Path, start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:  # takes the connection and never replies
        url = f"http://127.0.0.1:{server.getsockname()[1]}/sparql"
        process = start(*command(questions, "run", "--kg", url), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        server.accept()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"stopped; the same command goes on where it stopped, in {questions.parent / 'run'}" in err
    assert "Traceback" not in err


def test_gold_that_cannot_be_scored_at_all_is_exit_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = written(tmp_path / "broken.jsonl", {"a": ("Who?", "SELECT {"), "b": ("Who?", "ASK { ?s ?p <x:none> ; }}")})
    assert main(command(broken)) == 4
    assert "no question could be scored" in capsys.readouterr().err


def records(folder: Path) -> list[dict[str, Any]]:
    lines = map(json.loads, (folder / "transcripts.jsonl").read_text().splitlines())
    return [timeless(r) for r in sorted(lines, key=lambda r: str(r["id"]))]


def timeless(value: Any) -> Any:
    """A record without measured seconds."""
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if k != "seconds"}
    return [timeless(v) for v in value] if isinstance(value, list) else value


@pytest.mark.slow
def test_two_ray_workers_record_what_one_process_does_and_go_on_from_it(tmp_path: Path, run: Run) -> None:
    pytest.importorskip("ray")
    many = written(tmp_path / "many.jsonl", {f"{name}{i}": q for i in range(3) for name, q in QUESTIONS.items()})
    ray = ("--user", "noisy:0.5", "--executor", "ray")
    done = run(*command(many, "whole", "--user", "noisy:0.5"))
    assert done.returncode == 0, done.stderr
    on_ray = partial(run, seconds=600, RAY_USAGE_STATS_ENABLED="0")
    first = on_ray(*command(many, "run", *ray, "--concurrency", "2", "--limit", "5"))
    assert first.returncode == 0, first.stderr
    assert len(records(tmp_path / "run")) == 5
    then = on_ray(*command(many, "run", *ray, "--concurrency", "3"))
    assert then.returncode == 0, then.stderr
    assert records(tmp_path / "run") == records(tmp_path / "whole")
    again = run(*command(many, "run", "--user", "noisy:0.5"))
    assert (again.returncode, len(records(tmp_path / "run"))) == (0, 9)
    other = on_ray(*command(many, "run", "--user", "oracle", "--executor", "ray"))
    assert other.returncode == 2
    assert "holds another run (different user)" in other.stderr
