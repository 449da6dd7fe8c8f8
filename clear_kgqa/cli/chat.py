"""`clear-kgqa chat`: the conversation, line by line."""

from __future__ import annotations

import sys

import typer

from clear_kgqa.cli import faults, options
from clear_kgqa.cli.output import say

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help="Ask questions in a conversation.")
def chat(
    kg: options.Kg = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    strategy: options.Strategy = None,
    timeout: options.Timeout = None,
    config: options.Config = None,
) -> int:
    """Without a terminal it reads one line at a time from standard input and writes plain text."""
    from clear_kgqa.cli.opening import opened_session
    from clear_kgqa.line_chat import LineChat
    from clear_kgqa.settings import load_settings

    settings = load_settings(
        config, kg=kg, model=model, base_url=base_url, strategy=strategy, timeout=timeout
    )
    with opened_session(settings) as (bundle, session):
        if sys.stdin.isatty():
            say(f"Ask the graph {bundle.name}, {bundle.schema.triples:,} triples. /help lists the commands.")
        read = _read_terminal if sys.stdin.isatty() else _read_pipe
        LineChat(session, read, say, bundle.attribution, settings.timeout).run()
    return faults.ANSWERED


def _read_terminal() -> str | None:
    import readline  # noqa: F401 - gives input() editing and a history

    try:
        return input("> ")
    except EOFError:
        say()
        return None


def _read_pipe() -> str | None:
    return sys.stdin.readline() or None
