"""What people type when they are asked."""

from __future__ import annotations

import pytest

from clear_kgqa.ambiguity.replies import interpret
from clear_kgqa.clarification import Clarification, Option

ASK = Clarification(
    "c1", "entity:mercury", "entity", "Which Mercury do you mean?",
    (
        Option("http://ex.org/planet", "Mercury", "planet", "innermost planet of the Solar System"),
        Option("http://ex.org/element", "mercury", "chemical element", "liquid metal with symbol Hg"),
        Option("http://ex.org/river", "Mercury", "river", "river in Missouri"),
        Option("http://ex.org/film", "Mercury Rising", "film", "1998 film with Bruce Willis"),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("1", (0,)), ("2.", (1,)), ("#3", (2,)), ("option 4", (3,)), ("the second one", (1,)), ("The first one.", (0,)), ("third", (2,)),
        ("the last one", (3,)), ("Mercury Rising", (3,)), ("the river", (2,)), ("the one in Missouri", (2,)), ("the metal please", (1,)),
        ("I mean the planet", (0,)), ("the movie with Bruce Willis", (3,)), ("not the river", (0, 1, 3)), ("the planet, not the river", (0,)),
        ("both", (0, 1, 2, 3)), ("the river and the planet", (0, 2)),
        ("the river. No, sorry: the planet", (0,)), ("1, no wait, 2", (1,)), ("the film - I mean the metal", (1,)),
    ],
)  # fmt: skip
def test_options(reply: str, chosen: tuple[int, ...]) -> None:
    understood = interpret(reply, ASK)
    assert (understood.kind, understood.chosen) == ("options", chosen)


@pytest.mark.parametrize("reply", ["you decide", "I don't care", "whatever", "any", "", "6"])
def test_delegated(reply: str) -> None:
    assert interpret(reply, ASK).kind == "delegate"


@pytest.mark.parametrize("reply", ["none of these", "None", "neither", "something else", "5"])
def test_none(reply: str) -> None:
    assert interpret(reply, ASK).kind == "none"


def test_a_new_question_and_an_unclear_reply() -> None:
    assert interpret("Who wrote The Old Man and the Sea?", ASK).kind == "new_question"
    assert interpret("blorp", ASK).kind == "unclear"
    assert interpret("17", ASK).kind == "unclear"


def test_explicit_choices_are_sure_and_ambiguous_ones_not() -> None:
    assert interpret("2", ASK).sure
    assert not interpret("not the river", ASK).sure


NAMESAKES = Clarification(
    "c1", "entity:connected", "entity", "Which Connected do you mean?",
    (
        Option("http://ex.org/a", "non winning work Connected", "creative work, album"),
        Option("http://ex.org/b", "winning work Connected", "winning work, creative work, album"),
        Option("http://ex.org/c", "Connected in Ghana", "work, party, work"),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("I mean winning work Connected.", 1), ("Non winning work Connected.", 0), ("connected in Ghana!", 2),
        ("The second person.", 1), ("I mean the third work.", 2), ("winning work Conected", 1), ("party Connected", 2),
    ],
)  # fmt: skip
def test_replies_about_namesakes(reply: str, chosen: int) -> None:
    assert interpret(reply, NAMESAKES).chosen == (chosen,)


def test_a_type_named_in_full_decides_between_equal_names() -> None:
    options = (
        Option("http://ex.org/a", "Duetact", "drug brand"),
        Option("http://ex.org/b", "Duetact", "brand, drug brand"),
    )
    ask = Clarification("c1", "entity:duetact", "entity", "Which Duetact do you mean?", options)
    assert interpret("I mean brand Duetact.", ask).chosen == (1,)
    assert interpret("Duetact", ask).kind == "unclear"


CITIES = (
    ("Missouri", "170,188"),
    ("Massachusetts", "154,341"),
    ("Illinois", "114,394"),
    ("Oregon", "60,870"),
    ("Ohio", "59,680"),
)
SPRINGFIELD = Clarification(
    "c1", "entity:springfield", "entity", "Which Springfield do you mean?",
    tuple(Option(f"http://ex.org/{s}", "Springfield", "city", f"city in {s}, United States, population {p}") for s, p in CITIES),
)  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("the first two", (0, 1)), ("the last two", (3, 4)), ("1 or 2", (0, 1)), ("1 and 3", (0, 2)), ("1, 2", (0, 1)), ("2-4", (1, 2, 3)),
        ("the first one and the third one", (0, 2)), ("all but the first", (1, 2, 3, 4)), ("all except 2 and 3", (0, 3, 4)),
        ("all but the one in Missouri", (1, 2, 3, 4)), ("Illinois or Oregon", (2, 3)), ("either of the first two", (0, 1)),
    ],
)  # fmt: skip
def test_several_options_at_once(reply: str, chosen: tuple[int, ...]) -> None:
    understood = interpret(reply, SPRINGFIELD)
    assert (understood.chosen, understood.sure, understood.excluding, understood.text) == (chosen, True, False, reply)


