"""The offline planner: a chat model without a network that plays the tool protocol by rule, over any graph."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage

from clear_kgqa.agent.one_message import OneMessageModel
from clear_kgqa.agent.tool_specs import (
    ASK_FOR_CLARIFICATION,
    EXECUTE_SPARQL,
    SEARCH_GRAPH_PATTERN,
    SEARCH_NODES,
)
from clear_kgqa.readings.reader import Reader
from clear_kgqa_tools.terms import iri_ref

SEARCHES = 12
LOOKED_AT = 8


class OfflinePlanner(OneMessageModel):
    """Searches the mentions of the question, looks at their patterns, follows hints, runs the best reading.

    Deterministic. What the plugin assessed comes with the observations; without a plugin it reads for itself
    and, where `asks` is set, asks whenever the name it relies on is shared.
    """

    reader: Reader
    asks: bool = False

    @property
    def _llm_type(self) -> str:
        return "clear-kgqa-offline"

    def say(self, messages: list[BaseMessage], run_manager: Any, **options: Any) -> AIMessage:
        """The next step of the turn."""
        at = max(i for i, m in enumerate(messages) if isinstance(m, HumanMessage))
        question, turn = (
            str(messages[at].content),
            [m for m in messages[at + 1 :] if isinstance(m, ToolMessage)],
        )
        number = sum(isinstance(m, AIMessage) for m in messages)
        return self._step(question, turn, number)

    def _step(self, question: str, turn: list[ToolMessage], number: int) -> AIMessage:
        done = [m.name for m in turn]
        if not turn:
            return self._search(question, number)
        if EXECUTE_SPARQL in done:
            return AIMessage("The result of the last query is the answer.")
        if SEARCH_NODES in done and SEARCH_GRAPH_PATTERN not in done:
            call = self._patterns(question, turn, number)
            if call is not None:
                return call
        return self._decide(question, turn, number)

    def _search(self, question: str, number: int) -> AIMessage:
        names = list(dict.fromkeys(m.name for m in self.reader.mentions(question)))[:SEARCHES]
        calls = [_call(number, i, SEARCH_NODES, name=name) for i, name in enumerate(names)]
        if calls:
            return AIMessage("", tool_calls=calls)
        return self._decide(question, [], number)

    def _patterns(self, question: str, turn: list[ToolMessage], number: int) -> AIMessage | None:
        iris: dict[str, None] = {}
        for observation in turn:
            for node in _data(observation) or []:
                iris.setdefault(node["iri"])
        values = " ".join(iri_ref(iri) for iri in list(iris)[:LOOKED_AT])
        if not values:
            return None
        call = _call(
            number, 0, SEARCH_GRAPH_PATTERN, sparql=f"VALUES ?e {{ {values} }}", semantic=self.reader.prepare(question)
        )
        return AIMessage("", tool_calls=[call])

    def _decide(self, question: str, turn: list[ToolMessage], number: int) -> AIMessage:
        assessment = next((a for m in reversed(turn) if (a := _assessment(m)) is not None), None)
        if assessment is None:
            return self._alone(question, turn, number)
        if assessment["failure"]:
            return AIMessage(assessment["failure"][1])
        ask = assessment["ask"]
        if ask:
            options = [o["iri"] for o in ask["options"]]
            return AIMessage(
                "",
                tool_calls=[_call(number, 0, ASK_FOR_CLARIFICATION, text=ask["question"], options=options)],
            )
        if assessment["best"]:
            return AIMessage("", tool_calls=[_call(number, 0, EXECUTE_SPARQL, sparql=assessment["best"]["sparql"])])
        return AIMessage("I found nothing in the graph that fits the question.")

    def _alone(self, question: str, turn: list[ToolMessage], number: int) -> AIMessage:
        """Without a plugin: the most valuable reading, asking only where the name it rests on is shared."""
        read = self.reader.read(question)
        posterior = read.posterior
        if read.missing:
            return AIMessage(f'The graph has no property for "{read.missing[0]}".')
        if posterior.best < 0:
            return AIMessage("I found nothing in the graph that this question names.")
        best = posterior.readings[posterior.best]
        bound = next((_data(m)["bound"] for m in turn if m.name == ASK_FOR_CLARIFICATION and _data(m)), None)
        if bound:
            kept = [i for i, r in enumerate(posterior.readings) if any(a.node.iri in bound for a in r.entities)]
            best = posterior.readings[max(kept, key=lambda i: posterior.p[i])] if kept else best
        elif self.asks and best.entities and not any(m.name == ASK_FOR_CLARIFICATION for m in turn):
            span = best.entities[0].span
            shared = next((m for m in read.mentions if m.span == span and len(m.nodes) > 1), None)
            if shared:
                options = [n.iri for n in shared.nodes[:5]]
                text = f"Which {shared.name} do you mean?"
                return AIMessage("", tool_calls=[_call(number, 0, ASK_FOR_CLARIFICATION, text=text, options=options)])
        return AIMessage("", tool_calls=[_call(number, 0, EXECUTE_SPARQL, sparql=best.query)])


def _call(number: int, i: int, tool: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=tool, args=arguments, id=f"call-{number}-{i}")


def _data(observation: ToolMessage) -> Any:
    """The program's side of an observation, with or without an assessment around it."""
    artifact = observation.artifact
    return artifact["data"] if isinstance(artifact, dict) and "assessment" in artifact else artifact


def _assessment(observation: ToolMessage) -> dict[str, Any] | None:
    artifact = observation.artifact
    return artifact["assessment"] if isinstance(artifact, dict) and "assessment" in artifact else None
