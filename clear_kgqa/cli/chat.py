"""`clear-kgqa chat`: the conversation, full-screen on a terminal, in a browser, or line by line."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from clear_kgqa.cli import faults, options
from clear_kgqa.cli.output import say
from clear_kgqa_tools.errors import ConfigError

if TYPE_CHECKING:
    from clear_kgqa.session_store import SessionStore
    from clear_kgqa.settings import Settings

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help="Ask questions in a conversation.")
def chat(
    kg: options.Kg = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    strategy: options.Strategy = None,
    session: options.Session = None,
    web: Annotated[bool | None, typer.Option("--web", help="Serve the chat in a browser, on this machine.")] = None,
    likelihood: options.Likelihood = None,
    timeout: options.Timeout = None,
    language: options.Language = None,
    examples: options.Examples = None,
    examples_from: options.ExamplesFrom = None,
    ontology: options.Ontology = None,
    ontology_tokens: options.OntologyTokens = None,
    wrapper: options.Wrapper = None,
    note: options.Note = None,
    services: options.Services = None,
    config: options.Config = None,
) -> int:
    """Without a terminal it reads one line at a time from standard input and writes plain text."""
    given = locals().copy()
    from clear_kgqa.settings import load_settings

    settings = load_settings(**given)
    if settings.streaming is None:
        settings = settings.model_copy(update={"streaming": True})
    if settings.web or _paints():
        return _full_screen(settings)
    return _by_line(settings)


def _paints() -> bool:
    """Whether this terminal can show a full screen."""
    able = os.environ.get("TERM", "dumb") != "dumb"
    return able and sys.stdin.isatty() and sys.stdout.isatty()


def _full_screen(settings: Settings) -> int:
    """The Textual chat; where its extra is missing the conversation goes by line, and --web cannot be had."""
    if not find_spec("textual") or (settings.web and not find_spec("textual_serve")):
        if settings.web:
            raise ConfigError('--web needs the extra "tui": pip install "clear-kgqa[tui]"')
        say('For the full-screen chat: pip install "clear-kgqa[tui]"')
        return _by_line(settings)
    from clear_kgqa_tui.app import run, serve

    return serve(settings) if settings.web else run(settings)


def _by_line(settings: Settings) -> int:
    """The conversation line by line; `--session` goes on with a saved one, or begins one of that name."""
    from clear_kgqa.session_store import SessionStore, gone_on_with

    if not settings.session:
        return _converse(settings, None)
    with closing(SessionStore()) as store:
        known = store.session(settings.session) is not None
        return _converse(gone_on_with(settings, store) if known else settings, store)


def _converse(settings: Settings, store: SessionStore | None) -> int:
    from clear_kgqa.cli.opening import opened_session
    from clear_kgqa.kept_turns import KeptTurns
    from clear_kgqa.line_chat import LineChat

    with opened_session(settings, store) as (bundle, session):
        kept = KeptTurns(store, settings.session, bundle.name)
        if sys.stdin.isatty():
            say(f"Ask the graph {bundle.name}, {bundle.schema.triples:,} triples. /help lists the commands.")
            if store:
                say(f"Saved as {settings.session}; {len(kept.turns)} questions so far.")
        read = _read_terminal if sys.stdin.isatty() else _read_pipe
        LineChat(session, read, say, bundle.attribution, settings.timeout, session.follow, kept).run()
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
