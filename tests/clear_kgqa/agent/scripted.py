"""A chat model that says what a script says, and keeps what it was sent."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from pydantic import Field

from clear_kgqa.agent.one_message import OneMessageModel


class ScriptedModel(OneMessageModel):
    """Replays `script`, one message per turn; the last one is repeated. `seen` holds every request."""

    script: list[AIMessage]
    seen: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def say(self, messages: list[BaseMessage], run_manager: Any, **options: Any) -> AIMessage:
        self.seen.append(list(messages))
        at = min(len(self.seen), len(self.script)) - 1
        return self.script[at].model_copy(deep=True, update={"id": None})


def calls(*pairs: tuple[str, dict[str, Any]], number: int = 0) -> AIMessage:
    """A message that calls tools."""
    return AIMessage(
        "", tool_calls=[ToolCall(name=n, args=a, id=f"call{number}-{i}") for i, (n, a) in enumerate(pairs)]
    )
