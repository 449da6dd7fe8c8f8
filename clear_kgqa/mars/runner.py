"""Runs tools on behalf of the pipeline, as events that look like an agent's."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from clear_kgqa.agent.answer import answered, interpretation_of
from clear_kgqa.agent.tool_specs import EXECUTE_SPARQL
from clear_kgqa.agent.toolbox import Toolbox, ToolResult
from clear_kgqa.events import Answered, Event, Observation, ToolCall
from clear_kgqa.mars.labels import Labels
from clear_kgqa.mars.view import View
from clear_kgqa_tools.execute import Execution

LABELLED = 2_000  # nodes of an answer that get labels


class Runner:
    """Calls of one session; ids count through it."""

    def __init__(self, toolbox: Toolbox, labels: Labels) -> None:
        self._toolbox, self._labels, self._calls = toolbox, labels, 0

    def call(self, name: str, arguments: dict[str, Any]) -> Generator[Event, None, ToolResult]:
        """One tool call with its observation."""
        number = self.announced()
        yield ToolCall(number, name, arguments)
        result = self._toolbox.run(name, arguments)
        yield Observation(number, name, result.text, result.data)
        return result

    def announced(self) -> str:
        """The id of the next call."""
        self._calls += 1
        return str(self._calls)

    def query(self, view: View, sparql: str) -> Generator[Event, None, tuple[Execution | None, ToolResult]]:
        """The execution of a query, None with a result that says why it failed."""
        result = yield from self.call(EXECUTE_SPARQL, {"sparql": sparql})
        view.tried.append(sparql)
        return (None if result.failed else self._toolbox.execution(sparql)), result

    def answered(self, view: View, execution: Execution, sparql: str, line: str) -> Answered:
        """The answer of an execution, with labels in the question's language."""
        iris = [t.value for row in execution.result.rows[:LABELLED] for t in row if t is not None and t.kind == "iri"]
        nodes = self._toolbox.describe(list(dict.fromkeys(iris)))
        names = self._labels.of(nodes)
        spoken = {iri: replace(node, label=names[iri]) for iri, node in nodes.items()}
        return answered(execution, self.line(view, execution, sparql, line), spoken, self._toolbox.bundle.schema)

    def line(self, view: View, execution: Execution, sparql: str, line: str) -> str:
        """The query in words: the assessed reading, the reasoner's words, else the names in it."""
        assessment = view.assessment.to_json() if view.assessment else None
        if line and (not assessment or (assessment["best"] or {}).get("sparql") != sparql):
            return line
        text = execution.query.text
        named = [x.node.iri for x in view.linked] + [iri for o in view.offers for iri in o.iris]
        return interpretation_of(sparql if assessment else text, assessment, self._labels.of(named))
