"""What goes wrong between us and a model server, each in one readable line that holds no key."""

from __future__ import annotations

import re
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from clear_kgqa_tools.errors import ClearKgqaError, ConfigError, EndpointError
from clear_kgqa_tools.text import cut, one_line

if TYPE_CHECKING:
    from clear_kgqa.settings import Settings

OPENAI = "https://api.openai.com/v1"
_TOO_LONG = re.compile(
    r"context[_ ](?:length|window|size)|maximum context|prompt is too long|too many tokens"
    r"|exceed\w*.{0,40}context|context.{0,40}exceed",
    re.I,
)
_UNREADABLE_CALL = re.compile(
    r"pars\w+ (?:the )?tool.?call|tool_use_failed|failed to (?:call|parse)\b.{0,30}(?:function|tool)"
    r"|invalid tool.?call",
    re.I,
)
_NO_TOOLS = re.compile(r"tool|function.?call", re.I)


class ContextTooLong(ConfigError):
    """The request does not fit the model's context."""


class UnreadableCall(EndpointError):
    """The server itself could not read the tool call that its model wrote (llama.cpp, Ollama, Groq)."""


def server(settings: Settings) -> str:
    """The server's address without user, password and query."""
    parts = urlsplit(settings.base_url or OPENAI)
    host = parts.hostname or ""
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "") + parts.path.rstrip("/")


def without_key(text: str, settings: Settings) -> str:
    """The text in one line of at most 300 characters, the key and anything shaped like one replaced."""
    key = settings.api_key.get_secret_value() if settings.api_key else ""
    if len(key) >= 4:
        text = text.replace(key, "<key>")
    return cut(one_line(re.sub(r"\b(?:sk|pk|gsk|xai)-[\w*.-]{8,}", "<key>", text)), 300)


def readable(error: Exception, settings: Settings) -> ClearKgqaError:
    """The error of ours for one of openai or httpx: what the user can fix is a ConfigError, the rest EndpointError."""
    import httpx
    import openai

    where = server(settings)
    if isinstance(error, openai.APITimeoutError | httpx.TimeoutException):
        return EndpointError(f"the model server {where} gave no reply within {settings.timeout:g} s")
    if isinstance(error, openai.APIConnectionError | httpx.TransportError | httpx.InvalidURL):
        return EndpointError(f"the model server {where} cannot be reached{_cause(error)}")
    if isinstance(error, openai.APIStatusError):
        return status(error.status_code, _said(error), settings)
    if isinstance(error, JSONDecodeError):
        return unusable(error.doc, settings)
    said = without_key(str(error), settings)
    if _TOO_LONG.search(said):
        return _too_long(settings)
    return EndpointError(f"the model server {where} sent something unusable: {said}")


def status(code: int, said: str, settings: Settings) -> ClearKgqaError:
    """The error that an HTTP status stands for; `said` is the server's own message."""
    where, told = server(settings), without_key(said, settings)
    colon = f": {told}" if told else ""
    if code in (401, 403):  # the server's own words may quote a part of the key
        return ConfigError(f"the model server {where} refuses the key (HTTP {code}); set OPENAI_API_KEY")
    if code in (400, 413, 422, 500) and _TOO_LONG.search(told):
        return _too_long(settings)
    if code in (400, 500) and _UNREADABLE_CALL.search(told):
        return UnreadableCall(f"the model server {where} cannot read the tool calls of its model: {told}")
    if code == 404:
        return ConfigError(
            f"the model server {where} has no model {settings.model!r} or no chat there (HTTP 404); "
            f"check --model and --base-url (it mostly ends in /v1)"
        )
    if code == 429:
        return EndpointError(
            f"the model server {where} takes no more requests now, or the quota is used up (HTTP 429){colon}"
        )
    if code >= 500:
        return EndpointError(f"the model server {where} fails (HTTP {code})")
    if _NO_TOOLS.search(told):
        return ConfigError(f'the model server {where} refuses the tools (HTTP {code}){colon}; set protocol = "text"')
    return ConfigError(f"the model server {where} refuses the request (HTTP {code}){colon}")


def unusable(response: Any, settings: Settings) -> EndpointError:
    """A reply with status 200 that is not a chat completion."""
    where = server(settings)
    if isinstance(response, str):
        what = "an HTML page" if re.match(r"\s*<(?:!doctype|html)", response, re.I) else "text that is not JSON"
        return EndpointError(f"the model server {where} sent {what}; check --base-url (it mostly ends in /v1)")
    fault = response.get("error") if isinstance(response, dict) else None
    if fault:
        said = fault.get("message", fault) if isinstance(fault, dict) else fault
        return EndpointError(f"the model server {where} reports an error: {without_key(str(said), settings)}")
    return EndpointError(f"the model server {where} sent no choices")


def _too_long(settings: Settings) -> ContextTooLong:
    return ContextTooLong(
        f"the conversation does not fit the model's context; set context_tokens "
        f"(now {settings.context_tokens:,}) below it, or start the server with a longer one"
    )


def _said(error: Any) -> str:
    body = error.body
    if isinstance(body, dict):
        return str(body.get("message") or body.get("detail") or body.get("error") or "")
    return "" if str(error.message).lstrip().startswith("<") else str(error.message)


def _cause(error: BaseException) -> str:
    """What the network said ("Connection refused"), where it said something."""
    while error.__cause__ is not None:
        error = error.__cause__
    said = str(error).strip()
    return f" ({cut(one_line(said), 120)})" if said else ""
