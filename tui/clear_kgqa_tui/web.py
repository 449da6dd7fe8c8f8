"""The chat in a browser, through textual-serve, on this machine alone."""

from __future__ import annotations

import os
import shlex
import sys

from clear_kgqa.settings import Settings

HOST = "127.0.0.1"


def serve_chat(settings: Settings, port: int) -> None:
    """Serve until Ctrl+C. The child processes get these settings through the environment, keys included."""
    from textual_serve.server import Server

    os.environ.update(environment(settings))
    code = "import sys; from clear_kgqa.settings import load_settings; from clear_kgqa_tui.app import run; sys.exit(run(load_settings()))"
    Server(f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}", host=HOST, port=port, title="clear-kgqa").serve()


def environment(settings: Settings) -> dict[str, str]:
    """The settings that differ from the defaults, as CLEAR_KGQA_* variables."""
    out = {}
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if name not in ("config", "web", "json_output") and value != field.default:
            secret = getattr(value, "get_secret_value", None)
            out[f"CLEAR_KGQA_{name.upper()}"] = secret() if secret else str(value)
    return out
