"""A chat model on an OpenAI-compatible server whose every reply is one that the agent can act on."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.ai import UsageMetadata, add_usage
from langchain_core.runnables import Runnable
from pydantic import Field, PrivateAttr

from clear_kgqa.agent import text_protocol
from clear_kgqa.agent.chat_model_faults import ContextTooLong, UnreadableCall, readable, without_key
from clear_kgqa.agent.chat_model_reply import correction, read_reply, unreadable
from clear_kgqa.agent.context import REMINDER, current_question, fitted, tokens
from clear_kgqa.agent.one_message import OneMessageModel
from clear_kgqa.agent.streaming import Prose
from clear_kgqa.settings import Settings
from clear_kgqa_tools.errors import Cancelled, ConfigError, EndpointError

if TYPE_CHECKING:
    from clear_kgqa.agent.prompts import Prompts

log = logging.getLogger(__name__)
CORRECTIONS = 2
SYSTEM_SHARE, EXAMPLES_SHARE = 0.35, 0.2  # of the context


class ServedModel(OneMessageModel):
    """ChatOpenAI with prompts put in front, the history cut to the context and replies repaired.

    A reply that cannot be repaired is sent back with what is wrong, at most twice; neither stays in the history.
    `invoke(..., response_format=...)` has the server hold a reply to a JSON schema, if it can. Raises ConfigError and
    EndpointError in one line, Cancelled when `cancel` was called meanwhile.
    """

    settings: Settings
    wire: Any
    prompts: Any = None
    tools: list[dict[str, Any]] = Field(default_factory=list)
    _tool_tokens: int = PrivateAttr(default=0)
    _waiting: set[SimpleQueue[Any]] = PrivateAttr(default_factory=set)
    _formless: bool = PrivateAttr(default=False)

    @property
    def _llm_type(self) -> str:
        return "clear-kgqa-served"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        """The same model with these tools; `cancel` reaches both."""
        bound = self.model_copy(update={"tools": list(tools)})
        bound._tool_tokens = len(json.dumps(bound.tools)) // 3
        return bound

    def cancel(self) -> None:
        """Give up on replies under way: their requests end with Cancelled at once, late replies are dropped."""
        for queue in list(self._waiting):
            queue.put(Cancelled("stopped"))

    def close(self) -> None:
        """Close the connections to the server."""
        self.wire.http_client.close()

    def say(self, messages: list[BaseMessage], run_manager: Any, **options: Any) -> AIMessage:
        """The first reply that can be acted on, with the tokens of all it took."""
        text_only, context = self._served()
        spent: UsageMetadata | None = None
        extra: list[BaseMessage] = []
        used = {str(c["id"]) for m in messages if isinstance(m, AIMessage) for c in m.tool_calls}
        for _ in range(CORRECTIONS + 1):
            try:
                form = options.get("response_format")
                said = self._asked([*messages, *extra], text_only, context, run_manager, form)
                spent = add_usage(spent, said.usage_metadata)
                reply = read_reply(said, used, text_only, bool(self.tools))
            except UnreadableCall as error:
                reply = unreadable(str(error))
            if reply.repaired:
                log.info("repaired a reply of %s: %s", self.settings.model, "; ".join(reply.repaired))
            if not reply.faults:
                return reply.message.model_copy(update={"usage_metadata": spent})
            told = without_key("; ".join(reply.faults), self.settings)
            log.info("cannot use a reply of %s: %s", self.settings.model, told)
            extra += correction(reply)
        raise EndpointError(f"the model's replies cannot be used: {told}{reply.advice}")

    def _served(self) -> tuple[bool, int]:
        """Whether tools are called by text, and how many tokens a conversation may hold."""
        settings = self.settings
        if settings.protocol != "auto" or not self.tools:
            return settings.protocol == "text" and bool(self.tools), settings.context_tokens
        from clear_kgqa.agent.probe import probed

        found = probed(settings)
        return not found.tools, min(settings.context_tokens, found.context_tokens or settings.context_tokens)

    def _asked(
        self,
        messages: list[BaseMessage],
        text_only: bool,
        context: int,
        run_manager: Any,
        form: Any = None,
    ) -> AIMessage:
        """One request; one that is too long for the server is sent again at half the length, one whose `form` it
        refuses without that."""
        form = None if self._formless else form
        try:
            return self._sent(self.request(messages, text_only, context), text_only, run_manager, form)
        except ContextTooLong:
            return self._sent(self.request(messages, text_only, context // 2), text_only, run_manager, form)
        except ConfigError:
            if form is None:
                raise
            said = self._asked(messages, text_only, context, run_manager)
            self._formless = True
            return said

    def request(self, messages: list[BaseMessage], text_only: bool, context: int) -> list[BaseMessage]:
        """The messages as sent: prompt, worked examples, the history cut to what is left of the context."""
        front: list[BaseMessage] = []
        examples: list[BaseMessage] = []
        if self.prompts is not None:
            question, share = current_question(messages), int(context * EXAMPLES_SHARE)
            queries = self.prompts.queries(question, share)
            front = [SystemMessage(self.prompts.system(int(context * SYSTEM_SHARE)) + queries)]
            examples = self.prompts.examples(question, share - (tokens([SystemMessage(queries)]) if queries else 0))
        reply = min(self.settings.reply_tokens, context // 4)
        room = context - reply - tokens([*front, *examples]) - self._tool_tokens
        history = fitted(messages, max(room, 256))
        whole = [*front, *examples, *history]
        if text_only:
            asking = any(t["function"]["name"] == "AskForClarification" for t in self.tools)
            whole = text_protocol.as_text(whole, text_protocol.instructions(asking))
        return [HumanMessage(m.content) if m.name == REMINDER else m for m in whole]

    def _sent(self, messages: list[BaseMessage], text_only: bool, run_manager: Any, form: Any) -> AIMessage:
        """Wait for the reply in a thread of its own, so that `cancel` need not wait for the server."""
        queue: SimpleQueue[Any] = SimpleQueue()
        prose = Prose(run_manager.on_llm_new_token) if run_manager and self.settings.streaming else None
        self._waiting.add(queue)
        Thread(target=self._request, args=(messages, text_only, queue, form), daemon=True, name="model").start()
        try:
            while True:
                item = queue.get()
                if isinstance(item, BaseException):
                    raise item
                if isinstance(item, AIMessage):
                    if prose:
                        prose.add("", last=True)
                    return item
                if prose:
                    prose.add(item)
        finally:
            self._waiting.discard(queue)

    def _request(self, messages: list[BaseMessage], text_only: bool, queue: SimpleQueue[Any], form: Any) -> None:
        import httpx
        from openai import OpenAIError

        options: dict[str, Any] = {"tools": self.tools} if self.tools else {}
        if text_only:
            options = {"stop": text_protocol.STOP}
        if form is not None:  # beside langchain, which would read the reply by itself
            options["extra_body"] = {"response_format": form}
        try:
            if self.settings.streaming:
                queue.put(self._streamed(messages, options, queue.put))
            else:
                queue.put(self.wire.invoke(messages, **options))
        except (OpenAIError, httpx.HTTPError, ValueError, TypeError, KeyError) as error:
            queue.put(readable(error, self.settings))
        except BaseException as error:  # the thread's outermost edge: who waits raises it again
            queue.put(error)

    def _streamed(self, messages: list[BaseMessage], options: dict[str, Any], tell: Callable[[str], None]) -> AIMessage:
        from clear_kgqa.agent.chat_model_wire import RAW_CALLS, StreamedCalls

        calls = StreamedCalls()
        whole: Any = None
        for chunk in self.wire.stream(messages, {"callbacks": []}, **options):
            calls.add(chunk)
            whole = chunk if whole is None else whole + chunk
            if chunk.text:
                tell(str(chunk.text))
        if whole is None:
            raise EndpointError("the model server sent an empty stream")
        return AIMessage(
            str(whole.text),
            additional_kwargs={RAW_CALLS: calls.calls},
            response_metadata=whole.response_metadata,
            usage_metadata=whole.usage_metadata,
        )


def chat_model(settings: Settings, prompts: Prompts | None = None) -> ServedModel:
    """The settings' model; with `prompts` it stands in front of every conversation what they say."""
    from clear_kgqa.agent.chat_model_wire import wire

    return ServedModel(settings=settings, wire=wire(settings), prompts=prompts)
