"""`clear-kgqa chat` through pipes and at a terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.clear_kgqa.agent.faulty_model_server import FaultyModelServer, completion

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ReadUntil = Callable[[int, str], str]
Start = Callable[..., "subprocess.Popen[str]"]


def test_lines_are_read_from_standard_input_and_plain_text_is_written(run: Run) -> None:
    questions = "What is the population of Oakvale?\nWhat is the population of Springfield?\n"
    done = run("chat", "--kg", "towns", text=questions + "the one in the south\n")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "300."
    assert "Which Springfield do you mean?" in done.stdout
    assert "\n200.\n" in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_a_new_question_while_one_is_open_is_answered(run: Run) -> None:
    lines = "What is the population of Springfield?\nWhat is the population of Oakvale?\n/sparql\n"
    done = run("chat", "--kg", "towns", text=lines)
    assert done.returncode == 0
    assert "\n300.\n" in done.stdout
    assert "<http://example.org/c>" in done.stdout.splitlines()[-1]


def test_stray_bytes_do_not_end_the_conversation(start: Start) -> None:
    process = start("chat", "--kg", "towns", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    process.stdin.buffer.write(b"\xff\xfe?\nWhat is the population of Oakvale?\n")  # type: ignore[attr-defined]
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "\n300.\n" in out


def at_prompt(read_until: ReadUntil, terminal: int, text: str) -> None:
    """Waits for the text and for the prompt after it."""
    if "> " not in read_until(terminal, text).partition(text)[2]:
        read_until(terminal, "> ")


def test_ctrl_c_at_the_prompt_stays_and_ctrl_d_leaves(start: Start, read_until: ReadUntil) -> None:
    ours, theirs = pty.openpty()
    process = start("chat", "--kg", "towns", stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    read_until(ours, "> ")
    for _ in range(20):  # a signal between the prompt and the read behind it is seen with the next one only
        process.send_signal(2)
        if select.select([ours], [], [], 2)[0]:
            break
    at_prompt(read_until, ours, "/quit leaves")
    os.write(ours, b"What is the population of Oakvale?\n")
    at_prompt(read_until, ours, "\n300.")
    os.write(ours, b"\x04")
    assert process.wait(timeout=60) == 0
    os.close(ours)


def test_replies_of_a_model_are_streamed_in_a_chat_and_not_in_a_batch(run: Run) -> None:
    more = {"CLEAR_KGQA_PROTOCOL": "tools", "OPENAI_API_KEY": "none"}
    with FaultyModelServer([completion("I do not know.")]) as server:
        served = ("--kg", "towns", "--model", "m", "--base-url", server.url)
        chatted = run("chat", *served, text="What is the population of Oakvale?\n", **more)
        assert chatted.stdout.startswith("No answer: The model gave no query; nothing was run.")
        assert all(chat["stream"] for chat in server.chats)
        server.chats.clear()
        run("chat", *served, text="What is the population of Oakvale?\n", CLEAR_KGQA_STREAMING="false", **more)
        run("ask", "What is the population of Oakvale?", *served, **more)
        assert len(server.chats) == 4
        assert not any(chat.get("stream") for chat in server.chats)


def test_once_the_questions_of_a_session_are_used_up_the_best_reading_is_shown(run: Run) -> None:
    question = "What is the population of Springfield?\n"
    done = run("chat", "--kg", "towns", text=f"{question}1\n{question}", CLEAR_KGQA_ASKS_PER_SESSION="1")
    assert done.stdout.count("Which Springfield do you mean?") == 1
    assert done.stdout.count("Read as: Population of Springfield (town in the ") == 2


def test_a_session_is_saved_by_line_and_gone_on_with(run: Run, tmp_path: Path) -> None:
    more = {"XDG_DATA_HOME": str(tmp_path)}
    run("chat", "--kg", "towns", "--session", "trip", text="What is the population of Oakvale?\n", **more)
    asked = run("chat", "--session", "trip", text="Who is its mayor?\nWhat is the population of Springfield?\n", **more)
    told = asked.stdout.splitlines()
    assert told[0] == "  Asked as: Who is Oakvale's mayor? (its = Oakvale)"
    assert told[1].startswith("Bo") and "Quimby" in told[1]
    gone_on = run("chat", "--session", "trip", text="the one in the south\n/why 1\n/sparql 2\n", **more)
    lines = gone_on.stdout.splitlines()
    assert lines[0] == "Which Springfield do you mean?"
    assert "200." in lines
    assert "Question: What is the population of Oakvale?" in lines
    assert "<http://example.org/mayor>" in lines[-1]
    assert run("chat", "--kg", "towns", text="/why 1\n", **more).stdout == "No question yet.\n"
