"""From what a server sent to a message that the agent can act on and that any server takes back in a history."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage

from clear_kgqa.agent import repair, text_protocol
from clear_kgqa.agent.context import REMINDER
from clear_kgqa_tools.text import visible

_EMPTY = "The reply was empty. Call a tool, or say in one sentence why there is no answer."
_PARSER = " (the server may need its tool parser switched on; see clear-kgqa doctor)"
_LONGER = " (reply_tokens in the settings is the limit)"
_CUT_OFF = "The reply was cut off by its length and nothing in it was run. Be shorter."


@dataclass
class Reply:
    """`message` with valid calls only; `faults` are for the model, `repaired` for the log, `advice` for the user."""

    message: AIMessage
    faults: list[str] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)
    advice: str = ""


def read_reply(said: AIMessage, used: set[str], text_only: bool = False, tools: bool = True) -> Reply:
    """Read one reply. `used` are the ids of earlier calls, `text_only` expects the text protocol.

    Without `tools` every text is as it should be.
    """
    text, _ = repair.without_thinking(str(said.content))
    raw = list(said.additional_kwargs.get("raw_calls", []))
    reply = Reply(AIMessage(visible(text)))
    if said.response_metadata.get("finish_reason") == "length" and (tools or not text):
        reply.faults, reply.advice = [_CUT_OFF], _LONGER
        reply.message = AIMessage(visible(text[:500]) or "(cut off)")
        return reply
    if tools and not raw:
        raw, text = _from_text(text, text_only, reply)
        reply.message = AIMessage(visible(text))
    calls = [_call(c, used, reply) for c in raw]
    reply.message = AIMessage(visible(text), tool_calls=calls)
    if not calls and not text and not reply.faults:
        reply.faults.append(_EMPTY)
    return reply


def unreadable(told: str) -> Reply:
    """A reply that the server did not hand out because it could not read the tool call in it."""
    fault = f"The tool call could not be read ({told}). Write the arguments as one JSON object, with quotes escaped."
    return Reply(AIMessage("(a tool call that could not be read)"), [fault])


def _from_text(text: str, text_only: bool, reply: Reply) -> tuple[list[dict[str, Any]], str]:
    """Calls that stand in the text, and what is left as its thought or final words."""
    written = repair.written_calls(text)
    if written.calls:
        reply.repaired.append("a tool call written as text")
        return [{"id": None, "name": n, "arguments": a} for n, a in written.calls], written.text
    if written.fault:
        reply.faults.append(written.fault)
        reply.advice = _PARSER
        return [], text
    if text_only or re.search(r"^\W*Action\W*:", text, re.MULTILINE):
        spoken = text_protocol.parse(text)
        return [
            {"id": None, "name": n, "arguments": a} for n, a in spoken.calls
        ], spoken.thought if spoken.calls else spoken.final
    return [], text


def _call(raw: dict[str, Any], used: set[str], reply: Reply) -> ToolCall:
    """A call with a name and an id that any server takes back; broken arguments become {} and a fault."""
    name = re.sub(r"[^\w-]", "_", str(raw["name"] or "unknown"), flags=re.ASCII)[:64] or "unknown"
    found = repair.arguments(name, raw["arguments"])
    if found.value is None:
        reply.faults.append(found.fault)
    if found.repaired:
        reply.repaired.append(f"{name}: {found.repaired}")
    identity = str(raw["id"] or "")
    if not identity or identity in used:  # some servers count from zero in every reply
        identity = f"call{len(used):05}"  # nine letters and digits, as Mistral's API insists on
    used.add(identity)
    return ToolCall(name=name, args=found.value or {}, id=identity)


def correction(reply: Reply) -> list[BaseMessage]:
    """The unusable reply as a valid history and what was wrong with it."""
    told = " ".join(f if f.endswith(".") else f + "." for f in reply.faults)
    calls = reply.message.tool_calls
    if not calls:
        message = reply.message if reply.message.content else AIMessage("(empty)")
        return [message, HumanMessage(told, name=REMINDER)]
    text = f"Not run: {told} Send the arguments as one JSON object."
    return [reply.message, *(ToolMessage(text, tool_call_id=c["id"] or "", name=c["name"]) for c in calls)]
