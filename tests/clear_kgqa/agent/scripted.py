"""A chat model that says what a script says, and keeps what it was sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field


class ScriptedModel(BaseChatModel):
    """Replays `script`, one message per turn; the last one is repeated. `seen` holds every request."""

    script: list[AIMessage]
    seen: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        self.seen.append(list(messages))
        at = min(len(self.seen), len(self.script)) - 1
        return ChatResult(
            generations=[ChatGeneration(message=self.script[at].model_copy(deep=True, update={"id": None}))]
        )


def calls(*pairs: tuple[str, dict[str, Any]], number: int = 0) -> AIMessage:
    """A message that calls tools."""
    return AIMessage(
        "", tool_calls=[ToolCall(name=n, args=a, id=f"call{number}-{i}") for i, (n, a) in enumerate(pairs)]
    )
