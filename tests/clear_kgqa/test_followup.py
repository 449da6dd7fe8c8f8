"""Which questions lean on the one before, and what they take from it."""

from __future__ import annotations

import pytest

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.events import Answered, Event, Scored
from clear_kgqa.followup import Topic, asked_about, carry_over, topic_of
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


PROPERTIES = {"population", "capital", "area", "currency"}


def leaning(question: str, topic: Topic, *names: str) -> str:
    """The completed question, empty where it stands by itself."""
    carried = carry_over(question, topic, named(question, *names), names_property=PROPERTIES.__contains__)
    return carried.question if carried else ""


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("population?", "population of France?"),
        ("area", "area of France?"),
        ("the currency", "currency of France?"),
        ("what about the population?", "population of France?"),
        ("what about population", "population of France?"),
        ("What is the area?", "area of France?"),
        ("What currency do they use there?", "What currency do they use in France?"),
        ("what continent is that in", "what continent is France in"),
        ("who is the mayor of that city?", "who is the mayor of France?"),
        ("mundelein", ""),
        ("how many are there?", ""),
    ],
)
def test_a_property_alone_and_there_and_that(question: str, asked: str) -> None:
    assert leaning(question, FRANCE) == asked


def test_a_name_in_small_letters_takes_the_topics_place_and_a_property_does_not() -> None:
    assert leaning("what about spain?", FRANCE, "spain") == "What is the capital of spain?"
    assert leaning("what about currency?", FRANCE, "currency") == "currency of France?"


NEIGHBOURS = Topic("Which countries border Germany?", "ex:germany", "Germany", (23, 30), many=9)
LARGEST = Topic("What is the largest city in France?", "ex:france", "France", (28, 34), "ex:paris", "Paris", True, 1)


@pytest.mark.parametrize(
    ("question", "topic", "asked"),
    [
        ("how many are there?", NEIGHBOURS, "How many countries border Germany?"),
        ("How many?", NEIGHBOURS, "How many countries border Germany?"),
        ("and how many of them", NEIGHBOURS, "How many countries border Germany?"),
        ("count them", NEIGHBOURS, "How many countries border Germany?"),
        ("which of these is the largest?", NEIGHBOURS, "Which of the countries border Germany is the largest?"),
        ("which one has the largest area", NEIGHBOURS, "Which of the countries border Germany has the largest area?"),
        ("and the smallest?", NEIGHBOURS, "Which of the countries border Germany is the smallest?"),
        ("and the smallest?", LARGEST, "What is the smallest city in France?"),
        ("how many are there?", LARGEST, ""),
    ],
)
def test_all_the_answers_before_are_counted_or_one_is_picked(question: str, topic: Topic, asked: str) -> None:
    assert leaning(question, topic) == asked


def test_what_was_left_out_stands_for_no_word() -> None:
    carried = carry_over("population?", FRANCE, [], names_property=PROPERTIES.__contains__)
    assert carried is not None and carried.line() == "Asked as: population of France?"
    assert carried.bound() == (("ex:france", (14, 20)),)


def answered(form: str, *values: dict[str, str], sparql: str = "q") -> list[Event]:
    scored = Scored((), 0.0, 0.0, 0.1, ({"entity": "", "sparql": sparql},))
    return [scored, Answered(form, ("x",), (), values, None, sparql, "", "")]


def test_a_question_that_names_no_entity_is_about_its_answer() -> None:
    topic = topic_of("Which country is the largest?", answered("select", {"iri": "ex:russia", "label": "Russia"}))
    assert topic is not None and (topic.iri, topic.label) == ("ex:russia", "Russia")
    assert leaning("its capital?", topic) == "Russia's capital?"
    many = topic_of(
        "Which countries are there?", answered("select", {"iri": "ex:a", "label": "A"}, {"iri": "ex:b", "label": "B"})
    )
    assert many is not None and (many.many, many.label) == (2, "")
    assert leaning("its capital?", many) == ""
    counted = topic_of("How many countries are there?", answered("count", {"literal": "195", "label": "195"}))
    assert counted is None or counted.many == 195


def test_an_open_clarification_is_about_the_name_that_it_asks_for() -> None:
    options = (Option("ex:a", "Springfield"), Option("ex:b", "Springfield"))
    asked = Clarification("c1", "entity:springfield", "entity", "Which?", options, (14, 25))
    topic = asked_about("population of Springfield", asked)
    assert topic is not None and (topic.label, topic.iri) == ("Springfield", "")
    assert leaning("what about Oslo", topic, "Oslo") == "population of Oslo"
    one = (Option("ex:c", "Area of Canada"), Option("ex:c", "Population of Canada"))
    intent = asked_about("How big is Canada?", Clarification("c1", "intent:canada", "intent", "What?", one))
    assert intent is not None and (intent.iri, intent.label, intent.span) == ("ex:c", "Canada", (11, 17))
    assert asked_about("How big?", Clarification("c1", "reading", "reading", "Which?", options)) is None
