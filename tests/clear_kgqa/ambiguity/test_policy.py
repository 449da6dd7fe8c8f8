"""The value of information, by hand and as properties."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clear_kgqa.ambiguity.menus import Menu
from clear_kgqa.ambiguity.policy import best_question, update, value_of_information
from clear_kgqa.clarification import Option
from clear_kgqa.readings.answers import Answers
from clear_kgqa.readings.posterior import Posterior, overlap_f1
from clear_kgqa.readings.reading import Anchor, Reading
from clear_kgqa_tools.nodes import Hop, Node
from clear_kgqa_tools.terms import Term


def _reading(iri: str) -> Reading:
    return Reading((Anchor(Node(iri, iri), (0, 1), (Hop("p", "p", "out"),)),))


def _posterior(p: list[float], answers: list[str]) -> Posterior:
    held = [Answers((Term(a),)) for a in answers]
    return Posterior([_reading(f"e{i}") for i in range(len(p))], held, np.array(p), 1 - sum(p), overlap_f1(held))


def _menu(groups: list[tuple[int, ...]]) -> Menu:
    return Menu("s", "entity", "?", tuple(Option("", "", readings=g) for g in groups), tuple(groups))


def test_value_of_a_perfect_question() -> None:
    held = _posterior([0.5, 0.3, 0.1], ["a", "b", "c"])
    assert math.isclose(value_of_information(held, _menu([(0,), (1,), (2,)])), 0.9 - 0.5)


def test_a_question_is_put_for_what_it_offers_not_for_what_none_of_these_would_tell() -> None:
    held = _posterior([0.5, 0.3], ["a", "b"])
    offered, left_out = _menu([(0,), (1,)]), _menu([(0,), ()])
    assert math.isclose(value_of_information(held, offered), 0.3)
    assert math.isclose(value_of_information(held, left_out), 0.225)


def test_noise_lowers_the_value() -> None:
    held = _posterior([0.5, 0.4], ["a", "b"])
    menu = _menu([(0,), (1,)])
    assert value_of_information(held, menu, 0.3) < value_of_information(held, menu)


def test_equal_answers_are_not_asked_about() -> None:
    assert best_question(_posterior([0.5, 0.5], ["same", "same"]), "x").menu is None


def test_settled_slots_are_not_asked_again() -> None:
    held = _posterior([0.5, 0.5], ["a", "b"])
    first = best_question(held, "x").menu
    assert first is not None
    again = best_question(held, "x", settled=(first.slot, "reading", "form")).menu
    assert again is None or again.slot != first.slot


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=6), st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_value_is_never_negative_without_noise(weights: list[float], answers: list[int]) -> None:
    total = sum(weights) * 1.1
    held = _posterior([w / total for w in weights], [str(a) for a in answers[: len(weights)]])
    groups = [(i,) for i in range(min(len(weights), 5))]
    assert value_of_information(held, _menu(groups)) >= -1e-12


def test_a_sure_reply_leaves_only_what_it_chose_and_none_moves_the_rest() -> None:
    held = _posterior([0.6, 0.2, 0.1], ["a", "b", "c"])
    menu = _menu([(0,), (1,)])
    assert np.allclose(update(held, menu, 1, 0.0).p, [0, 1, 0])
    none = update(held, menu, 2, 0.0)
    assert np.allclose(none.p, [0, 0, 0.5])
    assert math.isclose(none.null, 0.5)


def test_a_noisy_reply_keeps_some_of_the_rest() -> None:
    after = update(_posterior([0.9, 0.1], ["a", "b"]), _menu([(0,), (1,)]), 1, 0.3)
    assert 0 < after.p[0] < 0.9
    assert math.isclose(after.p.sum() + after.null, 1.0)
