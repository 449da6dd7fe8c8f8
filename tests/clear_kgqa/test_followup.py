"""Which questions lean on the one before, and what they take from it."""

from __future__ import annotations

import pytest

from clear_kgqa.followup import Topic, carry_over
from clear_kgqa.readings.mentions import Mention

FRANCE = Topic("What is the capital of France?", "ex:france", "France", (23, 29), "ex:paris", "Paris")


def named(question: str, *names: str) -> list[Mention]:
    """Mentions of these names, as the reader would find them."""
    found = [(question.index(n), n) for n in names]
    return [Mention((at, at + len(n)), n, ()) for at, n in found]


@pytest.mark.parametrize(
    ("question", "asked", "iri"),
    [
        ("and its population?", "France's population?", "ex:france"),
        ("What is its population?", "What is France's population?", "ex:france"),
        ("Which countries border it?", "Which countries border France?", "ex:france"),
        ("and the population?", "population of France?", "ex:france"),
        ("And what about the area?", "area of France?", "ex:france"),
        ("When was she born?", "When was Paris born?", "ex:paris"),  # a person can only be the answer
    ],
)
def test_what_is_left_out_comes_from_the_turn_before(question: str, asked: str, iri: str) -> None:
    carried = carry_over(question, FRANCE, [])
    assert carried is not None and (carried.question, carried.iri) == (asked, iri)


def test_the_answer_can_be_meant_instead() -> None:
    carried = carry_over("and its population?", FRANCE, [], swap=True)
    assert carried is not None
    assert (carried.question, carried.label, carried.other) == ("Paris's population?", "Paris", "France")


@pytest.mark.parametrize("question", ["What about Spain?", "and Spain?", "And for Spain?", "how about Spain"])
def test_another_name_takes_the_topics_place(question: str) -> None:
    carried = carry_over(question, FRANCE, named(question, "Spain"))
    assert carried is not None and carried.question == "What is the capital of Spain?"


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is the population of Spain?", ("Spain",)),
        ("Which films did Spielberg direct and who is his wife?", ("Spielberg",)),
        ("How many countries are in Europe?", ("Europe",)),
        ("Which city has the largest population?", ()),
    ],
)
def test_a_question_that_stands_by_itself_is_left_alone(question: str, names: tuple[str, ...]) -> None:
    assert carry_over(question, FRANCE, named(question, *names)) is None


def test_without_a_turn_before_nothing_is_carried() -> None:
    assert carry_over("and its population?", None, []) is None


def test_common_nouns_that_name_a_node_do_not_stop_a_follow_up() -> None:
    question = "and its population?"
    carried = carry_over(question, FRANCE, named(question, "population"))
    assert carried is not None and carried.iri == "ex:france"
