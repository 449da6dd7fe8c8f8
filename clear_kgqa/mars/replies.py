"""What the model replies with, as checked data, read as tolerantly as tool calls are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from clear_kgqa.agent import repair
from clear_kgqa.events import FailureKind
from clear_kgqa_tools.safety import extract

REASONER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "thought": {"type": "string"},
        "expand": {"type": "array", "items": {"type": "integer"}},
        "sparql": {"type": "string"},
    },
    "required": ["thought", "expand", "sparql"],
    "additionalProperties": False,
}
"""A query in `sparql`, or numbers in `expand` and an empty `sparql`."""

_QUERY = re.compile(r"\A\s*(?:PREFIX|BASE|SELECT|ASK)\b", re.IGNORECASE)
_OBJECT = re.compile(r"\{\s*[\"'}]")
_NO_CHANGE = re.compile(r"\A\W*no[\s_-]+changes?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Decision:
    """Either a query or the numbers of patterns to expand; `fault` says why a reply cannot be used.

    `said` is the reply as it came, `line` the query in words where the reasoner has them; `failure` ends the turn.
    """

    thought: str = ""
    sparql: str = ""
    expand: tuple[int, ...] = ()
    fault: str = ""
    said: str = ""
    line: str = ""
    failure: tuple[FailureKind, str] | None = None


def read_object(said: str) -> dict[str, Any] | None:
    """The JSON object in a reply, out of its fence, its thinking and the prose around it."""
    text, _ = repair.without_thinking(said)
    at = _OBJECT.search(text)
    return repair.arguments("reply", text[at.start() :]).value if at else None


def read_decision(said: str) -> Decision:
    """The reasoner's decision; a bare query is taken for one."""
    value = read_object(said)
    if value is None:
        text, _ = repair.without_thinking(said)
        sparql = extract(text)
        if _QUERY.match(sparql):
            return Decision(sparql=sparql)
        return Decision(fault="The reply is not the JSON object that was asked for.")
    thought = str(value.get("thought") or "")
    sparql = value.get("sparql") or value.get("query") or ""
    if isinstance(sparql, str) and sparql.strip():
        return Decision(thought, extract(sparql))
    numbers = _numbers(value.get("expand", value.get("patterns")))
    fault = "" if numbers else 'The reply holds neither a query in "sparql" nor pattern numbers in "expand".'
    return Decision(thought, expand=numbers, fault=fault)


def _numbers(value: Any) -> tuple[int, ...]:
    """Whole numbers out of 3, "3", [3, "4"] and "3, 4"."""
    items = value if isinstance(value, list) else [value]
    found = [int(n) for item in items if isinstance(item, int | str) for n in re.findall(r"-?\d{1,6}", str(item))]
    return tuple(dict.fromkeys(found))


def read_text(said: str, name: str) -> str:
    """One text field of a reply; empty where there is none."""
    value = (read_object(said) or {}).get(name)
    return " ".join(value.split()) if isinstance(value, str) else ""


def read_verdict(said: str) -> str:
    """The better query that the verification proposes; empty for "no change" and for what cannot be read."""
    text, _ = repair.without_thinking(said)
    return "" if _NO_CHANGE.match(text) else read_decision(said).sparql
