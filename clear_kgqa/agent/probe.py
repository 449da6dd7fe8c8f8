"""What a model server can do (tools, log-probabilities, length of context), and how to switch on what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any

import httpx

from clear_kgqa.agent.chat_model_faults import OPENAI, readable, server, status, unusable
from clear_kgqa.agent.repair import arguments, without_thinking, written_calls
from clear_kgqa.agent.tool_specs import SEARCH_NODES, tool_schemas
from clear_kgqa.settings import Settings
from clear_kgqa_tools.errors import ClearKgqaError, EndpointError

_SECONDS = 60.0  # a local server may load the model first
_QUESTION = "Use the tool SearchNodes to find the node with the name Paris. Call the tool; say nothing else."
_REPLY_TOKENS = 512
_CONTEXT_FIELDS = (
    "max_model_len",
    "loaded_context_length",
    "max_context_length",
    "context_length",
    "context_window",
    "n_ctx",
)
_TOOLS_ADVICE = (
    "calls no tools, so they are called by text, which is weaker; to switch on: vLLM --enable-auto-tool-choice "
    "--tool-call-parser NAME, llama.cpp --jinja (llama-cpp-python: --chat_format chatml-function-calling), Ollama and "
    'LM Studio a model whose page says "tools"'
)
_TEXT_ADVICE = (
    "writes tool calls as text, which are read all the same; to switch on: vLLM --enable-auto-tool-choice "
    "--tool-call-parser NAME, llama.cpp --jinja"
)
_LOGPROBS_ADVICE = (
    "not needed for answering; vLLM, llama.cpp and a recent Ollama return them, llama-cpp-python with --logits_all true; "
    "--likelihood openai:MODEL needs those of the prompt, which vLLM has"
)


@dataclass(frozen=True, slots=True)
class Probe:
    """What was found. `tools` says that tools are called, natively or as text that can be read (`written`).

    `context_tokens` is None where the server does not say.
    """

    tools: bool
    written: bool
    logprobs: bool
    context_tokens: int | None

    def lines(self, settings: Settings) -> list[tuple[str, str]]:
        """One (subject, finding) per line of `doctor`; a finding says ok, or what to do."""
        tools = (
            "ok: calls tools" if self.tools and not self.written else _TEXT_ADVICE if self.written else _TOOLS_ADVICE
        )
        return [
            ("tool calls", tools),
            ("log-probs", "ok: of its own tokens" if self.logprobs else f"none ({_LOGPROBS_ADVICE})"),
            ("context", _context_line(self.context_tokens, settings.context_tokens)),
        ]


def _context_line(found: int | None, wanted: int) -> str:
    if found is None:
        return f"the server does not say; set context_tokens (now {wanted:,}) below it"
    if found >= wanted:
        return f"ok: {found:,} tokens, of which {wanted:,} are used (context_tokens)"
    return (
        f"{found:,} tokens, less than context_tokens ({wanted:,}); conversations are cut to it. For more: Ollama "
        "OLLAMA_CONTEXT_LENGTH, llama.cpp -c, vLLM --max-model-len, LM Studio the model's load settings"
    )


def probe(settings: Settings) -> Probe:
    """Ask the settings' server. Raises ConfigError or EndpointError where it does not serve the model at all."""
    key = settings.api_key.get_secret_value() if settings.api_key else "none"
    base = (settings.base_url or OPENAI).rstrip("/")
    headers = {"Authorization": f"Bearer {key}", "User-Agent": "clear-kgqa"}
    with httpx.Client(headers=headers, timeout=min(settings.timeout, _SECONDS)) as client:
        reply, logprobs = _first_accepted(client, f"{base}/chat/completions", settings)
        native, written = _called(reply)
        context = _context(client, base, settings.model)
    return Probe(native or written, written and not native, logprobs, context)


_locks: dict[tuple[str, str], Lock] = {}
_found: dict[tuple[str, str], Probe] = {}


