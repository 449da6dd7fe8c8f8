"""`--timeout` bounds the whole of a command at an endpoint, the first contact included, and is the limit named."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clear_kgqa.cli import main
from tests.tools.misbehaving_server import Answer, MisbehavingServer


@pytest.fixture
def sleeping() -> Iterator[str]:
    with MisbehavingServer() as server:
        yield server.url("/sparql", Answer(sleep=60))


@pytest.mark.parametrize("command", [("ask", "capital of Peru"), ("query", "{file}")])
def test_a_sleeping_endpoint_is_left_after_the_limit(
    command: tuple[str, str], sleeping: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "q.rq"
    file.write_text("SELECT * { ?s ?p ?o } LIMIT 1", encoding="utf-8")
    name, argument = command
    begun = time.monotonic()
    code = main([name, argument.format(file=file), "--kg", sleeping, "--timeout", "1.5"])
    assert code == 5
    assert time.monotonic() - begun < 12
    told = capsys.readouterr().err
    assert "no answer within the limit of 1.5 seconds" in told
    assert "limit of 10 seconds" not in told
