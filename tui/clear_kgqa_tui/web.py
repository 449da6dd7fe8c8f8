"""The chat in a browser, through textual-serve, on this machine alone."""

from __future__ import annotations

import json
import logging
import os
import re
import shlex
import socket
import sys
from typing import TYPE_CHECKING

from aiohttp import web
from textual_serve.server import Server

if TYPE_CHECKING:
    from aiohttp.typedefs import Handler

    from clear_kgqa.settings import Settings

HOST = "127.0.0.1"
_CHILD = """\
from clear_kgqa.settings import load_settings
from clear_kgqa_tui.app import run
run(load_settings())"""

# The terminal has the keyboard from the start: textual-serve waits for a click.
_HEAD = """<link rel="icon" href="data:,"><script>
new MutationObserver((_, watching) => {
  if (!document.querySelector("body.-first-byte")) return;
  document.querySelector(".xterm-helper-textarea").focus();
  watching.disconnect();
}).observe(document, { attributes: true, subtree: true });
</script></head>"""
_FOREIGN_STYLE = re.compile(r"<link[^>]*https?://(?!127\.0\.0\.1)[^>]*>")


class ChatServer(Server):
    """Answers only pages that it served itself: another site's page must not drive the chat through the browser."""

    def __init__(self, port: int) -> None:
        command = f"{shlex.quote(sys.executable)} -c {shlex.quote(_CHILD)}"
        super().__init__(command, host=HOST, port=port, title="clear-kgqa")

    def initialize_logging(self) -> None:
        """Warnings alone, and no local variables in tracebacks: a key may be among them."""
        logging.basicConfig(level=logging.WARNING, format="%(message)s")

    async def on_startup(self, app: web.Application) -> None:
        self.console.print(f"The chat is at {self.public_url} (Ctrl+C ends it)", highlight=False)

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
            if isinstance(response, web.Response) and response.content_type == "text/html":
                response.text = _FOREIGN_STYLE.sub("", response.text or "").replace("</head>", _HEAD)
            sources = f"'self' 'unsafe-inline' data: ws://{HOST}:{self.port}"
            response.headers["Content-Security-Policy"] = f"default-src {sources}"
        return response


def serve_chat(settings: Settings, port: int) -> None:
    """Serve until Ctrl+C. The chats, one process each, get these settings through the environment."""
    os.environ.update(environment(settings))
    ChatServer(free_port(port)).serve()


def free_port(wanted: int) -> int:
    """The wanted port, or another one where something listens there already."""
    try:
        taken = socket.create_server((HOST, wanted))
    except OSError:
        taken = socket.create_server((HOST, 0))
    with taken:
        return int(taken.getsockname()[1])


def environment(settings: Settings) -> dict[str, str]:
    """The settings as CLEAR_KGQA_* variables, which outrank the settings file."""
    out = {}
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if value is not None and name not in ("config", "web", "json_output"):
            secret = getattr(value, "get_secret_value", None)
            text = json.dumps(value) if isinstance(value, tuple) else str(value)
            out[f"CLEAR_KGQA_{name.upper()}"] = secret() if secret else text
    return out