def probed(settings: Settings) -> Probe:
    """`probe`, asked once per process for a server and model; others wait for the first."""
    which = settings.base_url, settings.model
    with _locks.setdefault(which, Lock()):
        if which not in _found:
            _found[which] = probe(settings)
        return _found[which]


def _first_accepted(client: httpx.Client, url: str, settings: Settings) -> tuple[dict[str, Any], bool]:
    """The first reply of ever plainer requests, and whether it holds log-probabilities."""
    body: dict[str, Any] = {"model": settings.model, "messages": [{"role": "user", "content": _QUESTION}]}
    tools = {"tools": [t for t in tool_schemas() if t["function"]["name"] == SEARCH_NODES]}
    plainer: tuple[dict[str, Any], ...] = (
        {**tools, "logprobs": True, "max_tokens": _REPLY_TOKENS},
        {**tools, "max_tokens": _REPLY_TOKENS},
        {**tools, "max_completion_tokens": _REPLY_TOKENS},
        {"max_tokens": _REPLY_TOKENS},
        {},
    )
    error: ClearKgqaError = EndpointError(f"the model server {server(settings)} refuses every request")
    for options in plainer:
        try:
            reply = client.post(url, json={**body, **options})
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            raise readable(fault, settings) from None
        if reply.status_code == 200:
            choice = _choice(reply, settings)
            return choice["message"], bool(choice.get("logprobs"))
        error = status(reply.status_code, _message(reply), settings)
        if reply.status_code not in (400, 404, 422, 500, 501):
            break
    raise error


def _choice(reply: httpx.Response, settings: Settings) -> dict[str, Any]:
    try:
        data = reply.json()
    except ValueError:
        raise unusable(reply.text, settings) from None
    choices = data.get("choices") if isinstance(data, dict) else None
    if not choices or not isinstance(choices[0], dict) or not isinstance(choices[0].get("message"), dict):
        raise unusable(data, settings)
    first: dict[str, Any] = choices[0]
    return first


def _message(reply: httpx.Response) -> str:
    try:
        error = reply.json().get("error", "")
        return str(error.get("message", "") if isinstance(error, dict) else error)
    except (ValueError, AttributeError):
        return ""


def _called(message: dict[str, Any]) -> tuple[bool, bool]:
    """Whether SearchNodes was called with an object, natively or written as text that can be read."""
    calls = [c.get("function") or {} for c in message.get("tool_calls") or [] if isinstance(c, dict)]
    native = any(arguments(SEARCH_NODES, c.get("arguments")).value for c in calls)
    text = without_thinking(str(message.get("content") or ""))[0]
    return native, any(name == SEARCH_NODES for name, _ in written_calls(text).calls)


def _context(client: httpx.Client, base: str, model: str) -> int | None:
    """The context's length as vLLM, llama.cpp, LM Studio, OpenRouter or Ollama (of a loaded model) tell it."""
    root = base.removesuffix("/v1")
    for url in (f"{base}/models", f"{root}/props", f"{root}/api/v0/models", f"{root}/api/ps"):
        found = _length(_json(client, url), model)
        if found:
            return found
    return None


def _json(client: httpx.Client, url: str) -> Any:
    try:
        reply = client.get(url, timeout=5)
        return reply.json() if reply.status_code == 200 else None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return None


def _length(data: Any, model: str) -> int | None:
    """The context field of the model's entry in a list of models, or of llama.cpp's properties."""
    if not isinstance(data, dict):
        return None
    listed = data.get("data", data.get("models"))
    entries = (
        [e for e in listed if isinstance(e, dict) and model in (e.get("id"), e.get("model"))]
        if isinstance(listed, list)
        else [data]
    )
    for entry in entries:
        for place in (entry, entry.get("default_generation_settings"), entry.get("meta")):
            if isinstance(place, dict):
                for name in _CONTEXT_FIELDS:
                    if isinstance(value := place.get(name), int) and value > 0:
                        return value
    return None