@pytest.mark.parametrize(
    ("reply", "left"),
    [("not 1", (1, 2, 3, 4)), ("not the one in Missouri", (1, 2, 3, 4)), ("neither 1 nor 2", (2, 3, 4)), ("not Missouri or Ohio", (1, 2, 3))],
)  # fmt: skip
def test_what_is_excluded_leaves_open_which_of_the_others_is_meant(reply: str, left: tuple[int, ...]) -> None:
    understood = interpret(reply, SPRINGFIELD)
    assert (understood.chosen, understood.sure, understood.excluding) == (left, False, True)


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("the biggest one", 0), ("the most populous", 0), ("the smaller one", 4), ("the second largest", 1), ("the one with the most people", 0),
        ("in Missuri", 0), ("Ilinois", 2), ("no, the second", 1), ("2 please", 1), ("not in Missouri, the one in Ohio", 4),
        ("the city in Missouri, United States, population 170,188", 0),
    ],
)  # fmt: skip
def test_one_option_by_its_size_its_misspelt_place_or_after_a_word(reply: str, chosen: int) -> None:
    assert interpret(reply, SPRINGFIELD).chosen == (chosen,)


@pytest.mark.parametrize("reply", ["1 and 9", "the biggest lake", "time zone of Oslo"])
def test_what_no_option_shows_is_unclear(reply: str) -> None:
    assert interpret(reply, SPRINGFIELD).kind == "unclear"


@pytest.mark.parametrize(
    "reply", ["why do you ask?", "help", "what do you mean?", "What's the difference?", "I don't understand"]
)
def test_the_user_asks_why(reply: str) -> None:
    assert interpret(reply, SPRINGFIELD).kind == "why"


LONDON = Clarification(
    "c1", "entity:london", "entity", "Which London do you mean?",
    (
        Option("http://ex.org/uk", "London", "city", "capital of United Kingdom"),
        Option("http://ex.org/ca", "London", "city", "city in Canada"),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "chosen"), [("the canadian one", 1), ("the British city", 0), ("not the Canadian one", 0)]
)
def test_the_adjective_of_a_country(reply: str, chosen: int) -> None:
    assert interpret(reply, LONDON).chosen == (chosen,)


CANADA = Clarification(
    "c1", "intent:canada", "intent", "What do you want to know about Canada?",
    (Option("http://ex.org/canada", "Area of Canada"), Option("http://ex.org/canada", "Population of Canada")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [("people", 1), ("how many people", 1), ("how many people live there", 1), ("inhabitants", 1), ("its size", 0), ("in square kilometres", 0), ("km2", 0)],
)  # fmt: skip
def test_a_property_in_other_words(reply: str, chosen: int) -> None:
    assert interpret(reply, CANADA).chosen == (chosen,)


def test_the_same_words_about_something_else_are_a_question() -> None:
    assert interpret("how many people live in Oslo", CANADA).kind == "new_question"


ALIEN = Clarification(
    "c1", "entity:alien", "entity", "Which Alien do you mean?",
    (
        Option("http://ex.org/new", "Alien", "film", "2003 short film"),
        Option("http://ex.org/old", "Alien", "film", "", "publication date 1979-05-25"),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "chosen"), [("the one from 1979", 1), ("the older film", 1), ("the newer one", 0), ("2003", 0)]
)
def test_years_that_are_shown(reply: str, chosen: int) -> None:
    assert interpret(reply, ALIEN).chosen == (chosen,)


def test_the_word_that_asks_describes_no_option() -> None:
    lines = ("What Paris is located in", "State of Paris", "Country of Paris")
    ask = Clarification(
        "c1", "intent:paris", "intent", "What?", tuple(Option("http://ex.org/p", line) for line in lines)
    )
    assert interpret("what state is that in", ask).chosen == (1,)
