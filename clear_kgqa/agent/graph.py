"""The agent as a LangGraph graph: agent -> tools -> ambiguity -> agent ... -> finish, with clarify on the side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from clear_kgqa.agent.nodes import AgentSteps
from clear_kgqa.agent.state import AgentState
from clear_kgqa.agent.tool_specs import ASK_FOR_CLARIFICATION


@dataclass(frozen=True, slots=True)
class Context:
    """What a run is given beside the state."""

    steps: AgentSteps


class AgentGraph:
    """The compiled graph with the steps of one session, which it hands to every run as its context."""

    def __init__(self, steps: AgentSteps, compiled: Any) -> None:
        self._context, self._compiled = Context(steps), compiled
        self.get_state, self.update_state = compiled.get_state, compiled.update_state

    def stream(self, given: Any, config: Any, stream_mode: list[str]) -> Iterator[Any]:
        """Run to the end or to an interrupt."""
        chunks: Iterator[Any] = self._compiled.stream(given, config, context=self._context, stream_mode=stream_mode)
        return chunks


def compile_graph(steps: AgentSteps, checkpointer: Any) -> AgentGraph:
    """The graph of one session over a checkpointer."""
    return AgentGraph(steps, _compiled().copy({"checkpointer": checkpointer}))


@cache
def _compiled() -> Any:
    """Compiled once, which takes 30 ms. Clarification has a node of its own: an interrupt re-runs its node."""
    graph = StateGraph(AgentState, context_schema=Context)
    for name in ("agent", "tools", "ambiguity", "clarify", "finish"):
        graph.add_node(name, _step(name))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", _after_agent, ["agent", "tools", "clarify", "finish"])
    graph.add_conditional_edges("tools", _after_tools, ["clarify", "ambiguity"])
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
    """A question asked beside other calls is put once those have run."""
    message = next(m for m in reversed(state["messages"]) if isinstance(m, AIMessage))
    done = {m.tool_call_id for m in state["messages"] if isinstance(m, ToolMessage)}
    return "clarify" if any(c["id"] not in done for c in message.tool_calls) else "ambiguity"
