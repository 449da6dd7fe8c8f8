"""Tool arguments and calls as models really send them."""

from __future__ import annotations

from typing import Any

import pytest

from clear_kgqa.agent.repair import arguments, without_thinking, written_calls

RUN = "ExecuteSPARQL"


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ('{"sparql": "ASK {}"}', {"sparql": "ASK {}"}),
        ("{'sparql': 'SELECT'}", {"sparql": "SELECT"}),
        (r'{"sparql": "FILTER regex(?l, \"\(\")"}', {"sparql": r'FILTER regex(?l, "\(")'}),
        (r'{"sparql": "regex(?l, \"a\\(b\")"}', {"sparql": r'regex(?l, "a\(b")'}),
        ('```json\n{"sparql": "ASK {}"}\n```', {"sparql": "ASK {}"}),
        ('"{\\"sparql\\": \\"S\\"}"', {"sparql": "S"}),
        ('"SELECT"', {"sparql": "SELECT"}),
        ('["SELECT"]', {"sparql": "SELECT"}),
        ("SELECT ?x { ?x ?y ?z }", {"sparql": "SELECT ?x { ?x ?y ?z }"}),
        ('{"sparql": "SELECT ?x\nWHERE {}"}', {"sparql": "SELECT ?x\nWHERE {}"}),
        ("", {}),
        (None, {}),
        ("{}", {}),
        ({"sparql": "S"}, {"sparql": "S"}),
    ],
)
def test_arguments_become_an_object(raw: object, value: dict[str, Any]) -> None:
    assert arguments(RUN, raw).value == value


@pytest.mark.parametrize("raw", ["5", "null", "true", '["a", "b"]', "[]", 7])
def test_what_is_no_object_is_told(raw: object) -> None:
    found = arguments(RUN, raw)
    assert found.value is None
    assert found.fault.startswith("the arguments of ExecuteSPARQL are not a JSON object")


def test_repairs_are_named_and_sound_arguments_are_not() -> None:
    assert arguments(RUN, '{"sparql": "S"}').repaired == ""
    assert arguments(RUN, "{'sparql': 'S'}").repaired == "broken JSON"
    assert arguments(RUN, '```\n{"sparql": "S"}\n```').repaired == "a fence"


def test_a_bare_string_needs_a_known_tool() -> None:
    assert arguments("SearchNodes", '"Paris"').value == {"name": "Paris"}
    assert arguments("Nothing", '"Paris"').value is None


CALL = ("SearchNodes", {"name": "Paris"})


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "SearchNodes", "arguments": {"name": "Paris"}}</tool_call>',
        '<tool_call>\n{"name": "SearchNodes", "arguments": {"name": "Paris"}}',
        '<|python_tag|>{"name": "SearchNodes", "parameters": {"name": "Paris"}}',
        '[TOOL_CALLS] [{"name": "SearchNodes", "arguments": {"name": "Paris"}}]',
        '```json\n{"name": "SearchNodes", "arguments": {"name": "Paris"}}\n```',
        '{"function": {"name": "SearchNodes", "arguments": {"name": "Paris"}}}',
        '{"function": "SearchNodes", "parameters": {"name": "Paris"}}',
        "<tool_call>{'name': 'SearchNodes', 'arguments': {'name': 'Paris'}}</tool_call>",
    ],
)
def test_calls_written_as_text_are_found(text: str) -> None:
    assert written_calls(text).calls == (CALL,)


def test_two_calls_the_text_around_them_and_the_llama_form() -> None:
    one = '<tool_call>{"name": "SearchNodes", "arguments": {"name": "%s"}}</tool_call>'
    found = written_calls(f"I look.\n{one % 'a'}\n{one % 'b'}")
    assert [c[1]["name"] for c in found.calls] == ["a", "b"]
    assert found.text == "I look."
    assert written_calls('<function=SearchNodes>{"name": "x"}</function>').calls == (("SearchNodes", '{"name": "x"}'),)


@pytest.mark.parametrize("text", ["<tool_call>SearchNodes Paris</tool_call>", "<tool_call>"])
def test_a_call_that_cannot_be_read_is_reported(text: str) -> None:
    found = written_calls(text)
    assert found.calls == ()
    assert "cannot be read" in found.fault


@pytest.mark.parametrize("text", ["Paris.", "", '{"answer": 5}', '```json\n{"a": 1}\n```', "a [b] {c}", "[1, 2]"])
def test_plain_answers_are_no_calls(text: str) -> None:
    found = written_calls(text)
    assert (found.calls, found.fault, found.text) == ((), "", text)


@pytest.mark.parametrize(
    ("text", "left", "thinking"),
    [
        ("<think>hm</think>Paris", "Paris", "hm"),
        ("<think>hm", "", "hm"),
        ("hm</think>Paris", "Paris", "hm"),
        ("Paris", "Paris", ""),
        ("<thinking>a</thinking>b<think>c</think>", "b", "a\nc"),
    ],
)
def test_thinking_is_taken_out(text: str, left: str, thinking: str) -> None:
    assert without_thinking(text) == (left, thinking)
