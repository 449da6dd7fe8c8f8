"""The text protocol: read tolerantly, never evaluated, and a history of calls told as text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage

from clear_kgqa.agent import repair
from clear_kgqa.agent.text_protocol import as_text, instructions, parse

RUN = "ExecuteSPARQL"
QUERY = "SELECT ?x WHERE { ?x <http://ex.org/p> ?y }"


@pytest.mark.parametrize(
    "text",
    [
        'Thought: look\nAction: ExecuteSPARQL({"sparql": "%s"})',
        'Thought: look\nAction: ExecuteSPARQL("%s")',
        "Thought: look\nAction: ExecuteSPARQL('%s')",
        'Thought: look\nAction: ExecuteSPARQL("""%s""")',
        "Thought: look\nAction: ExecuteSPARQL(%s)",
        'Thought: look\nAction: ExecuteSPARQL(sparql="%s")',
        'Thought: look\nAction: ExecuteSPARQL\nAction Input: {"sparql": "%s"}',
        "Thought: look\nAction: ExecuteSPARQL\nAction Input: %s",
        '**Thought:** look\n**Action:** `ExecuteSPARQL`\n**Action Input:** {"sparql": "%s"}',
        'thought: look\naction: ExecuteSPARQL: ```json\n{"sparql": "%s"}\n```',
        "Thought 1: look\nAction 1: ExecuteSPARQL(%s)\nObservation 1: 5 rows\nAnswer: five",
    ],
)
def test_every_spelling_of_an_action(text: str) -> None:
    spoken = parse(text % QUERY)
    [(name, raw)] = spoken.calls
    assert name == RUN
    assert repair.arguments(name, raw).value == {"sparql": QUERY}
    assert "look" in spoken.thought


def test_an_invented_observation_and_what_follows_is_dropped() -> None:
    spoken = parse('Action: SearchNodes("a")\nObservation: found\nAction: SearchNodes("b")\nAnswer: b')
    assert spoken.calls == (("SearchNodes", "a"),)
    assert spoken.final == ""


def test_several_actions_and_several_arguments() -> None:
    spoken = parse(
        'Action: SearchNodes("a")\nAction: SearchGraphPattern(sparql="VALUES ?e { <x> }", semantic="the capital")'
    )
    assert spoken.calls[1] == (
        "SearchGraphPattern",
        {"sparql": "VALUES ?e { <x> }", "semantic": "the capital"},
    )
    ask = parse("Action: AskForClarification(text='Which?', options=['<a>', '<b>'])")
    assert ask.calls[0][1] == {"text": "Which?", "options": ["<a>", "<b>"]}


@pytest.mark.parametrize(
    ("text", "final", "thought"),
    [
        ("Thought: done\nAnswer: Paris.", "Paris.", "done"),
        ("Final Answer: Paris.", "Paris.", ""),
        ("Paris.", "Paris.", ""),
        ("Thought: I do not know", "I do not know", ""),
        ("", "", ""),
    ],
)
def test_final_words(text: str, final: str, thought: str) -> None:
    spoken = parse(text)
    assert (spoken.calls, spoken.final, spoken.thought) == ((), final, thought)


def test_nothing_is_evaluated() -> None:
    spoken = parse('Action: SearchNodes(__import__("os").system("true"))')
    assert repair.arguments(*spoken.calls[0]).value == {"name": '__import__("os").system("true")'}


@given(st.text(alphabet="Action:TuhgObservw\n({[\"'])}\\=, ", max_size=200))
def test_any_text_is_read(text: str) -> None:
    for name, raw in parse(text).calls:
        repair.arguments(name, raw)


def test_a_history_of_calls_becomes_text_with_alternating_roles() -> None:
    calls = [ToolCall(name="SearchNodes", args={"name": n}, id=n) for n in "ab"]
    history: list[Any] = [
        SystemMessage("role"), HumanMessage("q?"), AIMessage("look", tool_calls=calls),
        ToolMessage("A", tool_call_id="a"), ToolMessage("B", tool_call_id="b"), HumanMessage("check"), AIMessage("done"),
    ]  # fmt: skip
    told = as_text(history, instructions())
    assert [m.type for m in told] == ["system", "human", "ai", "human", "ai"]
    assert str(told[2].content).splitlines() == [
        "Thought: look", 'Action: SearchNodes({"name": "a"})', 'Action: SearchNodes({"name": "b"})',
    ]  # fmt: skip
    assert told[3].content == "Observation: A\nObservation: B\ncheck"
    assert told[4].content == "Answer: done"
    assert parse(str(told[2].content)).calls == (
        ("SearchNodes", '{"name": "a"}'),
        ("SearchNodes", '{"name": "b"}'),
    )
    assert as_text([HumanMessage("q")], "guide")[0].content == "guide"


def test_the_guide_names_the_tools_that_may_be_called() -> None:
    assert "AskForClarification" in instructions()
    assert "AskForClarification" not in instructions(asking=False)
