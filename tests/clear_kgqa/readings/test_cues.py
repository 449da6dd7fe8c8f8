"""What the wording says about the form of an answer."""

from __future__ import annotations

import pytest

from clear_kgqa.readings.cues import read_cues
from clear_kgqa.readings.words import singular, stem, tokenize


@pytest.mark.parametrize(
    ("question", "operator", "value", "attribute"),
    [
        ("How many cities in Kenya have more than 500,000 people?", ">", 500_000, "people"),
        ("countries with over 100 million inhabitants", ">", 100_000_000, "inhabitants"),
        ("cities with at least half a million people", ">=", 500_000, "people"),
        ("products under 3.5 kg", "<", 3.5, "kg"),
        ("cities with more than a million people", ">", 1_000_000, "people"),
    ],
)
def test_bounds(question: str, operator: str, value: float, attribute: str) -> None:
    bound = read_cues(question).bounds[0]
    assert (bound.operator, bound.value, bound.attribute) == (operator, value, attribute)


def test_a_bare_year_is_a_year_and_an_amount_is_not() -> None:
    assert read_cues("films after 1990").bounds[0].year
    assert read_cues("Who was born in 1939?").bounds[0].operator == "="
    assert not read_cues("villages with more than 1990 inhabitants").bounds[0].year


@pytest.mark.parametrize(
    ("question", "descending", "limit", "offset"),
    [
        ("What is the largest city in Georgia?", True, 1, 0),
        ("the three largest cities in Japan", True, 3, 0),
        ("second largest city in France", True, 1, 1),
        ("What is the cheapest Oscillator we have?", False, 1, 0),
        ("What is the most expensive service we offer?", True, 1, 0),
        ("Which city has the least inhabitants?", False, 1, 0),
    ],
)
def test_superlatives(question: str, descending: bool, limit: int, offset: int) -> None:
    grade = read_cues(question).grades[0]
    assert (grade.descending, grade.limit, grade.offset) == (descending, limit, offset)


def test_a_question_of_size_leaves_the_attribute_open() -> None:
    cues = read_cues("How big is Georgia?")
    assert cues.open_attributes[:2] == ("area", "population")
    assert not cues.grades


def test_forms() -> None:
    assert read_cues("Is Lyon in France?").ask
    assert read_cues("How many suppliers do we have?").count
    assert not read_cues("Which countries border Chad?").ask
    assert read_cues("When was Lyon founded?").expects == "date"
    assert read_cues("In what year was he born?").expects == "date"
    assert read_cues("Who wrote Dune?").expects == "person"
    assert read_cues("which american radio host was born in Paris?").noun == "american radio host"


def test_words_keep_symbols_and_drop_possessives() -> None:
    assert [w.text for w in tokenize("Who made C++, C# and Lyon's Heat?")] == [
        "Who",
        "made",
        "C++",
        "C#",
        "and",
        "Lyon",
        "Heat",
    ]
    assert [singular(w) for w in ("countries", "cities", "films", "boxes", "bus", "glass")] == [
        "country",
        "city",
        "film",
        "box",
        "bus",
        "glass",
    ]
    assert stem("directed") == stem("director")
