"""ChatOpenAI that hands out tool calls as the server sent them. Imported only where a server is talked to."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from functools import cache
from typing import Any, cast
from urllib.parse import urlsplit

import httpx
import openai
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI
from pydantic import PrivateAttr, SecretStr

from clear_kgqa.agent.chat_model_faults import OPENAI, unusable
from clear_kgqa.settings import Settings

NEWER_LIMIT = "max_completion_tokens"
RAW_CALLS = "raw_calls"
"""In `additional_kwargs`: [{"id", "name", "arguments"}], unread."""


_OPENAI_HOSTS = {urlsplit(OPENAI).hostname}


class Wire(ChatOpenAI):
    """Never raises on odd arguments (ChatOpenAI does: release gate 8) and says readably what else cannot be read."""

    settings: Settings
    limit: str = "max_tokens"
    """What the server calls the longest reply. Local servers do not know OpenAI's newer name, and would never stop."""

    _converted: dict[int, tuple[BaseMessage, dict[str, Any]]] = PrivateAttr(default_factory=dict)

    def _get_request_payload(self, input_: Any, **kwargs: Any) -> dict[str, Any]:
        """The request, its long parts as `extra_body`: openai looks through every field of all others, for 15 ms.

        Messages that the request before held are not converted again.
        """
        messages = self._convert_input(input_).to_messages()
        new = [m for m in messages if id(m) not in self._converted]
        payload = super()._get_request_payload(new, **kwargs)
        known = self._converted | {id(m): (m, said) for m, said in zip(new, payload.pop("messages"), strict=True)}
        self._converted = {id(m): known[id(m)] for m in messages}
        payload[self.limit] = payload.pop(NEWER_LIMIT)
        long = {"messages": [known[id(m)][1] for m in messages]}
        if "tools" in payload:
            long["tools"] = payload.pop("tools")
        return {**payload, "messages": [], "extra_body": {**payload.get("extra_body", {}), **long}}

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AIMessage:
        """One reply, without the bookkeeping of LangChain and the typed objects of openai: they take as long as all the
        rest of a request."""
        try:
            return self._reply(input, **kwargs)
        except openai.BadRequestError as error:
            self._take_newer(error)
            return self._reply(input, **kwargs)

    def _reply(self, input_: Any, **kwargs: Any) -> AIMessage:
        payload = self._get_request_payload(input_, **kwargs)
        body = payload | payload.pop("extra_body")
        response = self.root_client.post("/chat/completions", body=body, cast_to=httpx.Response)
        try:
            data = response.json()
        except ValueError:
            data = response.text
        found = self._create_chat_result(data).generations[0]
        found.message.response_metadata = found.generation_info or {}
        return cast(AIMessage, found.message)

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        try:
            yield from super()._stream(*args, **kwargs)
        except openai.BadRequestError as error:  # nothing was said yet
            self._take_newer(error)
            yield from super()._stream(*args, **kwargs)

    def _take_newer(self, error: openai.BadRequestError) -> None:
        """From now on OpenAI's newer name, where a server (a gateway to OpenAI) asks for it; else the error again."""
        if self.limit == NEWER_LIMIT or NEWER_LIMIT not in str(error):
            raise error
        self.limit = NEWER_LIMIT

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        data = response
        choices = data.get("choices") if isinstance(data, dict) else None
        if not choices or not isinstance(choices, list) or not _is_choice(choices[0]):
            raise unusable(data, self.settings)
        choice = choices[0]
        message = {**choice["message"], "role": "assistant"}
        raw = raw_calls(message.pop("tool_calls", None), message.pop("function_call", None))
        message["content"] = _text(message.get("content"))
        usage = data.get("usage") if isinstance(data.get("usage"), dict) else None
        plain = {**data, "choices": [{**choice, "message": message}], "error": None, "usage": usage}
        result = super()._create_chat_result(plain, generation_info)
        result.generations[0].message.additional_kwargs = {RAW_CALLS: raw}
        return result


def wire(settings: Settings) -> Wire:
    """The client for the settings' model and server. A local server without a key gets a placeholder."""
    # A pool of its own: one for many sessions looks through all its connections at every request. Redirects, which
    # could take a question elsewhere, are refused.
    client = httpx.Client(verify=_certificates(), timeout=settings.timeout)
    return Wire(
        http_client=client,
        http_async_client=_unused(),
        settings=settings,
        limit=NEWER_LIMIT if urlsplit(settings.base_url or OPENAI).hostname in _OPENAI_HOSTS else "max_tokens",
        model=settings.model,
        base_url=settings.base_url or None,
        api_key=settings.api_key or SecretStr("none"),
        temperature=settings.temperature,
        timeout=settings.timeout,
        max_retries=settings.retries,
        max_tokens=settings.reply_tokens,  # type: ignore[call-arg]
        stream_usage=True,
        use_responses_api=False,
    )


@cache
def _certificates() -> ssl.SSLContext:
    """Read once a process, which takes 30 ms."""
    return httpx.create_ssl_context()


@cache
def _unused() -> httpx.AsyncClient:
    """ChatOpenAI makes one for itself otherwise, certificates included."""
    return httpx.AsyncClient(verify=_certificates())


def raw_calls(calls: Any, function_call: Any = None) -> list[dict[str, Any]]:
    """The calls of a message as {"id", "name", "arguments"}; the old `function_call` counts as one."""
    listed = calls if isinstance(calls, list) else []
    out = [
        {"id": c.get("id"), "name": f.get("name"), "arguments": f.get("arguments")}
        for c in listed
        if isinstance(c, dict) and isinstance(f := c.get("function") or c, dict)
    ]
    if not out and isinstance(function_call, dict):
        out = [{"id": None, "name": function_call.get("name"), "arguments": function_call.get("arguments")}]
    return out


class StreamedCalls:
    """The same from a stream, piece by piece.

    Servers differ: id and name come once or with every piece (llama-cpp-python), and several calls may all be
    number 0, told apart by their ids.
    """

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self._numbers: list[int | None] = []

    def add(self, chunk: AIMessage) -> None:
        """Take in what a streamed chunk holds of calls."""
        for piece in getattr(chunk, "tool_call_chunks", ()):
            call = self._call(piece["index"], piece["id"])
            call["id"] = call["id"] or piece["id"]
            name = piece["name"] or ""
            call["name"] += "" if name == call["name"] else name
            call["arguments"] += piece["args"] or ""

    def _call(self, number: int | None, identity: str | None) -> dict[str, Any]:
        """The call that a piece belongs to, the latest of its number unless another id begins a new one."""
        for at in reversed(range(len(self.calls))):
            if self._numbers[at] == number and (not identity or self.calls[at]["id"] in (None, "", identity)):
                return self.calls[at]
        self.calls.append({"id": None, "name": "", "arguments": ""})
        self._numbers.append(number)
        return self.calls[-1]


def _is_choice(choice: Any) -> bool:
    return isinstance(choice, dict) and isinstance(choice.get("message"), dict)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
