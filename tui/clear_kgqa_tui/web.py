"""The chat in a browser, through textual-serve, on this machine alone."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from aiohttp import web
from textual_serve.server import Server

if TYPE_CHECKING:
    from aiohttp.typedefs import Handler

    from clear_kgqa.settings import Settings

HOST = "127.0.0.1"
_CHILD = """\
import sys
from clear_kgqa.settings import load_settings
from clear_kgqa_tui.app import run
sys.exit(run(load_settings()))"""


class ChatServer(Server):
    """Answers only pages that it served itself: another site's page must not drive the chat through the browser."""

    def __init__(self, port: int) -> None:
        command = f"{shlex.quote(sys.executable)} -c {shlex.quote(_CHILD)}"
        super().__init__(command, host=HOST, port=port, title="clear-kgqa")

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._own_pages_only)
        return app

    @web.middleware
    async def _own_pages_only(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse a foreign Host (rebound names) or Origin; keep the page from loading anything from elsewhere."""
        if request.host != f"{HOST}:{self.port}" or request.headers.get("Origin", self.public_url) != self.public_url:
            raise web.HTTPForbidden(text=f"Open {self.public_url} itself.")
        response = await handler(request)
        if not response.prepared:
            sources = f"'self' 'unsafe-inline' data: ws://{HOST}:{self.port}"
            response.headers["Content-Security-Policy"] = f"default-src {sources}"
        return response


def serve_chat(settings: Settings, port: int) -> None:
    """Serve until Ctrl+C. The chats, one process each, get these settings through the environment."""
    os.environ.update(environment(settings))
    ChatServer(port).serve()


def environment(settings: Settings) -> dict[str, str]:
    """The settings as CLEAR_KGQA_* variables, which outrank the settings file."""
    out = {}
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if value is not None and name not in ("config", "web", "json_output"):
            secret = getattr(value, "get_secret_value", None)
            out[f"CLEAR_KGQA_{name.upper()}"] = secret() if secret else str(value)
    return out
