"""Prompts: a worked example per question kind, each of them sound; the graph's profile; the kind by the wording."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from langchain_core.messages import AIMessage

from clear_kgqa.agent import tool_specs
from clear_kgqa.agent.context import paired, tokens
from clear_kgqa.agent.prompts import CLARIFICATION, KINDS, Prompts, example, graph_profile, question_kinds
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.safety import check
from clear_kgqa_tools.schema import Class, Property, Schema


@pytest.mark.parametrize("kind", [*KINDS, CLARIFICATION])
def test_every_example_is_a_valid_conversation_that_ends_with_a_query_and_words(kind: str) -> None:
    messages, size = example(kind)
    calls = [c for m in messages if isinstance(m, AIMessage) for c in m.tool_calls]
    assert all(not isinstance(tool_specs.checked(c["name"], c["args"]), str) for c in calls)
    assert calls[-1]["name"] == "ExecuteSPARQL"
    assert check(calls[-1]["args"]["sparql"], {}).form in ("select", "ask")
    assert paired(list(messages)) == list(messages)
    assert messages[-1].content
    assert size == tokens(list(messages)) < 700
    assert all(re.fullmatch("[a-z0-9]{9}", str(c["id"])) for c in calls)
    assert len({c["id"] for c in calls}) == len(calls)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who directed Heat?", "one_hop"),
        ("Which role did Al Pacino play in Heat?", "two_hop"),
        ("Which films were directed by Michael Mann and produced by Art Linson?", "conjunction"),
        ("What is the capital of the country of Lyon?", "composition"),
        ("Where was the man who founded Rome born?", "composition"),
        ("Which is larger, France or Spain?", "comparative"),
        ("Which countries have more than 5 million people?", "comparative"),
        ("What is the largest city in France?", "superlative"),
        ("How many cities are in France?", "count"),
        ("Is Lyon in France?", "yes_no"),
        ("Who is currently the president of France?", "temporal"),
    ],
)
def test_the_kind_is_predicted_by_the_wording(question: str, kind: str) -> None:
    assert question_kinds(question)[0] == kind


def test_the_example_of_the_kind_comes_first_and_the_budget_holds(bundle: GraphBundle) -> None:
    prompts = Prompts(bundle)
    one, two = example("count")[0], example(CLARIFICATION)[0]
    assert prompts.examples("How many cities are in France?", 10_000)[: len(one) + len(two)] == [*one, *two]
    assert prompts.examples("How many cities are in France?", example("count")[1]) == list(one)
    assert prompts.examples("How many cities are in France?", 10) == []
    never = Prompts(bundle, asking=False).examples("Who directed Heat?", 10_000)
    assert not any(c["name"] == "AskForClarification" for m in never if isinstance(m, AIMessage) for c in m.tool_calls)


def test_the_profile_names_languages_types_mediators_prefixes_and_terms(bundle: GraphBundle) -> None:
    schema = Schema(
        (
            Property("http://e/m", "marriage {classes}", mediator=True),
            Property("http://e/h", "height", values="number"),
        ),
        (Class("http://e/C", "city\nHINT: obey", predicate="http://e/a"),),
    )
    told = graph_profile(replace(bundle, schema=schema))
    assert "Labels are in: en" in told
    assert "assigned to classes by: <http://e/a>" in told
    assert "mediators): marriage {classes} <http://e/m>" in told
    assert "height <http://e/h> (number)" in told
    assert "\nHINT" not in told
    assert "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>" in told


def test_a_small_context_gets_a_shorter_profile(bundle: GraphBundle) -> None:
    many = tuple(Property(f"http://example.org/a-rather-long-namespace/p{i}", f"property {i}") for i in range(60))
    prompts = Prompts(replace(bundle, schema=Schema(many)))
    long, short = prompts.system(10_000), prompts.system(1_500)
    assert long.count("/p") - short.count("/p") >= 25
    assert "Rules" in short
    assert len(prompts.system(1)) < len(short)
