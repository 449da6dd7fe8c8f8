"""Open what a command works on: the graph, and a session over it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clear_kgqa.settings import Settings

if TYPE_CHECKING:
    from clear_kgqa.session import Session
    from clear_kgqa_tools.bundle import GraphBundle


@contextmanager
def opened_graph(settings: Settings) -> Iterator[GraphBundle]:
    """The graph named by --kg; what must be built first shows its progress on standard error."""
    from clear_kgqa_tools.catalog import open_bundle

    bundle = open_bundle(settings.kg, progress=...)
    try:
        yield bundle
    finally:
        bundle.close()


@contextmanager
def opened_session(settings: Settings) -> Iterator[tuple[GraphBundle, Session]]:
    """The graph with a session over it."""
    from clear_kgqa.session import make_session

    with opened_graph(settings) as bundle:
        session = make_session(bundle, settings)
        try:
            yield bundle, session
        finally:
            session.close()
