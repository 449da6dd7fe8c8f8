"""What a request holds: bounded, oldest first, and always valid."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage

from clear_kgqa.agent.context import REMINDER, current_question, fitted, paired, shortened, tokens


def turn(number: int, sizes: list[int]) -> list[BaseMessage]:
    out: list[BaseMessage] = [HumanMessage(f"question {number}?")]
    for i, size in enumerate(sizes):
        identity = f"{number}-{i}"
        call = ToolCall(name="SearchNodes", args={"name": "x"}, id=identity)
        out += [
            AIMessage("", tool_calls=[call]),
            ToolMessage("o" * size + " HINT: ask", tool_call_id=identity),
        ]
    return out


def valid(messages: list[BaseMessage]) -> bool:
    waiting: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.tool_call_id not in waiting:
                return False
            waiting.remove(message.tool_call_id)
        elif waiting:
            return False
        elif isinstance(message, AIMessage):
            waiting = [str(c["id"]) for c in message.tool_calls]
    return not waiting


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 8_000), max_size=5), min_size=1, max_size=4),
    st.integers(400, 6_000),
    st.randoms(),
)
def test_any_history_is_cut_to_size_and_stays_valid(sizes: list[list[int]], budget: int, random: object) -> None:
    history = [SystemMessage("role"), *(m for i, s in enumerate(sizes) for m in turn(i, s))]
    kept = fitted(history, budget)
    assert tokens(kept) <= budget
    assert valid(kept)
    assert isinstance(kept[0], SystemMessage)
    assert current_question(kept) == f"question {len(sizes) - 1}?"


def test_a_history_that_fits_is_left_alone() -> None:
    history = turn(1, [100, 100])
    assert fitted(history, 2_000) == history


def test_older_observations_are_shortened_before_newer_ones() -> None:
    kept = [m for m in fitted(turn(1, [3_000, 3_000, 3_000]), 3_000) if isinstance(m, ToolMessage)]
    lengths = [len(str(m.content)) for m in kept]
    assert lengths[0] < 1_300
    assert lengths[2] == 3_010


def test_the_hint_at_the_end_of_an_observation_survives() -> None:
    [cut] = [m for m in fitted(turn(1, [50_000]), 500) if isinstance(m, ToolMessage)]
    assert str(cut.content).endswith("HINT: ask")
    assert "50,010 characters, cut" in str(cut.content)


def test_shortening_keeps_its_limit() -> None:
    assert all(len(shortened("x" * 10_000, n)) == n for n in (10, 60, 500))
    assert shortened("short", 10) == "short"


def test_open_calls_are_closed_and_stray_replies_dropped() -> None:
    call = ToolCall(name="SearchNodes", args={}, id="a")
    history = [
        ToolMessage("stray", tool_call_id="z"),
        HumanMessage("q"),
        AIMessage("", tool_calls=[call]),
        HumanMessage("r"),
    ]
    kept = paired(history)
    assert [m.type for m in kept] == ["human", "ai", "tool", "human"]
    assert valid(kept)


def test_a_reminder_is_not_the_question() -> None:
    assert current_question([HumanMessage("q"), HumanMessage("check", name=REMINDER)]) == "q"


def test_a_question_of_any_length_fits() -> None:
    kept = fitted([HumanMessage("word " * 20_000)], 500)
    assert tokens(kept) <= 500
