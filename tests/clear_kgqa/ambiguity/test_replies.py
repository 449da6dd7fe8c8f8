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
