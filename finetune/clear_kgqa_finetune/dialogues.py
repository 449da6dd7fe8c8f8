"""Recorded transcripts as dialogues in chat-template form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from clear_kgqa_finetune.chat import Message

ASK = "AskForClarification"
_SECRETS = (
    (re.compile(r"(\w+://)[^/\s:@]+:[^/\s@]+@"), r"\1"),
    (re.compile(r"\b(sk-[\w-]{16,}|hf_\w{16,}|Bearer\s+[\w.~+/-]{8,}=*)"), "[removed]"),
)


def dialogue(record: dict[str, Any]) -> list[Message] | None:
    """The messages of one transcript, from the user's question to the final query; None where nothing was
    answered.

    Recorded `messages` are used where there are any, else the events. Passwords in URLs and keys are taken
    out.
    """
    if record.get("messages"):
        messages = [_recorded(message) for message in record["messages"]]
        complete = (
            bool(messages) and messages[-1]["role"] == "assistant" and not messages[-1].get("tool_calls")
        )
    else:
        messages = [
            {"role": "user", "content": record["question"]},
            *_from_events(record.get("events") or []),
        ]
        complete = any(e["event"] == "answered" for e in record.get("events") or [])
    return clean(messages) if complete else None


def _recorded(message: Message) -> Message:
    """A message in the API's form, with tool arguments as objects."""
    out = {k: message[k] for k in ("role", "content", "name", "tool_call_id") if message.get(k) is not None}
    out.setdefault("content", "")
    calls = [
        _call(c["function"]["name"], c["function"]["arguments"], c.get("id", ""))
        for c in message.get("tool_calls") or []
    ]
    return {**out, "tool_calls": calls} if calls else out


def _call(name: str, arguments: str | dict[str, Any], id: str) -> dict[str, Any]:
    parsed = json.loads(arguments) if isinstance(arguments, str) else arguments
    return {"type": "function", "id": id, "function": {"name": name, "arguments": parsed}}


def _from_events(events: Iterable[dict[str, Any]]) -> list[Message]:
    out: list[Message] = []
    thought = ""
    answered_calls: set[str] = set()
    for event in events:
        match event["event"]:
            case "thought" if not event.get("delta"):
                thought = f"{thought}\n{event['text']}".strip()
            case "toolcall":
                call = _call(event["name"], event["arguments"], event["id"])
                out.append({"role": "assistant", "content": thought, "tool_calls": [call]})
                thought = ""
            case "asked" if not _open_ask(out):
                out.append(
                    {
                        "role": "assistant",
                        "content": thought,
                        "tool_calls": [_ask_call(event["clarification"])],
                    }
                )
                thought = ""
            case "replied" if _open_ask(out):
                answered_calls.add(_last_id(out))
                out.append(_tool_message(_last_id(out), ASK, event["text"]))
            case "observation" if event["id"] not in answered_calls:
                out.append(_tool_message(event["id"], event["name"], event["text"]))
            case "answered":
                out.append({"role": "assistant", "content": f"```sparql\n{event['sparql'].strip()}\n```"})
    return out


def _open_ask(messages: list[Message]) -> bool:
    calls = (messages[-1].get("tool_calls") if messages else None) or []
    return any(call["function"]["name"] == ASK for call in calls)


def _last_id(messages: list[Message]) -> str:
    return str(messages[-1]["tool_calls"][0]["id"])


def _ask_call(clarification: dict[str, Any]) -> dict[str, Any]:
    labels = [option["label"] for option in clarification["options"]]
    return _call(ASK, {"text": clarification["question"], "options": labels}, clarification["id"])


def _tool_message(id: str, name: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": id, "name": name, "content": text}


def clean(value: Any) -> Any:
    """The same JSON value with passwords in URLs and API keys taken out of its strings."""
    if isinstance(value, str):
        for pattern, replacement in _SECRETS:
            value = pattern.sub(replacement, value)
        return value
    if isinstance(value, dict):
        return {k: clean(v) for k, v in value.items()}
    return [clean(v) for v in value] if isinstance(value, list | tuple) else value
