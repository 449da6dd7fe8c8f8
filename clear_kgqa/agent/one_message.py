"""What the chat models of this project share: each says one message, LangChain's wrapping is done here."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import ConfigDict


class OneMessageModel(BaseChatModel):
    """A chat model that knows its tools and has nothing to cancel or to close, unless it says otherwise."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AIMessage:
        """`say`, without LangChain's bookkeeping of a call where nobody listens to it: that takes milliseconds."""
        if config and config.get("callbacks"):
            return super().invoke(input, config, **kwargs)
        return self.say(self._convert_input(input).to_messages(), None, **kwargs)

    @abstractmethod
    def say(self, messages: list[BaseMessage], run_manager: Any, **options: Any) -> AIMessage:
        """The reply. Pieces of it go to `run_manager.on_llm_new_token` as they come, unless that is None."""

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        """The same model."""
        return self

    def cancel(self) -> None:
        """Give up on a reply under way."""

    def close(self) -> None:
        """Close what the model holds open."""

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.say(messages, run_manager, **kwargs))])
