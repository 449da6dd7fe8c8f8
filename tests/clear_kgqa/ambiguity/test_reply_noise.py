"""How far replies are trusted: learnt from how they agree with what was probable."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from clear_kgqa.ambiguity.reply_noise import ReplyNoise


def test_an_expected_reply_raises_trust_and_an_excluded_one_lowers_it() -> None:
    held = ReplyNoise.prior(0.05)
    assert abs(held.chance - 0.05) < 1e-12
    assert held.after([0.9, 0.1], 0).chance < held.chance < held.after([0.999, 0.001], 1).chance
    assert held.after([0.6, 0.399], 2).chance > held.chance  # "none of these", where one of them it had to be


def test_a_user_who_strays_in_a_third_of_the_replies_is_found_out() -> None:
    rng, held = random.Random(0), ReplyNoise.prior(0.05)
    for _ in range(400):
        meant = rng.random() < 0.95  # which of two options is meant
        strays = rng.random() < 0.3
        held = held.after([0.95, 0.05], int(meant == strays))
    assert 0.15 < held.chance < 0.35


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5), st.integers(0, 5), st.floats(0, 0.99))
def test_the_chance_stays_a_chance(weights: list[float], outcome: int, prior: float) -> None:
    total = sum(weights) or 1.0
    shares = [w / total for w in weights]
    assert 0.0 <= ReplyNoise.prior(prior).after(shares, min(outcome, len(shares))).chance < 1.0
