"""The chat in a browser answers its own pages and nobody else's."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestClient, TestServer, unused_port
from pydantic import SecretStr

from clear_kgqa.settings import Settings
from clear_kgqa_tui.web import HOST, ChatServer, environment, free_port
from tests.tools.sparql_server import wait_for


@pytest.mark.asyncio
async def test_another_sites_page_is_refused() -> None:
    port = unused_port()
    app = await ChatServer(port)._make_app()
    async with TestClient(TestServer(app, host="127.0.0.1", port=port)) as client:
        own = await client.get("/")
        assert own.status == 200 and "default-src 'self'" in own.headers["Content-Security-Policy"]
        for path in ("/", "/ws"):
            for headers in ({"Origin": "http://evil.example"}, {"Host": f"evil.example:{port}"}, {"Origin": "null"}):
                assert (await client.get(path, headers=headers)).status == 403


@pytest.fixture
def address(source: Path, tmp_path: Path) -> Iterator[str]:
    """`clear-kgqa chat --web`, running."""
    command = [
        sys.executable,
        "-c",
        "import sys; from clear_kgqa.cli import main; sys.exit(main())",
        "chat",
        "--web",
        "--kg",
        str(source),
    ]
    environment = os.environ | {"XDG_DATA_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as running:
        assert running.stdout is not None
        line = running.stdout.readline()
        url = next(word for word in line.split() if word.startswith("http://127.0.0.1:"))
        wait_for(url.removeprefix("http://"), 30)  # it says where before it listens
        yield url
        running.send_signal(signal.SIGINT)
        assert running.wait(20) == 0


@pytest.mark.asyncio
async def test_a_browser_is_answered(address: str) -> None:
    async with ClientSession() as browser, asyncio.timeout(60):
        page = await (await browser.get(address)).text()
        assert "fonts.googleapis" not in page and ".focus()" in page
        seen = b""
        async with browser.ws_connect(f"{address}/ws?width=80&height=24") as terminal:
            while b"triples" not in seen:
                seen += await terminal.receive_bytes()
            await terminal.send_json(["stdin", "What is the capital of France?\r"])
            while b"Read as" not in seen:
                seen += await terminal.receive_bytes()
            await terminal.send_json(["stdin", "\x11"])
            async for _ in terminal:
                pass
    assert b"Paris." in seen


def test_a_port_in_use_is_left_alone() -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        assert free_port(port) != port
    assert free_port(port) == port


def test_the_settings_travel_whole() -> None:
    settings = Settings(
        kg="films.ttl", ask_cost=0.25, api_key=SecretStr("sesame-sesame"), no_plugin=True, services=("http://a/",)
    )
    given = environment(settings)
    assert given["CLEAR_KGQA_KG"] == "films.ttl" and given["CLEAR_KGQA_API_KEY"] == "sesame-sesame"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(name, value)
        assert Settings() == settings
