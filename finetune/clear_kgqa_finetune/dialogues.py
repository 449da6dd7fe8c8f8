"""Recorded transcripts as dialogues in chat-template form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from clear_kgqa.agent.tool_specs import ASK_FOR_CLARIFICATION, reply_told
from clear_kgqa_finetune.chat import Message

_FIELDS = 2  # of a node IRI and label, of a pattern itself and its meaning
LAST_TURN = "The result of the last query is the answer."
_SECRETS = (
    (re.compile(r"(\w+://)[^/\s:@]+:[^/\s@]+@"), r"\1"),
    (re.compile(r"\b(sk-[\w-]{16,}|hf_\w{16,}|Bearer\s+[\w.~+/-]{8,}=*)"), "[removed]"),
)


def dialogue(record: dict[str, Any]) -> list[Message] | None:
    """The messages of one transcript, from the user's question to the last turn; None where nothing was
    answered.

    Recorded `messages` are used where there are any, else the events. Passwords in URLs and keys are taken
    out.
    """
    if record.get("messages"):
        messages = [_recorded(message) for message in record["messages"]]
        complete = bool(messages) and messages[-1]["role"] == "assistant" and not messages[-1].get("tool_calls")
    else:
        messages = [
            {"role": "user", "content": record["question"]},
            *_from_events(record.get("events") or []),
        ]
        complete = any(e["event"] == "answered" for e in record.get("events") or [])
    return clean(messages) if complete else None


def with_short_observations(messages: list[Message], most: int) -> list[Message]:
    """The dialogue with at most so many results of each tool call, each with its first two fields; 0 cuts nothing.

    Lines that are no result stay: the one before them, and the hint that stands last.
    """
    if not most:
        return messages
    return [{**m, "content": _short_observation(m["content"], most)} if m["role"] == "tool" else m for m in messages]


def _short_observation(text: str, most: int) -> str:
    results, out = 0, []
    for line in text.split("\n"):
        if not line.startswith("{"):
            out.append(line)
            continue
        results += 1
        if results <= most:
            out.append(_first_fields(line))
        elif results == most + 1:
            out.append("(more)")
    return "\n".join(out)


def _first_fields(line: str) -> str:
    try:
        fields = json.loads(line)
    except ValueError:
        return line  # a result that was cut when it was recorded
    return json.dumps(dict(list(fields.items())[:_FIELDS]), ensure_ascii=False)


def with_short_prompt(messages: list[Message], tools: list[Any]) -> tuple[list[Message], list[Any]]:
    """The dialogue without its system prompt, and the tools by name and arguments only."""
    short = [
        {"name": tool["function"]["name"], "arguments": list(tool["function"]["parameters"]["properties"])}
        for tool in tools
    ]
    return [m for m in messages if m["role"] != "system"], [{"type": "function", "function": tool} for tool in short]


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
    """The turns after the question. A hint stands at the end of the observation it was appended to."""
    out: list[Message] = []
    thought, options = "", []
    for event in events:
        match event["event"]:
            case "thought" if not event.get("delta"):
                thought = f"{thought}\n{event['text']}".strip()
            case "toolcall":
                call = _call(event["name"], event["arguments"], event["id"])
                out.append({"role": "assistant", "content": thought, "tool_calls": [call]})
                thought = ""
            case "asked":
                options = event["clarification"]["options"]
                if not _open_ask(out):
                    call = _ask_call(event["clarification"])
                    out.append({"role": "assistant", "content": thought, "tool_calls": [call]})
                    thought = ""
            case "replied" if _open_ask(out):
                id = str(out[-1]["tool_calls"][0]["id"])
                out.append(_tool_message(id, ASK_FOR_CLARIFICATION, _reply_text(event, options)))
            case "observation":
                _call_last(out, event["id"])
                out.append(_tool_message(event["id"], event["name"], event["text"]))
            case "scored" if event.get("hint") and out and out[-1]["role"] == "tool":
                out[-1]["content"] += f"\n\n{event['hint']}"
            case "answered":
                out.append({"role": "assistant", "content": LAST_TURN})
    return out


def _reply_text(event: dict[str, Any], options: list[dict[str, Any]]) -> str:
    """What the agent's clarification node tells the model of a reply."""
    chosen = [(options[at]["iri"], options[at]["label"]) for at in event.get("options") or []]
    return reply_told(event["text"], event["kind"], chosen)[0]


def _call_last(messages: list[Message], id: str) -> None:
    """Moves the call that is about to be answered to the end: calls made at once are told one after the other, which
    every chat template can write.
    """
    for at, message in enumerate(messages):
        if any(call["id"] == id for call in message.get("tool_calls") or []):
            messages.append(messages.pop(at))
            return


def _open_ask(messages: list[Message]) -> bool:
    calls = (messages[-1].get("tool_calls") if messages else None) or []
    return any(call["function"]["name"] == ASK_FOR_CLARIFICATION for call in calls)


def _ask_call(clarification: dict[str, Any]) -> dict[str, Any]:
    labels = [option["label"] for option in clarification["options"]]
    return _call(ASK_FOR_CLARIFICATION, {"text": clarification["question"], "options": labels}, clarification["id"])


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
