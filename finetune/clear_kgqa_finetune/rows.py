"""Training rows out of transcripts and labelled items. Every row carries the `keys` that a split must not cut
apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from clear_kgqa.likelihood.context import ContextStyle, Described, entity_contexts
from clear_kgqa_finetune.chat import Message
from clear_kgqa_finetune.dialogues import clean, dialogue

Row = dict[str, Any]
Describe = Callable[[Sequence[str]], list[Described]]

_IRI = re.compile(r"<([^<>\s]+)>")


def agent_row(record: Row, tools: Sequence[Any], system: str) -> Row | None:
    """A dialogue that ended in an answer, in chat-template form with its tools and the agent's system prompt."""
    messages = with_system(dialogue(record), system)
    return {"messages": messages, "tools": list(tools), "keys": _keys(record)} if messages else None


def with_system(messages: list[Message] | None, system: str) -> list[Message]:
    """The dialogue with a system prompt in front, where there is one and the dialogue has none of its own."""
    if not messages or not system or messages[0]["role"] == "system":
        return messages or []
    return [{"role": "system", "content": system}, *messages]


def sparql_row(record: Row) -> Row | None:
    """Question and final query, for a sequence-to-sequence model."""
    sparql = final_sparql(record)
    return {"input": record["question"], "output": clean(sparql), "keys": _keys(record)} if sparql else None


def helper_rows(record: Row, describe: Describe | None, style: ContextStyle) -> list[Row]:
    """For each node search that found the entity used in the end among others: their contexts, and which is
    right.
    """
    used = set(_IRI.findall(final_sparql(record)))
    rows = []
    for nodes in node_lists(record):
        gold = [at for at, node in enumerate(nodes) if node["iri"] in used]
        if len(gold) == 1 and len(nodes) > 1:
            described = describe([node["iri"] for node in nodes]) if describe else [_described(n) for n in nodes]
            contexts = entity_contexts(described, style)
            keys = [node["iri"] for node in nodes]
            rows.append(clean({"question": record["question"], "contexts": contexts, "gold": gold[0], "keys": keys}))
    return rows


def item_row(item: Row, describe: Describe, style: ContextStyle) -> Row:
    """A labelled "needs clarification" item; kept together with its candidates and its question template."""
    described = describe(item["candidates"])
    question = " ".join([*item.get("history", []), item["question"]])
    keys = [*item["candidates"], question_template(item["question"], [d.label for d in described])]
    return {
        "question": question,
        "contexts": entity_contexts(described, style),
        "label": int(item["label"]),
        "keys": keys,
    }


def preference_rows(record: Row, tools: Sequence[Any], system: str) -> list[Row]:
    """Calls that failed against the corrected call of the same tool that came next, both after the same
    history.
    """
    messages = with_system(dialogue(record), system)
    observed = [e for e in record.get("events") or [] if e["event"] == "observation"]
    failed = {e["id"] for e in observed if e.get("data") is None}
    rows = []
    for at in range(1, len(messages) - 2):
        rejected, chosen = messages[at], messages[at + 2]
        if _tool(rejected) and _tool(rejected) == _tool(chosen) and rejected["tool_calls"][0]["id"] in failed:
            rows.append({"messages": messages[:at], "tools": list(tools), "keys": _keys(record)}
                        | {"chosen": chosen, "rejected": rejected})  # fmt: skip
    return rows


def question_template(question: str, names: Sequence[str]) -> str:
    """The question with the names of its candidates masked, folded to letters, so that paraphrases of one
    form meet.
    """
    text = question.lower()
    for name in sorted({n.lower() for n in names if n}, key=len, reverse=True):
        text = text.replace(name, " entity_ ")
    return " ".join(re.findall(r"[^\W\d]+", text))


def final_sparql(record: Row) -> str:
    """The query of the transcript's last answer, or an empty string."""
    answered = [e for e in record.get("events") or [] if e["event"] == "answered"]
    return str(answered[-1]["sparql"] if answered else record.get("sparql") or "")


def node_lists(record: Row) -> list[list[Row]]:
    """The node lists that SearchNodes returned, in order."""
    found = []
    for event in record.get("events") or []:
        if event["event"] == "observation" and event["name"] == "SearchNodes":
            data = event.get("data")
            nodes = data.get("nodes") if isinstance(data, dict) else data
            found.append([n for n in nodes or [] if isinstance(n, dict) and "iri" in n])
    return found


def _described(node: Row) -> Described:
    return Described(
        node.get("label") or node["iri"],
        tuple(node.get("types") or ()),
        description=node.get("description") or "",
    )


def _keys(record: Row) -> list[str]:
    """What a dialogue is about: its question, and the searched nodes that its final query uses."""
    used = set(_IRI.findall(final_sparql(record)))
    entities = {node["iri"] for nodes in node_lists(record) for node in nodes if node["iri"] in used}
    if record.get("intended"):
        entities.add(record["intended"])
    return [*sorted(entities), record["question"].casefold()]


def _tool(message: Message) -> str:
    calls = message.get("tool_calls")
    return str(calls[0]["function"]["name"]) if calls else ""
