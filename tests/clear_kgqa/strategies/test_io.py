"""IO and CoT: answers from a model's memory, matched to nodes and marked as unchecked."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from clear_kgqa.events import Answered, Event, Failed, Thought
from clear_kgqa.settings import Settings
from clear_kgqa.strategies.cot import ChainOfThought
from clear_kgqa.strategies.io import FromMemory, read_answer
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError


def events(bundle: GraphBundle, said: str, kind: type[FromMemory] = FromMemory) -> list[Event]:
    model: Any = GenericFakeChatModel(messages=iter([AIMessage(said)]))
    return list(kind(bundle, Settings(), model).start("?"))


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ('Answer: ["Paris"]', [{"iri": "http://ex.org/paris", "label": "Paris"}]),
        ("answer: paris", [{"iri": "http://ex.org/paris", "label": "Paris"}]),
        (
            "**Answer:** ['Paris', 'Atlantis']",
            [{"iri": "http://ex.org/paris", "label": "Paris"}, {"literal": "Atlantis", "label": "Atlantis"}],
        ),
        ("Answer: [68000000]", [{"literal": "68000000", "label": "68,000,000"}]),
        ('Answer: ["1974-05-02"]', [{"literal": "1974-05-02", "label": "1974-05-02"}]),
        ('Answer: ["a \\"quote\\" } \\\\ # x"]', [{"literal": 'a "quote" } \\ # x', "label": 'a "quote" } \\ # x'}]),
    ],
)
def test_names_become_nodes_and_the_rest_literals(bundle: GraphBundle, said: str, values: list[dict[str, str]]) -> None:
    answer = events(bundle, said)[-1]
    assert isinstance(answer, Answered)
    assert list(answer.values) == values
    assert answer.text.startswith("From the model's memory, not from the graph")


@pytest.mark.parametrize(("said", "truth"), [("Answer: yes", True), ('Answer: ["No"]', False)])
def test_yes_and_no(bundle: GraphBundle, said: str, truth: bool) -> None:
    answer = events(bundle, said)[-1]
    assert isinstance(answer, Answered)
    assert (answer.form, answer.boolean) == ("ask", truth)


def test_steps_are_a_thought(bundle: GraphBundle) -> None:
    found = events(bundle, 'An answer: unclear.\nFrance has a capital.\nAnswer: ["Paris"]', ChainOfThought)
    assert found[0] == Thought("An answer: unclear.\nFrance has a capital.")
    assert isinstance(found[-1], Answered)


def test_no_answer_and_why(bundle: GraphBundle) -> None:
    assert events(bundle, "Answer: []") == [Failed("not_understood", "The model says that it does not know.")]
    failed = events(bundle, "I cannot say.")[-1]
    assert isinstance(failed, Failed)
    assert failed.kind == "model"
    assert read_answer("<think>Answer: 5</think>Answer: 6") == ("", ["6"])


def test_there_is_nothing_to_reply_to(bundle: GraphBundle) -> None:
    model: Any = GenericFakeChatModel(messages=iter([]))
    with pytest.raises(ConfigError):
        FromMemory(bundle, Settings(), model).resume("1")
