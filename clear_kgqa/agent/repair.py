"""What models really send as tool calls, brought into shape: arguments, calls written as text, thinking."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import json_repair

from clear_kgqa.agent.tool_specs import TOOLS
from clear_kgqa_tools.text import cut

_FENCE = re.compile(r"\A\s*```[\w-]*\s*\n?(.*?)\n?\s*```\s*\Z", re.DOTALL)
_THINKING = re.compile(r"<think(?:ing)?>(.*?)(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_MARKED = (
    re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL | re.IGNORECASE),
    re.compile(r"<function=(?P<name>[\w.-]+)>(.*?)(?:</function>|\Z)", re.DOTALL),
    re.compile(r"<\|python_tag\|>(.*)\Z", re.DOTALL),
    re.compile(r"\[TOOL_CALLS\](.*)\Z", re.DOTALL),
    re.compile(r"```(?:json|tool_call|tool_code)\s*\n(\s*[\[{].*?)```", re.DOTALL),
    re.compile(r"\A\s*(\{.*\}|\[.*\])\s*\Z", re.DOTALL),
)
_WRAPPED = 2  # how often arguments may be JSON inside a JSON string


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call as an object, or None and the `fault` for the model; `repaired` says what was done."""

    value: dict[str, Any] | None
    fault: str = ""
    repaired: str = ""


@dataclass(frozen=True, slots=True)
class WrittenCalls:
    """Calls in a reply's text as (name, arguments), the text without them, and a fault where one cannot be read."""

    calls: tuple[tuple[str, Any], ...]
    text: str
    fault: str = ""


def arguments(name: str, raw: object) -> Arguments:
    """The object that a tool takes, from what a model sent for it (JSON text, or what JSON text held)."""
    if isinstance(raw, dict):
        return Arguments(raw)
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return Arguments({}, repaired="no arguments")
    value, repaired = _read(raw) if isinstance(raw, str) else (raw, "")
    if isinstance(value, list) and len(value) == 1:
        value, repaired = value[0], "a list of one"
    if isinstance(value, str) and (field := _sole_field(name)):
        value, repaired = {field: value}, "a bare string"
    if isinstance(value, dict) and (value or raw in ("{}", {})):
        return Arguments(value, repaired=repaired)
    return Arguments(None, f"the arguments of {name} are not a JSON object: {cut(str(raw), 200)}")


def _sole_field(name: str) -> str:
    """The one field that a tool cannot do without; empty for an unknown tool."""
    tool = TOOLS.get(name)
    needed = [f for f, info in tool.model_fields.items() if info.is_required()] if tool else []
    return needed[0] if len(needed) == 1 else ""


def _read(raw: str) -> tuple[Any, str]:
    """JSON, leniently; a string that holds an object is opened. The second part says what had to be repaired."""
    text, repaired = raw, ""
    for _ in range(_WRAPPED + 1):
        fenced = _FENCE.match(text)
        if fenced:
            text, repaired = fenced[1], "a fence"
        try:
            value = json.loads(text, strict=False)
        except ValueError:
            if not re.match(r"\s*[\[{\"']", text):
                return text.strip(), "bare text"
            value, repaired = json_repair.loads(text), "broken JSON"
        if not (isinstance(value, str) and re.match(r"\s*(?:```|\{)", value)):
            return value, repaired
        text, repaired = value, "JSON inside a string"
    return value, repaired


def without_thinking(text: str) -> tuple[str, str]:
    """A reply apart from its <think> part: (what is left, the thinking). An unclosed one takes the whole rest."""
    if "</think>" in text and "<think" not in text:  # some templates open it in the prompt
        thinking, _, rest = text.partition("</think>")
        return rest.strip(), thinking.strip()
    thinking = "\n".join(t.strip() for t in _THINKING.findall(text))
    return _THINKING.sub("", text).strip(), thinking


def written_calls(text: str) -> WrittenCalls:
    """Calls that stand in the text as <tool_call>, <function=...>, a JSON fence and the like, for known tools."""
    for pattern in _MARKED:
        found = list(pattern.finditer(text))
        calls = [call for match in found for call in _calls_in(match)]
        if calls:
            return WrittenCalls(tuple(calls), pattern.sub("", text).strip())
        if found and pattern in _MARKED[:4]:
            return WrittenCalls(
                (), text, "a tool call was written as text that cannot be read: " + cut(found[0][0], 200)
            )
    return WrittenCalls((), text)


def _calls_in(match: re.Match[str]) -> Iterator[tuple[str, Any]]:
    name, body = match.groupdict().get("name"), match[match.re.groups]
    if name:
        yield name, body
        return
    value, _ = _read(body.strip())
    for item in value if isinstance(value, list) else [value]:
        called = _call(item)
        if called:
            yield called


def _call(item: Any) -> tuple[str, Any] | None:
    """(name, arguments) of one object that describes a call in any of the usual spellings."""
    if not isinstance(item, dict):
        return None
    inner = item.get("function")
    item = inner if isinstance(inner, dict) else {**item, "name": item.get("name", inner)}
    name = item.get("name") or item.get("tool") or item.get("action")
    key = next((k for k in ("arguments", "parameters", "args", "input", "action_input") if k in item), None)
    return (name, item[key]) if isinstance(name, str) and key else None
