"""Thought, Action, Observation as plain text, for models whose server calls no tools. Nothing is ever evaluated."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from clear_kgqa.agent.tool_specs import TOOLS

STOP = ["\nObservation:"]
_OBSERVATION = re.compile(r"^\W*Observation\W*:", re.MULTILINE | re.IGNORECASE)
_ACTION = re.compile(
    r"^[\s*#>-]*Action[\s*]*\d*[\s*]*:[\s*`]*(?P<name>[A-Za-z_]\w*)[`*]*", re.MULTILINE | re.IGNORECASE
)
_INPUT = re.compile(r"\A[\s*#:]*(?:(?:Action[\s_]*Input|Input|Arguments)[\s*]*:[\s*]*)?", re.IGNORECASE)
_THOUGHT = re.compile(r"^[\s*#>-]*Thought[\s*]*\d*[\s*]*:\s*", re.MULTILINE | re.IGNORECASE)
_FINAL = re.compile(r"^[\s*#>-]*(?:Final\s+)?Answer[\s*]*:\s*", re.MULTILINE | re.IGNORECASE)
_KEYWORD = re.compile(
    r"""\s*(?P<key>[A-Za-z_]\w*)\s*[=:]\s*"""
    r"""(?P<value>\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\[.*?\])\s*,?""",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reply in the protocol: its thought, the calls as (name, raw arguments), else the final words."""

    thought: str
    calls: tuple[tuple[str, Any], ...]
    final: str


def instructions(asking: bool = True) -> str:
    """How to call the tools in text; appended to the system prompt."""
    lines = [
        "You call one tool at a time, by text in exactly this form, and then stop:",
        "Thought: what to find out next",
        'Action: ToolName({"argument": "value"})',
        "The result comes back as a line that begins with Observation:.",
        "When the result answers the question, end with a line: Answer: one short sentence",
        "The tools:",
    ]
    for name, tool in TOOLS.items():
        if asking or name != "AskForClarification":
            fields = ", ".join(f'"{f}": {i.description}' for f, i in tool.model_fields.items())
            lines.append(f"{name}({{{fields}}}): {' '.join((tool.__doc__ or '').split())}")
    return "\n".join(lines)


def as_text(messages: Sequence[BaseMessage], guide: str) -> list[BaseMessage]:
    """A history with tool calls as one without: roles alternate, observations come from the user's side."""
    told = any(isinstance(m, SystemMessage) for m in messages)
    out: list[BaseMessage] = [] if told else [SystemMessage(guide)]
    for message in messages:
        if isinstance(message, SystemMessage):
            out.append(SystemMessage(f"{message.content}\n\n{guide}"))
        elif isinstance(message, AIMessage):
            out.append(AIMessage(_spoken(message)))
        else:
            text = f"Observation: {message.content}" if isinstance(message, ToolMessage) else str(message.content)
            if out and isinstance(out[-1], HumanMessage):
                out[-1] = HumanMessage(f"{out[-1].content}\n{text}")
            else:
                out.append(HumanMessage(text))
    return out


def _spoken(message: AIMessage) -> str:
    words = str(message.content).strip()
    if not message.tool_calls:
        return words if _FINAL.search(words) else f"Answer: {words}"
    actions = [f"Action: {c['name']}({json.dumps(c['args'], ensure_ascii=False)})" for c in message.tool_calls]
    return "\n".join([f"Thought: {words}"] * bool(words) + actions)


def parse(text: str) -> Spoken:
    """Read a reply tolerantly: what follows an invented "Observation:" is dropped, the first form that fits counts."""
    observed = _OBSERVATION.search(text)
    text = text[: observed.start()] if observed else text
    actions = list(_ACTION.finditer(text))
    if not actions:
        final = _FINAL.search(text)
        words = text[final.end() :] if final else _THOUGHT.sub("", text)
        return Spoken(_THOUGHT.sub("", text[: final.start()]).strip() if final else "", (), words.strip())
    ends = [a.start() for a in actions[1:]] + [len(text)]
    calls = tuple(
        (action["name"], _arguments(text[action.end() : end])) for action, end in zip(actions, ends, strict=True)
    )
    return Spoken(_THOUGHT.sub("", text[: actions[0].start()]).strip(), calls, "")


def _arguments(rest: str) -> Any:
    """The raw arguments after an action's name: in brackets, on an input line, or all that follows."""
    rest = _THOUGHT.split(_FINAL.split(rest)[0])[0]
    body = _INPUT.sub("", rest).strip()
    if body.startswith("("):
        close = body.rfind(")")
        body = body[1 : close if close > 0 else None].strip()
    if body.startswith(("{", "[", "```")):
        return body
    found = {m["key"]: _unquoted(m["value"]) for m in _keywords(body)}
    return found or _unquoted(body)


def _keywords(body: str) -> list[re.Match[str]]:
    """`key="value"` pairs that follow each other from the start; none where the text is something else."""
    out: list[re.Match[str]] = []
    while (match := _KEYWORD.match(body, out[-1].end() if out else 0)) is not None:
        out.append(match)
    return out


def _unquoted(text: str) -> Any:
    """A quoted string without its quotes, a list as JSON reads it, other text as it stands."""
    for quote in ('"""', "'''", '"', "'"):
        if text.startswith(quote) and text.endswith(quote) and len(text) >= 2 * len(quote):
            inner = text[len(quote) : -len(quote)]
            return inner if len(quote) == 3 else _unescaped(inner)
    if text.startswith("["):
        try:
            return json.loads(text.replace("'", '"'))
        except ValueError:
            return [part.strip(" '\"") for part in text.strip("[]").split(",")]
    return text


def _unescaped(text: str) -> str:
    r"""\" and \n as they are meant; an escape that JSON does not know keeps its backslash."""
    return re.sub(r"\\([\"'\\n t])", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text)
