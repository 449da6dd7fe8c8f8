"""kill -9 at any moment: the finished run equals the undisturbed one."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from clear_kgqa.evaluation.samples import Sample, write_samples
from clear_kgqa.evaluation.transcripts import Transcripts, read_transcripts

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
P = "PREFIX : <http://x.example/> "


def start(store: Path, questions: Path, out: Path) -> "subprocess.Popen[bytes]":
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tools")])
    command = [
        sys.executable,
        str(HERE / "label_strategy.py"),
        str(store),
        str(questions),
        str(out),
        "noisy:0.5",
        "2",
    ]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": paths})


def outcome(out: Path) -> tuple[list[object], object]:
    records = sorted(read_transcripts(out), key=lambda r: str(r["id"]))
    summary = json.loads((out / "summary.json").read_text())
    return [{**r, "seconds": 0} for r in records], {**summary, "seconds_per_question": 0}


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    names = {"dune": "Dune", "dune2": "Dune", "emma": "Emma", "ivanhoe": "Ivanhoe"}
    samples = [
        Sample(f"q{at}", f"Who is the author of {name}?", f"{P}SELECT ?a {{ :{node} :author ?a }}")
        for at, (node, name) in enumerate([*names.items()] * 25)
    ]
    write_samples(tmp_path / "questions.jsonl", samples)
    return tmp_path / "questions.jsonl"


@pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_a_killed_run_goes_on_as_if_undisturbed(store: Path, questions: Path, tmp_path: Path, times: int) -> None:
    assert start(store, questions, tmp_path / "whole").wait() == 0
    rng = Random(1)
    out = tmp_path / "killed"
    kills = 0
    for _ in range(times):
        process = start(store, questions, out)
        before = _size(out)
        while process.poll() is None and _size(out) < before + rng.randint(1, 250_000 // times):
            time.sleep(0.002)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
    assert kills >= times // 2
    assert start(store, questions, out).wait() == 0
    assert outcome(out) == outcome(tmp_path / "whole")
    assert len((out / "transcripts.jsonl").read_bytes().splitlines()) == 100


def _size(out: Path) -> int:
    path = out / "transcripts.jsonl"
    return path.stat().st_size if path.exists() else 0


@pytest.mark.parametrize("torn", [b"{", b'{"id": "b", "end": "answered"}', b'{"id": "b"' + b" " * 200_000])
def test_a_torn_last_line_is_dropped(tmp_path: Path, torn: bytes) -> None:
    with Transcripts(tmp_path) as transcripts:
        transcripts.append({"id": "a", "end": "answered"})
    path = tmp_path / "transcripts.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    assert [r["id"] for r in read_transcripts(tmp_path)] == ["a"]
    with Transcripts(tmp_path) as transcripts:
        assert transcripts.ends == {"a": "answered"}
        transcripts.append({"id": "c", "end": "error"})
    assert [r["id"] for r in read_transcripts(tmp_path)] == ["a", "c"]


def test_a_first_line_torn(tmp_path: Path) -> None:
    (tmp_path / "transcripts.jsonl").write_bytes(b'{"id"')
    with Transcripts(tmp_path) as transcripts:
        assert transcripts.ends == {}
    assert (tmp_path / "transcripts.jsonl").read_bytes() == b""
