"""What the agent graph keeps between steps; plain data and messages only, so that it can be stored and resumed."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages


class AgentState(TypedDict, total=False):
    """`mentions` are JSON of searched names and their nodes; `settled` the replies as evidence; `assessment` the
    plugin's last view; `executed` the queries of this turn; `calls` how often each call was made; `reminded` what the
    model was told once; `scored` what the last reported scores rest on; `tokens` what the model took in this turn;
    `end` how it ended; `asked_ever` the questions put in all turns.
    """

    messages: Annotated[list[AnyMessage], add_messages]
    question: str
    mentions: list[dict[str, Any]]
    settled: list[dict[str, Any]]
    assessment: dict[str, Any] | None
    asked: int
    steps: int
    calls: dict[str, int]
    executed: list[dict[str, Any]]
    reminded: list[str]
    scored: list[int]
    tokens: int
    end: dict[str, Any] | None
    asked_ever: int


def fresh(question: str, messages: list[AnyMessage]) -> AgentState:
    """The state of a new turn; earlier messages and `asked_ever` stay, everything else starts again."""
    return AgentState(
        messages=messages,
        question=question,
        mentions=[],
        settled=[],
        assessment=None,
        asked=0,
        steps=0,
        calls={},
        executed=[],
        reminded=[],
        scored=[],
        tokens=0,
        end=None,
    )
