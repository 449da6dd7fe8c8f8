"""A home of its own with two small graphs, and the command line as a process."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clear_kgqa.cli import main

ROOT = Path(__file__).parents[3]
GRAPHS = {
    "tiny": """
@prefix e: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:a rdfs:label "Alpha" ; a e:Thing ; e:size 5 ; e:beside e:b .
e:b rdfs:label "B\\u001B]52;c;cm0gLXJm\\u001B\\\\eta\\u009B2J\\u202E" ; a e:Thing .
""",
    "towns": """
@prefix e: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <http://schema.org/> .
e:Town rdfs:label "town" .
e:population rdfs:label "population" .
e:mayor rdfs:label "mayor" .
e:a rdfs:label "Springfield" ; a e:Town ; schema:description "town in the north" ; e:population 100 .
e:b rdfs:label "Springfield" ; a e:Town ; schema:description "town in the south" ; e:population 200 .
e:c rdfs:label "Oakvale" ; a e:Town ; e:population 300 ; e:mayor e:m .
e:m rdfs:label "Bo\\u009B2J Quimby\\u202E" .
""",
}

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="package", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's folders, with GRAPHS added and nothing else set."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        for folder in ("CONFIG", "CACHE", "STATE"):
            patch.setenv(f"XDG_{folder}_HOME", str(home / folder.lower()))
        for name in [n for n in os.environ if n.startswith(("OPENAI_", "CLEAR_KGQA_"))]:
            patch.delenv(name)
        for name, text in GRAPHS.items():
            (home / f"{name}.ttl").write_text(text, encoding="utf-8")
            assert main(["kg", "add", name, str(home / f"{name}.ttl")]) == 0
        yield home


def command(*args: str, code: str = "sys.exit(main())") -> list[str]:
    """The command line, begun by `code`."""
    return [sys.executable, "-c", f"import sys; from clear_kgqa.cli import main; {code}", *args]


def variables(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tools")]), **more}


@pytest.fixture
def run() -> Run:
    """Runs `command` to its end, with `text` on standard input."""

    def run(
        *args: str, text: str = "", code: str = "sys.exit(main())", seconds: float = 60, **more: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(*args, code=code), input=text, env=variables(**more),
            capture_output=True, encoding="utf-8", timeout=seconds, check=False,
        )  # fmt: skip

    return run


@pytest.fixture
def read_until() -> Callable[[int, str], str]:
    """Reads what a terminal shows until a text has been seen; what comes after it in one piece is kept as well."""

    def read(terminal: int, text: str) -> str:
        shown, until = "", time.monotonic() + 60
        while text not in shown:
            assert select.select([terminal], [], [], until - time.monotonic())[0], f"only {shown!r} was shown"
            shown += os.read(terminal, 4096).decode()
        return shown

    return read


@pytest.fixture
def start() -> Callable[..., subprocess.Popen[str]]:
    """Starts `command`; keywords go to Popen."""

    def start(*args: str, **more: object) -> subprocess.Popen[str]:
        return subprocess.Popen(command(*args), env=variables(TERM="dumb"), text=True, **more)  # type: ignore[call-overload,no-any-return]

    return start
