"""The chat in a browser answers its own pages and nobody else's."""

from __future__ import annotations

import pytest
from aiohttp.test_utils import TestClient, TestServer, unused_port
from pydantic import SecretStr

from clear_kgqa.settings import Settings
from clear_kgqa_tui.web import ChatServer, environment


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


def test_the_settings_travel_whole() -> None:
    settings = Settings(kg="films.ttl", ask_cost=0.25, api_key=SecretStr("sesame-sesame"), no_plugin=True)
    given = environment(settings)
    assert given["CLEAR_KGQA_KG"] == "films.ttl" and given["CLEAR_KGQA_API_KEY"] == "sesame-sesame"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(name, value)
        assert Settings() == settings
