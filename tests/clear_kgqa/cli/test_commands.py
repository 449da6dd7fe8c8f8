"""The command line: exit codes, errors in one line, and what reaches the terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from clear_kgqa.cli import COMMANDS, main
from tests.clear_kgqa.agent.faulty_model_server import FaultyModelServer, completion

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ReadUntil = Callable[[int, str], str]
Start = Callable[..., "subprocess.Popen[str]"]
LABELS = "SELECT ?l { ?s <http://www.w3.org/2000/01/rdf-schema#label> ?l } ORDER BY DESC(?l)"
BETA = "B\x1b]52;c;cm0gLXJm\x1b\\eta\x9b2J\u202e"
HEAVY = {"pydantic", "pydantic_settings", "rich", "langgraph", "langchain_core", "numpy", "rdflib"}


def one_line(captured: str) -> str:
    """The only line on standard error."""
    (line,) = captured.splitlines()
    assert "Traceback" not in line
    return line


def test_help_lists_every_command_and_imports_little(run: Run) -> None:
    done = run("--help", code="main(); print(*sys.modules, file=sys.stderr)")
    for name in COMMANDS:
        assert f"  {name} " in done.stdout
    assert not HEAVY & set(done.stderr.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert f"Usage: clear-kgqa {name}" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("clear-kgqa 0.")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["aks"], "Did you mean 'ask'"),
        (["ask"], "QUESTION"),
        (["ask", "q", "--nonsense"], "--nonsense"),
        (["ask", "q", "--timeout", "soon"], "--timeout"),
        (["ask", "q", "--timeout", "-1"], "timeout"),
        (["ask", "q", "--kg", "nope"], "no graph named 'nope'"),
        (["ask", "q", "--kg", "no/such.ttl"], "no such file"),
        (["ask", "q", "--assume-best", "--fail-if-ambiguous"], "exclude each other"),
        (["ask", "q", "--config", "none.toml"], "cannot read the settings file none.toml"),
        (["query", "none.rq"], "cannot read none.rq"),
        (["kg"], "Missing command"),
        (["kg", "info", "nope"], "no graph named 'nope'"),
        (["kg", "add", "demo", "x.ttl"], "demo"),
    ],
)
def test_what_the_user_can_fix_is_one_line_and_exit_2(
    args: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(args) == 2
    captured = capsys.readouterr()
    assert expected in one_line(captured.err)
    assert captured.out == ""


@pytest.mark.parametrize(
    ("query", "code", "shown"),
    [
        ("ASK { ?s <http://example.org/size> 5 }", 0, "yes"),
        ("ASK { ?s <http://example.org/size> 6 }", 0, "no"),
        ("SELECT ?s { ?s <http://example.org/size> ?n FILTER(?n > 4) }", 0, "<http://example.org/a>"),
        ("SELECT ?s { ?s <http://example.org/size> 6 }", 0, "s"),
        ("DROP ALL", 2, "update"),
        ("SELECT * {} ; DROP ALL", 2, "DROP"),
        ("LOAD <file:///etc/passwd>", 2, "update"),
        ("SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }", 2, "SERVICE"),
        ("SELEC ?s", 2, "cannot be parsed"),
        ("", 2, "empty"),
    ],
)
def test_query(query: str, code: int, shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "q.rq"
    file.write_text(query, encoding="utf-8")
    assert main(["query", str(file), "--kg", "tiny"]) == code
    captured = capsys.readouterr()
    assert shown in (one_line(captured.err) if code else captured.out)
    assert bool(captured.out) == (code == 0)


def test_query_as_json_from_standard_input(run: Run) -> None:
    done = run("query", "-", "--kg", "tiny", "--json", text="SELECT ?n { ?s <http://example.org/size> ?n }")
    assert done.returncode == 0
    result = json.loads(done.stdout)
    assert result["columns"] == ["n"]
    assert result["rows"][0][0]["literal"] == "5"
    assert "SELECT ?n" in result["sparql"]


def test_query_stopped_at_its_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "q.rq"
    patterns = " ".join(f"?s{i} ?p{i} ?o{i} ." for i in range(12))
    file.write_text(f"SELECT * {{ {patterns} }} ORDER BY ?s0", encoding="utf-8")
    assert main(["query", str(file), "--kg", "tiny", "--timeout", "0.5", "--json"]) == 4
    captured = capsys.readouterr()
    assert "limit of 0.5 seconds" in one_line(captured.err)
    assert "limit of 0.5 seconds" in json.loads(captured.out)["reason"]


@pytest.mark.parametrize("as_json", [False, True])
def test_controls_in_a_label_never_reach_the_terminal_raw(as_json: bool, run: Run) -> None:
    done = run("query", "-", "--kg", "tiny", *(["--json"] if as_json else []), text=LABELS)
    assert done.returncode == 0
    assert not {c for c in done.stdout if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f" or c == "\u202e"}
    assert "eta" in done.stdout
    if as_json:
        assert json.loads(done.stdout)["rows"][0][0]["literal"] == BETA


def test_a_graph_is_added_listed_described_and_removed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kg", "add", "more", str(home / "tiny.ttl")]) == 0
    assert "more: 6 triples, 3 names" in capsys.readouterr().out
    assert main(["kg", "list", "--json"]) == 0
    assert [entry["name"] for entry in json.loads(capsys.readouterr().out)] == ["more", "tiny", "towns"]
    assert main(["kg", "info", "more"]) == 0
    assert "http://example.org/size" in capsys.readouterr().out
    assert main(["kg", "remove", "more"]) == 0
    assert f"more removed; again: clear-kgqa kg add more {home / 'tiny.ttl'}" in capsys.readouterr().out
    assert main(["kg", "remove", "more"]) == 2


@pytest.mark.slow
def test_the_demo_graph_is_built_when_first_described(run: Run, tmp_path: Path) -> None:
    cache = {"CLEAR_KGQA_CACHE": str(tmp_path)}
    removed = run("kg", "remove", "demo", "--yes", **cache)
    assert (removed.returncode, removed.stdout) == (2, "")
    assert "the demo graph is not built yet: clear-kgqa kg info demo builds it" in removed.stderr
    done = run("kg", "info", "demo", seconds=300, **cache)
    assert done.returncode == 0
    assert "shared labels" in done.stdout
    assert "loading" in done.stderr


def test_on_a_terminal_a_graph_is_removed_after_a_yes(
    home: Path, start: Start, read_until: ReadUntil, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["kg", "add", "more", str(home / "tiny.ttl")]) == 0
    for typed, left in ((b"n\n", True), (b"\n", True), (b"y\n", False)):
        ours, theirs = pty.openpty()
        process = start("kg", "remove", "more", stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        read_until(ours, "Remove the graph more? [y/N]: ")
        os.write(ours, typed)
        read_until(ours, "more stays" if left else "more removed")
        assert process.wait(timeout=60) == 0
        os.close(ours)
        assert main(["kg", "info", "more"]) == (0 if left else 2)
    assert main(["kg", "add", "more", str(home / "tiny.ttl")]) == 0
    ours, theirs = pty.openpty()
    process = start("kg", "remove", "more", "--yes", stdin=theirs, stdout=subprocess.DEVNULL)
    assert process.wait(timeout=60) == 0
    os.close(ours)
    os.close(theirs)
    assert main(["kg", "info", "more"]) == 2


def test_doctor_names_what_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--kg", "tiny"]) == 0
    captured = capsys.readouterr().out
    assert "--kg tiny    ok: answers" in captured
    assert "model offline ok" in captured


def test_doctor_says_that_a_model_server_is_away_and_never_shows_the_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-key")
    assert main(["doctor", "--kg", "tiny", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"]) == 0
    captured = capsys.readouterr()
    assert "model m      does not answer" in captured.out
    assert "sk-secret-key" not in captured.out + captured.err


def test_doctor_says_what_a_model_server_can_do_and_how_to_switch_on_the_rest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    listed = {"/v1/models": {"data": [{"id": "m", "max_model_len": 8192}]}}
    with FaultyModelServer([completion("Paris.")], listed) as server:
        assert main(["doctor", "--kg", "tiny", "--model", "m", "--base-url", server.url]) == 0
        able = capsys.readouterr().out
    assert "model m      ok: served" in able
    for advice in (
        "--enable-auto-tool-choice",
        "--jinja",
        "Ollama and LM Studio",
        "--logits_all",
        "OLLAMA_CONTEXT_LENGTH",
    ):
        assert advice in able
    with FaultyModelServer([completion("Paris.")]) as server:
        main(["doctor", "--kg", "tiny", "--model", "m", "--base-url", server.url])
        assert "does not list its models" in capsys.readouterr().out


def test_an_internal_fault_is_one_line_and_its_traceback_is_in_a_private_file(run: Run) -> None:
    done = run("query", "-", "--kg", "tiny", code="sys.stdin = None; sys.exit(main())")
    assert done.returncode == 1
    file = Path(one_line(done.stderr).rsplit(" ", 1)[1])
    assert "AttributeError" in file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o777 == 0o600


def test_an_output_that_cannot_show_a_character_does_not_end_the_program(run: Run) -> None:
    for encoding, shown in (("utf-8", "\u6771"), ("ascii", "\\u6771")):
        done = run("query", "-", "--kg", "tiny", text='SELECT ("\u6771" AS ?x) {}', PYTHONIOENCODING=encoding)
        assert (done.returncode, done.stdout) == (0, f"x\n{shown}\n")


def test_nothing_to_score_is_one_line_and_exit_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert main(["score", "--gold", str(empty), "--predictions", str(empty)]) == 4
    captured = capsys.readouterr()
    assert "nothing could be scored" in one_line(captured.err)
    assert json.loads(captured.out)["n"] == 0


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("[1]", "item 1: not an object: 1"),
        ("[]", "holds no qald question that can be used"),
        ('[{"id": "7", "question": "Who?"}]', "7: no id or no question"),
    ],
)
def test_a_file_without_a_usable_question_is_not_imported(
    content: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "qald.json", tmp_path / "out.jsonl"
    file.write_text(content, encoding="utf-8")
    assert main(["import", "qald", str(file), "--out", str(out)]) == 2
    assert why in one_line(capsys.readouterr().err)
    assert not out.exists()


@pytest.mark.parametrize("args", [["query", "-", "--kg", "tiny"], ["kg", "info", "tiny"], ["--help"]], ids=" ".join)
def test_an_output_that_nobody_reads_ends_quietly(args: list[str], start: Start) -> None:
    process = start(*args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    _, told = process.communicate("SELECT * { ?s ?p ?o }", timeout=60)
    assert (process.returncode, told) == (141, "")


@pytest.mark.parametrize(("args", "code"), [(["query", "-", "--kg", "tiny"], 0), (["query", "none.rq"], 2)])
def test_the_program_ends_with_its_code_and_all_its_output(args: list[str], code: int, run: Run) -> None:
    done = run(*args, text=LABELS, code="from clear_kgqa.cli import run; run()")
    assert done.returncode == code
    assert ("Alpha" in done.stdout) is (code == 0)


def test_one_offline_question_imports_nothing_of_models_and_evaluation(run: Run) -> None:
    told = "main(); print(*sys.modules, file=sys.stderr)"
    done = run("ask", "What is the population of Oakvale?", "--kg", "towns", code=told)
    assert done.stdout.startswith("300.")
    packages = {".".join(name.split(".")[:2]) for name in done.stderr.split() if name.startswith("clear_kgqa.")}
    unneeded = {"evaluation", "examples", "nlkgq", "mars", "session_store", "kept_turns", "line_chat"}
    assert not packages & {f"clear_kgqa.{name}" for name in unneeded}
    assert not {"rdflib", "langchain_openai", "openai", "sqlite3"} & set(done.stderr.split())
