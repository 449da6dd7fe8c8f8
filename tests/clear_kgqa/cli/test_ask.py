"""`clear-kgqa ask`: exit codes, the JSON object beside each of them, replies at a terminal, Ctrl+C."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from clear_kgqa.cli import main

Ask = Callable[..., "Done"]
ReadUntil = Callable[[int, str], str]
Start = Callable[..., "subprocess.Popen[str]"]
SPRINGFIELD = "What is the population of Springfield?"


@dataclass(frozen=True)
class Done:
    """What a command ended with."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    """Asks in this process, which has no terminal; LangGraph is imported once for all tests."""

    def ask(*args: str) -> Done:
        capsys.readouterr()
        code = main(["ask", *args])
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return ask


def test_an_answer_with_its_reading_and_query(ask: Ask) -> None:
    done = ask("What is the population of Oakvale?", "--kg", "towns")
    assert done.returncode == 0
    answer, read, query = done.stdout.splitlines()
    assert answer == "300."
    assert read.startswith("  Read as: ")
    assert query.startswith("  SPARQL: SELECT")
    assert done.stderr == ""


FILMS = f"""
@prefix e: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:Film rdfs:label "film" .
e:blade a e:Film ; rdfs:label "Blade Runner" ; e:releaseYear 1982 ; e:budget 28000000 .
e:long a e:Film ; rdfs:label "Long {"o" * 20_000}" .
"""


def test_years_stand_as_they_are_and_long_names_are_cut_but_in_json(ask: Ask, tmp_path: Path) -> None:
    graph = tmp_path / "films.ttl"
    graph.write_text(FILMS, encoding="utf-8")
    assert ask("What is the release year of Blade Runner?", "--kg", str(graph)).stdout.startswith("1982.\n")
    assert ask("What is the budget of Blade Runner?", "--kg", str(graph)).stdout.startswith("28,000,000.\n")
    listed = ask("List the films.", "--kg", str(graph)).stdout.splitlines()[0]
    assert "Blade Runner" in listed
    assert "… (20,005 characters in all)" in listed
    assert len(listed) < 400
    whole = json.loads(ask("List the films.", "--kg", str(graph), "--json").stdout)["answer"]["values"]
    assert {len(v["label"]) for v in whole} == {12, 20_005}


def test_an_answer_as_json(ask: Ask) -> None:
    done = ask("What is the population of Oakvale?", "--kg", "towns", "--json")
    assert done.returncode == 0
    out = json.loads(done.stdout)
    assert out["answer"]["values"] == [{"literal": "300", "label": "300"}]
    assert out["answer"]["form"] == "select"
    assert "<http://example.org/c>" in out["sparql"]
    assert (out["clarifications"], out["incomplete"], out["reason"]) == ([], False, None)


def test_controls_in_an_answer_never_reach_the_terminal_raw(ask: Ask) -> None:
    done = ask("Who is the mayor of Oakvale?", "--kg", "towns")
    assert done.returncode == 0
    assert done.stdout.startswith("Bo\\x9b2J Quimby\\u202e")


@pytest.mark.parametrize("flags", [[], ["--fail-if-ambiguous"]])
def test_without_a_terminal_ambiguous_is_exit_3_with_its_options(ask: Ask, flags: list[str]) -> None:
    done = ask(SPRINGFIELD, "--kg", "towns", *flags)
    assert (done.returncode, done.stdout) == (3, "")
    assert "1. Springfield (town; town in the" in done.stderr
    assert "--assume-best" in done.stderr.splitlines()[-1]
    done = ask(SPRINGFIELD, "--kg", "towns", "--json", *flags)
    assert done.returncode == 3
    out = json.loads(done.stdout)
    assert out["answer"] is None
    assert out["reason"].startswith("ambiguous: ")
    (asked,) = out["clarifications"]
    assert {option["iri"] for option in asked["options"]} == {"http://example.org/a", "http://example.org/b"}
    assert asked["reply"] is None
    assert out["scores"]


def test_assume_best_answers(ask: Ask) -> None:
    done = ask(SPRINGFIELD, "--kg", "towns", "--assume-best", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["answer"]["values"][0]["literal"] in ("100", "200")


def test_no_answer_is_exit_4_and_says_why(ask: Ask) -> None:
    told = ask("asdfgh?", "--kg", "towns")
    assert (told.returncode, told.stdout) == (4, "")
    assert told.stderr.startswith("clear-kgqa: no answer: ")
    done = ask("asdfgh?", "--kg", "towns", "--json")
    assert done.returncode == 4
    assert json.loads(done.stdout)["reason"] in told.stderr


def test_an_endpoint_that_is_away_is_exit_5(ask: Ask) -> None:
    done = ask("Who?", "--kg", "http://user:secret@127.0.0.1:9/sparql", "--json")
    assert done.returncode == 5
    assert "127.0.0.1:9" in json.loads(done.stdout)["reason"]
    assert "secret" not in done.stdout + done.stderr


def test_a_reply_typed_at_the_terminal(start: Start, read_until: ReadUntil) -> None:
    ours, theirs = pty.openpty()
    process = start("ask", SPRINGFIELD, "--kg", "towns", stdin=theirs, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = read_until(ours, "> ")
    assert "Which Springfield do you mean?" in shown
    number = next(line.strip()[0] for line in shown.splitlines() if "in the south" in line)
    os.write(ours, f"{number}\n".encode())
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 0
    assert out.splitlines()[0] == "200."


def test_ctrl_c_is_exit_130_with_the_object(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:  # takes the connection and never replies
        url = f"http://127.0.0.1:{server.getsockname()[1]}/sparql"
        process = start("ask", "Who?", "--kg", url, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        server.accept()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads(out)["reason"] == "Stopped."
    assert "Traceback" not in err
