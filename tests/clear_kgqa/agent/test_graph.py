"""Events reach the reader of a session whether LangGraph streams them or they are handed on after each step."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.checkpoint.memory import InMemorySaver

from clear_kgqa.agent.graph import compile_graph
from clear_kgqa.agent.nodes import AgentSteps
from clear_kgqa.agent.toolbox import Toolbox
from clear_kgqa.events import Answered, Failed, Observation, ToolCall, to_json
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import Session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import EndpointError

from .scripted import ScriptedModel, calls
from .test_gates import RUN, SEARCH, talk

QUESTION = "What is the population of Springfield?"


class Leaving(ScriptedModel):
    """A model whose server is gone at the second request."""

    def say(self, messages: list[BaseMessage], run_manager: Any, **options: Any) -> AIMessage:
        if self.seen:
            raise EndpointError("the server is gone")
        return super().say(messages, run_manager, **options)


def timeless(events: list[Any]) -> list[dict[str, Any]]:
    return [{k: v for k, v in to_json(e).items() if k != "seconds"} for e in events]


def test_the_events_are_the_same_streamed_or_not(bundle: GraphBundle, reader: Reader) -> None:
    script = (calls(SEARCH), calls(RUN, number=1), AIMessage("done"))
    handed = list(talk(bundle, reader, *script)[0].start(QUESTION))
    streamed = list(talk(bundle, reader, *script, streaming=True)[0].start(QUESTION))
    assert isinstance(handed[-1], Answered)
    assert timeless(handed) == timeless(streamed)


@pytest.mark.parametrize("streaming", [False, True])
def test_what_was_told_before_a_fault_is_heard(bundle: GraphBundle, reader: Reader, streaming: bool) -> None:
    chosen, model = Settings(streaming=streaming), Leaving(script=[calls(SEARCH)])
    steps = AgentSteps(model, Toolbox(bundle, reader, chosen), reader, None, True, chosen.steps, False)
    session = Session(bundle, compile_graph(steps, InMemorySaver()), "t")
    kinds = [type(e) for e in session.start(QUESTION)]
    assert kinds[0] is ToolCall
    assert Observation in kinds
    assert kinds[-1] is Failed
