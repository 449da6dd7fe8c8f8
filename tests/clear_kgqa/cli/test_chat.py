"""`clear-kgqa chat` through pipes and at a terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
from collections.abc import Callable

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
