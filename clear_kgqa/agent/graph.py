"""The agent as a LangGraph graph: agent -> tools -> ambiguity -> agent ... -> finish, with clarify on the side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from clear_kgqa.agent.nodes import AgentSteps
from clear_kgqa.agent.state import AgentState
from clear_kgqa.agent.tool_specs import ASK_FOR_CLARIFICATION
from clear_kgqa.events import Event


@dataclass(frozen=True, slots=True)
class Context:
    """What a run is given beside the state; `told` collects events where they are not streamed."""

    steps: AgentSteps
    told: list[Event] | None = None


class AgentGraph:
    """The compiled graph with the steps of one session, which it hands to every run as its context."""

    def __init__(self, steps: AgentSteps, compiled: Any, durability: str) -> None:
        self._steps, self._compiled, self._durability = steps, compiled, durability
        self.get_state, self.update_state = compiled.get_state, compiled.update_state

    def stream(self, given: Any, config: Any) -> Iterator[tuple[str, Any]]:
        """Run to the end or to an interrupt: ("custom", event) and ("updates", changes of the state by step).

        Events come at once where a model's words are streamed, else after each step: LangGraph takes three threads
        for a step whose events it streams and none for one whose events it does not.
        """
        if self._steps.toolbox.settings.streaming:
            yield from self._streamed(given, config, Context(self._steps), ["custom", "updates"])
            return
        told: list[Event] = []
        try:
            for chunk in self._streamed(given, config, Context(self._steps, told), "updates"):
                yield from _taken(told)
                yield "updates", chunk
        except Exception:
            yield from _taken(told)  # what was said before a step was stopped
            raise

    def _streamed(self, given: Any, config: Any, context: Context, mode: str | list[str]) -> Iterator[Any]:
        chunks: Iterator[Any] = self._compiled.stream(
            given, config, context=context, stream_mode=mode, durability=self._durability
        )
        return chunks


def _taken(told: list[Event]) -> Iterator[tuple[str, Event]]:
    """The events told so far, each once."""
    events = told.copy()
    told.clear()
    return (("custom", event) for event in events)


def compile_graph(steps: AgentSteps, checkpointer: Any) -> AgentGraph:
    """The graph of one session over a checkpointer; in memory nothing outlives a crash, so only ends are kept."""
    durability = "exit" if isinstance(checkpointer, InMemorySaver) else "async"
    return AgentGraph(steps, _compiled().copy({"checkpointer": checkpointer}), durability)


@cache
def _compiled() -> Any:
    """Compiled once, which takes 30 ms. Clarification has a node of its own: an interrupt re-runs its node."""
    graph = StateGraph(AgentState, context_schema=Context)
    for name in ("agent", "tools", "ambiguity", "clarify", "finish"):
        graph.add_node(name, _step(name))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", _after_agent, ["agent", "tools", "clarify", "finish"])
    graph.add_conditional_edges("tools", _after_tools, ["clarify", "ambiguity", "agent"])
    graph.add_edge("clarify", "ambiguity")
    graph.add_edge("ambiguity", "agent")
    graph.add_edge("finish", END)
    return graph.compile()


def _step(name: str) -> Any:
    def step(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        changed: dict[str, Any] = getattr(runtime.context.steps, name)(state)
        return changed

    return step


def _after_agent(state: AgentState) -> str:
    last = state["messages"][-1]
    if isinstance(last, HumanMessage) and state["end"] is None:
        return "agent"  # the model was reminded of something
    if state["end"] is not None or not isinstance(last, AIMessage) or not last.tool_calls:
        return "finish"
    return "clarify" if all(c["name"] == ASK_FOR_CLARIFICATION for c in last.tool_calls) else "tools"


def _after_tools(state: AgentState) -> str:
    """A question asked beside other calls is put once those have run; after a query there is nothing to score."""
    message = next(m for m in reversed(state["messages"]) if isinstance(m, AIMessage))
    done = {m.tool_call_id for m in state["messages"] if isinstance(m, ToolMessage)}
    if any(c["id"] not in done for c in message.tool_calls):
        return "clarify"
    return "agent" if state["executed"] else "ambiguity"
