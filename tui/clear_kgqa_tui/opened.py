"""What a chat works with once it is open: graph, reader, session, and a tool for the user's own queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clear_kgqa.readings.reader import Reader
    from clear_kgqa.session import Session
    from clear_kgqa.session_store import SessionStore
    from clear_kgqa.settings import Settings
    from clear_kgqa_tools.bundle import GraphBundle
    from clear_kgqa_tools.execute import ExecuteSPARQL


@dataclass(frozen=True)
class Opened:
    """All over one graph; `close` ends its processes."""

    bundle: GraphBundle
    reader: Reader
    session: Session
    execute: ExecuteSPARQL

    def labels(self, iris: list[str]) -> dict[str, str]:
        """Labels of the IRIs that the graph's index knows."""
        return {iri: node.label for iri, node in self.bundle.nodes.describe(iris).items()}

    def close(self) -> None:
        self.session.close()
        self.bundle.close()


def opened(
    settings: Settings, session: str, store: SessionStore, progress: Callable[[str, float], None], held: Opened | None
) -> Opened:
    """Open the session, over the graph that is `held` where that one will do. Raises what is wrong with either.

    The heavy imports come after the graph: a mistyped name is told at once.
    """
    from clear_kgqa_tools.graph import Limits
    from clear_kgqa_tools.open_bundle import open_bundle

    limits = Limits(settings.query_timeout, settings.query_memory)
    bundle = held.bundle if held else open_bundle(settings.kg, progress, limits, languages=settings.languages)
    try:
        progress("loading the agent", 0.0)
        from clear_kgqa.readings.reader import Reader
        from clear_kgqa.session import make_session
        from clear_kgqa_tools.execute import ExecuteSPARQL

        reader = held.reader if held else Reader(bundle)
        made = make_session(bundle, settings, reader=reader, thread=session, checkpointer=store.checkpointer())
    except BaseException:
        if held is None:
            bundle.close()
        raise

    def labels(iris: list[str]) -> dict[str, str]:
        return {iri: node.label for iri, node in bundle.nodes.describe(iris).items()}

    execute = ExecuteSPARQL(bundle.graph, bundle.profile.prefixes, labels, limits=limits)
    return Opened(bundle, reader, made, execute)
