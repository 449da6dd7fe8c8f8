"""What strategies that write a single query share: run it and turn the outcome into events."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator

from clear_kgqa.agent.answer import answered, interpretation_of, is_empty
from clear_kgqa.events import Event, Failed, Observation, ToolCall
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import Cancelled, ConfigError, EndpointError, LimitExceeded, QueryError
from clear_kgqa_tools.execute import ExecuteSPARQL
from clear_kgqa_tools.graph import Limits
from clear_kgqa_tools.text import one_line

_TOOL = "ExecuteSPARQL"


class OneQuery(ABC):
    """The base of a Strategy that writes one query for a question and never asks.

    `write` gives the query in the model's words; `rewrite` makes it one that the graph can run (it may raise
    QueryError). Both may raise EndpointError.
    """

    def __init__(self, bundle: GraphBundle, settings: Settings, allowed: Collection[str] = ()) -> None:
        self.bundle = bundle
        self._execute = ExecuteSPARQL(
            bundle.graph,
            bundle.profile.prefixes,
            lambda iris: {iri: node.label for iri, node in bundle.nodes.describe(iris).items()},
            allowed_services=allowed,
            limits=Limits(settings.query_timeout, settings.query_memory),
        )

    @abstractmethod
    def write(self, question: str) -> str:
        """The query as the model wrote it."""

    def rewrite(self, written: str) -> str:
        """The query as the graph is to run it."""
        return written

    def start(self, question: str) -> Iterator[Event]:
        """Write one query and run it; ends with Answered or Failed."""
        try:
            written = self.write(question)
            yield ToolCall("1", _TOOL, {"sparql": written})
            yield from self._run(written)
        except Cancelled:
            yield Failed("cancelled", "Stopped.")
        except EndpointError as error:
            yield Failed("endpoint", str(error))

    def resume(self, reply: str | None) -> Iterator[Event]:
        """This strategy never asks. Raises ConfigError."""
        raise ConfigError("this strategy asks nothing, so there is nothing to reply to")

    def cancel(self) -> None:
        """Stop the running query."""
        self.bundle.graph.cancel()

    def _run(self, written: str) -> Iterator[Event]:
        try:
            execution = self._execute(self.rewrite(written))
        except QueryError as error:
            yield Observation("1", _TOOL, f"ERROR: {error}")
            yield Failed("model", f"The model's query cannot be run: {one_line(str(error))}", (written,))
            return
        except LimitExceeded as error:
            yield Observation("1", _TOOL, f"STOPPED: {error}")
            yield Failed("limit", str(error), (written,))
            return
        sparql = execution.query.text
        yield Observation("1", _TOOL, execution.text, execution.to_json())
        interpretation = interpretation_of(sparql, None, execution.labels)
        if is_empty(execution):
            yield Failed("empty", "The query found nothing in this graph.", (sparql,), interpretation)
            return
        iris = [t.value for row in execution.result.rows for t in row if t and t.kind == "iri"]
        nodes = self.bundle.nodes.describe(list(dict.fromkeys(iris)))
        yield answered(execution, interpretation, nodes, self.bundle.schema)
