"""Runs tool calls: checks the arguments, calls the tool, and turns every expected error into an observation."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any

from clear_kgqa.agent import tool_specs
from clear_kgqa.readings.reader import Reader
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import EndpointError, LimitExceeded, QueryError
from clear_kgqa_tools.execute import ExecuteSPARQL, Execution
from clear_kgqa_tools.graph import Limits
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.search_nodes import SearchNodes

KEPT = 64  # executions whose whole results stay in memory


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave: text for the model, JSON for programs, and whether it failed."""

    text: str
    data: Any = None
    failed: bool = False
    kind: str = ""


class Toolbox:
    """The tools over one graph; thread-safe. Whole results are kept apart from the conversation, by query."""

    def __init__(self, bundle: GraphBundle, reader: Reader, settings: Settings) -> None:
        self.bundle = bundle
        self.settings = settings
        self.search_nodes = SearchNodes(bundle.nodes)
        self.patterns = reader.patterns
        self.execute = ExecuteSPARQL(
            bundle.graph,
            bundle.profile.prefixes,
            self.labels,
            self._nearest,
            limits=Limits(settings.query_timeout, settings.query_memory),
        )
        self._executions: OrderedDict[str, Execution] = OrderedDict()
        self._lock = Lock()

    def labels(self, iris: list[str]) -> dict[str, str]:
        """Labels of the IRIs that the index knows."""
        return {iri: node.label for iri, node in self.bundle.nodes.describe(iris).items()}

    def _nearest(self, iri: str) -> list[str]:
        name = iri.rsplit("/", 1)[-1].rsplit("#", 1)[-1].replace("_", " ")
        return [f"{n.label} <{n.iri}>" for n in self.bundle.nodes.search(name, 3)]

    def run(self, name: str, arguments: object) -> ToolResult:
        """One call; QueryError, LimitExceeded and EndpointError come back as text, anything else is raised."""
        call = tool_specs.checked(name, arguments)
        if isinstance(call, str):
            return ToolResult(call, failed=True, kind="arguments")
        try:
            return self._call(call)
        except QueryError as error:
            return ToolResult(f"ERROR: {error}", failed=True, kind="query")
        except LimitExceeded as error:
            return ToolResult(f"STOPPED: {error} Ask for less: fewer patterns, or a LIMIT.", failed=True, kind="limit")
        except EndpointError as error:
            return ToolResult(f"UNREACHABLE: {error}", failed=True, kind="endpoint")

    def _call(self, call: object) -> ToolResult:
        if isinstance(call, tool_specs.SearchNodes):
            nodes = self.search_nodes(call.name)
            return ToolResult(self.search_nodes.render(nodes), [n.to_json() for n in nodes])
        if isinstance(call, tool_specs.SearchGraphPattern):
            patterns = self.patterns(call.sparql, call.semantic)
            return ToolResult(self.patterns.render(patterns), [p.to_json() for p in patterns])
        assert isinstance(call, tool_specs.ExecuteSPARQL)
        execution = self.execute(call.sparql)
        self._keep(call.sparql, execution)
        return ToolResult(
            execution.text,
            {
                "sparql": execution.query.text,
                "form": execution.result.form,
                "rows": len(execution.result.rows),
                "incomplete": execution.result.incomplete,
            },
        )

    def _keep(self, sparql: str, execution: Execution) -> None:
        with self._lock:
            self._executions[sparql] = execution
            while len(self._executions) > KEPT:
                self._executions.popitem(last=False)

    def execution(self, sparql: str) -> Execution:
        """The whole result of a query that was run; run again where it is no longer held (a resumed session)."""
        with self._lock:
            held = self._executions.get(sparql)
        if held is None:
            held = self.execute(sparql)
            self._keep(sparql, held)
        return held

    def describe(self, iris: list[str]) -> dict[str, Node]:
        return self.bundle.nodes.describe(iris)
