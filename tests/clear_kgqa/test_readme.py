"""The README's commands run, print what it shows, and take the options that it names."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = "import sys; from clear_kgqa.cli import main; sys.exit(main())"
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands(language: str) -> list[tuple[str, str]]:
    """Command line and shown output of every `$ clear-kgqa ...` in blocks of a language."""
    parts = (part for block in blocks(language) for part in re.split(r"^\$ ", block, flags=re.MULTILINE))
    split = (part.partition("\n") for part in parts if part.startswith("clear-kgqa"))
    return [(line, output) for line, _, output in split]


def environment(cache: Path, **more: str) -> dict[str, str]:
    path = os.pathsep.join(str(ROOT / folder) for folder in (".", "tools"))
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "CLEAR_KGQA_"))}
    return {**variables, "PYTHONPATH": path, "CLEAR_KGQA_CACHE": str(cache), "XDG_CONFIG_HOME": str(cache), **more}


def run(line: str, cache: Path, text: str = "") -> str:
    """Standard output and error of a command line, as a person sees them."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *shlex.split(line)[1:]],
        input=text, encoding="utf-8", timeout=120, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=environment(cache),
    )  # fmt: skip
    return done.stdout


def test_the_two_commands_are_there() -> None:
    assert re.search(r"^make chat\b.*\n^make test\b", README, re.MULTILINE)


@pytest.mark.parametrize(("line", "shown"), commands("console"))
def test_a_command_prints_what_the_readme_shows(line: str, shown: str, demo_cache: Path) -> None:
    assert run(line, demo_cache).strip() == shown.strip()


@pytest.mark.parametrize("transcript", blocks("text"))
def test_the_conversation_goes_as_the_readme_shows(transcript: str, demo_cache: Path) -> None:
    typed = re.findall(r"^> (.*)$", transcript, re.MULTILINE)
    told = re.sub(r"^> .*\n", "", transcript, flags=re.MULTILINE)
    assert run("clear-kgqa chat", demo_cache, "\n".join(typed)) == told


def test_the_example_of_your_own_graph_runs_as_it_stands(tmp_path: Path) -> None:
    example = next(block for block in blocks("sh") if "products.ttl <<" in block)
    program = tmp_path / "clear-kgqa"
    program.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -c '{PROGRAM}' \"$@\"\n", encoding="utf-8")
    program.chmod(0o700)
    done = subprocess.run(
        ["sh", "-e"], input=example, encoding="utf-8", timeout=300, cwd=tmp_path, check=False,
        stdout=subprocess.PIPE, env=environment(tmp_path, PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}"),
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.startswith("Acme.\n")
    assert json.loads((tmp_path / "runs/first/summary.json").read_text())["f1"] == 1


@pytest.mark.parametrize("line", [line for block in blocks("sh") for line in block.splitlines()])
def test_a_command_that_needs_a_server_names_real_options(line: str, tmp_path: Path) -> None:
    words = shlex.split(line, comments=True)
    if words[:1] == ["clear-kgqa"]:
        taken = run(f"clear-kgqa {words[1]} --help", tmp_path)
        assert not [word for word in words[2:] if word.startswith("--") and f"{word} " not in taken]
