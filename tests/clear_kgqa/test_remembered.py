"""Choices that are kept per graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.events import Asked, Replied
from clear_kgqa.remembered import RememberedChoices, made_choices
from clear_kgqa.session_store import Turn

TWINS = (Option("ex:a", "Twin", "city", "in A"), Option("ex:b", "Twin", "city", "in B"))
ASKED = Clarification("c1", "entity:twin", "entity", "Which Twin?", TWINS)
READINGS = Clarification(
    "c1", "reading", "reading", "Which?", (Option("ex:a", "x", path="p"), Option("ex:a", "y", path="q"))
)


def test_a_choice_holds_for_its_name_on_its_graph(tmp_path: Path) -> None:
    choices = RememberedChoices(tmp_path)
    assert choices.option("demo", ASKED, "Who runs Twin?") is None
    choices.remember("demo", ASKED, "Who runs Twin?", 1)
    assert choices.option("demo", ASKED, "another question") == 1
    assert choices.option("demo", replace(ASKED, options=TWINS[::-1]), "q") == 0  # by IRI, not by place
    assert choices.option("films", ASKED, "q") is None
    assert choices.option("demo", replace(ASKED, options=TWINS[:1]), "q") is None


def test_a_choice_among_whole_readings_holds_for_its_question_alone(tmp_path: Path) -> None:
    choices = RememberedChoices(tmp_path)
    choices.remember("demo", READINGS, "What of A?", 1)
    assert choices.option("demo", READINGS, "what of a?") == 1
    assert choices.option("demo", READINGS, "What of B?") is None


def test_choices_are_replaced_changed_and_forgotten(tmp_path: Path) -> None:
    choices = RememberedChoices(tmp_path)
    choices.remember("demo", ASKED, "q", 0)
    choice = choices.remember("demo", ASKED, "q", 1)
    assert choices.all("demo") == [choice] and choice.label == "Twin (city; in B)"
    choices.change(choice, "ex:a")
    (changed,) = RememberedChoices(tmp_path).all()
    assert changed.label == "Twin (city; in A)"
    choices.forget(changed)
    assert choices.all() == []
    assert (tmp_path / "choices.json").stat().st_mode & 0o777 == 0o600


def test_the_choices_of_a_turn_tell_options_of_one_name_apart() -> None:
    events = [
        Asked(ASKED),
        Replied("c1", "2", "options", ("Twin",)),
        Asked(READINGS),
        Replied("c1", "you decide", "delegate"),
    ]
    assert made_choices(Turn("q", "q", list(events))) == [("entity:twin", "ex:b"), ("reading", "")]


def test_what_is_asked_of_one_node_is_told_apart_by_its_label(tmp_path: Path) -> None:
    options = (Option("ex:canada", "Area of Canada"), Option("ex:canada", "Population of Canada"))
    asked = Clarification("c1", "intent:canada", "intent", "What do you want to know about Canada?", options)
    choices = RememberedChoices(tmp_path)
    choices.remember("demo", asked, "How big is Canada?", 1)
    assert choices.option("demo", asked, "How big is Canada?") == 1
