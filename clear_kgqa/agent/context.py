"""What a request holds: observations shortened by age, a hard cap, and a history that every strict API takes."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

BYTES_PER_TOKEN = 3.0
"""Low on purpose: IRIs and other scripts take more tokens than English words."""
MESSAGE_TOKENS = 8
REMINDER = "reminder"
"""The name of a message that stands on the user's side but is our own."""
GIVEN = "\n\nIt is about these nodes of the graph: "
"""Stands between a question and the nodes that are told with it."""
_STEPS_KEPT = 2  # model turns whose observations stand whole
_OLDER = (4_000, 1_200, 400, 150)  # characters of older observations, tried in turn
_SHORTEST = 80


def tokens(messages: Sequence[BaseMessage]) -> int:
    """An estimate from above of what the messages take, calls included."""
    return sum(MESSAGE_TOKENS + int(len(_text(m).encode()) / BYTES_PER_TOKEN) for m in messages)


def _text(message: BaseMessage) -> str:
    calls = (
        "".join(f"{c['id']}{c['name']}{c['args']}" for c in message.tool_calls)
        if isinstance(message, AIMessage)
        else ""
    )
    return f"{message.content}{calls}"


def current_question(messages: Sequence[BaseMessage]) -> str:
    """The user's last question in the user's words; our own reminders are not one."""
    return next((str(m.content).partition(GIVEN)[0] for m in reversed(messages) if is_question(m)), "")


def is_question(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) and message.name != REMINDER


def fitted(messages: Sequence[BaseMessage], budget: int) -> list[BaseMessage]:
    """The messages in at most `budget` tokens (by `tokens`), the oldest giving way first.

    The system message, the current question and the last observation stay, cut where they must be. Every tool
    call keeps its reply and every reply its call.
    """
    kept = paired(messages)
    for limit in _OLDER:
        kept = _aged(kept, limit)
        if tokens(kept) <= budget:
            return kept
    groups = _groups(kept)
    fixed = [g for g in groups if isinstance(g[0], SystemMessage)]
    rest = [g for g in groups if not isinstance(g[0], SystemMessage)]
    last_question = max((i for i, g in enumerate(rest) if is_question(g[0])), default=0)
    droppable = [i for i in range(len(rest) - 1) if i != last_question]
    while droppable and tokens(_flat(fixed + rest)) > budget:
        rest[droppable.pop(0)] = []
    return _squeezed(_flat(fixed + rest), budget)


def paired(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The history with every call answered right after it, and no reply without its call."""
    replies = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    out: list[BaseMessage] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            continue
        out.append(message)
        if isinstance(message, AIMessage):
            for call in message.tool_calls:
                closed = ToolMessage("Closed: there was no result.", tool_call_id=call["id"] or "", name=call["name"])
                out.append(replies.get(call["id"] or "", closed))
    return out


def shortened(text: str, limit: int) -> str:
    """The text in at most `limit` characters: head and tail, which holds any hint, with what was left out between."""
    if len(text) <= limit:
        return text
    mark = f" [... {len(text):,} characters, cut ...] "
    room = limit - len(mark)
    if room < 2:
        return text[:limit]
    tail = room // 3
    return text[: room - tail] + mark + text[len(text) - tail :]


def _aged(messages: list[BaseMessage], limit: int) -> list[BaseMessage]:
    """Observations older than the last model turns in at most `limit` characters."""
    turns = [i for i, m in enumerate(messages) if isinstance(m, AIMessage)]
    recent = turns[-_STEPS_KEPT] if len(turns) >= _STEPS_KEPT else 0
    return [_cut(m, limit) if i < recent and isinstance(m, ToolMessage) else m for i, m in enumerate(messages)]


def _cut(message: BaseMessage, limit: int) -> BaseMessage:
    text = str(message.content)
    return message if len(text) <= limit else message.model_copy(update={"content": shortened(text, limit)})


def _groups(messages: list[BaseMessage]) -> list[list[BaseMessage]]:
    """A model's message with its observations is one group, every other message its own."""
    groups: list[list[BaseMessage]] = []
    for message in messages:
        if isinstance(message, ToolMessage) and groups:
            groups[-1].append(message)
        else:
            groups.append([message])
    return groups


def _flat(groups: list[list[BaseMessage]]) -> list[BaseMessage]:
    return [m for g in groups for m in g]


def _squeezed(messages: list[BaseMessage], budget: int) -> list[BaseMessage]:
    """The longest message is halved until all fit or none is worth halving."""
    out = list(messages)
    while tokens(out) > budget:
        at = max(range(len(out)), key=lambda i: len(str(out[i].content)))
        length = len(str(out[at].content))
        if length <= _SHORTEST:
            break
        out[at] = _cut(messages[at], max(length // 2, _SHORTEST))
    return out
