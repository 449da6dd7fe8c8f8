"""Open what a command works on: the graph, and a session over it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clear_kgqa.cli.output import complain
from clear_kgqa.cli.stage_bar import StageBar

if TYPE_CHECKING:
    from clear_kgqa.session import Session
    from clear_kgqa.session_store import SessionStore
    from clear_kgqa.settings import Settings
    from clear_kgqa_tools.bundle import GraphBundle


@contextmanager
def opened_graph(settings: Settings) -> Iterator[GraphBundle]:
    """The graph named by --kg; what must be built first shows its progress on standard error."""
    from clear_kgqa_tools.graph import Limits
    from clear_kgqa_tools.open_bundle import open_bundle

    limits = Limits(settings.query_timeout, settings.query_memory)
    with StageBar() as progress:
        bundle = open_bundle(
            settings.kg,
            progress,
            limits,
            languages=settings.languages,
            on_wait=lambda _, why: complain(why),
            contact_seconds=settings.timeout,
        )
    try:
        yield bundle
    finally:
        bundle.close()


@contextmanager
def opened_session(settings: Settings, store: SessionStore | None = None) -> Iterator[tuple[GraphBundle, Session]]:
    """The graph with a session over it; a store keeps the one that the settings name."""
    with opened_graph(settings) as bundle:
        _load_soon(bundle)
        from clear_kgqa.session import make_session  # after the graph: a mistyped --kg is told at once

        saver = store.checkpointer() if store else None
        thread = settings.session if store else None
        session = make_session(bundle, settings, thread=thread, checkpointer=saver, silent=settings.assume_best)
        try:
            yield bundle, session
        finally:
            session.close()


def _load_soon(bundle: GraphBundle) -> None:
    """Let the store's process and the embedder load while LangGraph is imported."""
    from clear_kgqa_tools.embedded import EmbeddedGraph
    from clear_kgqa_tools.similarity import LazySimilarity

    if isinstance(bundle.graph, EmbeddedGraph):
        bundle.graph.load_soon()
    if isinstance(bundle.similarity, LazySimilarity):
        bundle.similarity.load_soon()
