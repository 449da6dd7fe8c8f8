"""Properties of the posterior and of the scores derived from it."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clear_kgqa.readings.answers import Answers
from clear_kgqa.readings.posterior import Posterior, Weights, entropy_score, load_weights, overlap_f1, softmax
from clear_kgqa.readings.reading import Reading
from clear_kgqa_tools.terms import Term

masses = st.lists(st.floats(0, 1e6, allow_nan=False), min_size=0, max_size=12)
answer_sets = st.lists(st.frozensets(st.integers(0, 5), max_size=4), min_size=1, max_size=8)


def posterior(sets: list[frozenset[int]], p: list[float] | None = None) -> Posterior:
    answers = [Answers(tuple(Term(str(v)) for v in sorted(s))) for s in sets]
    shares = np.array(p) if p else np.full(len(sets), 1 / len(sets))
    return Posterior([Reading() for _ in sets], answers, shares, float(1 - shares.sum()), overlap_f1(answers))


@given(masses)
def test_scores_stay_between_zero_and_one(values: list[float]) -> None:
    score = entropy_score(np.array(values))
    assert 0.0 <= score <= 1.0
    assert not math.isnan(score)


@given(masses, st.randoms())
def test_the_order_of_candidates_does_not_matter(values: list[float], random: object) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert abs(entropy_score(np.array(values)) - entropy_score(np.array(shuffled))) < 1e-9


def test_fewer_than_two_candidates_are_not_ambiguous_and_ties_are() -> None:
    assert entropy_score(np.array([])) == 0.0
    assert entropy_score(np.array([5.0])) == 0.0
    assert entropy_score(np.array([3.0, 3.0, 3.0])) == 1.0
    assert entropy_score(np.array([0.0, 0.0])) == 1.0
    assert entropy_score(np.array([np.nan, 1.0])) == 0.0


@given(answer_sets)
def test_merging_equal_answers_never_raises_ambiguity(sets: list[frozenset[int]]) -> None:
    split = posterior([*sets, sets[0]])
    merged_p = [2 / (len(sets) + 1)] + [1 / (len(sets) + 1)] * (len(sets) - 1)
    assert 1 - posterior(sets, merged_p).silent_value <= 1 - split.silent_value + 1e-9


def test_equal_complete_answers_share_a_class_and_truncated_ones_never() -> None:
    terms = (Term("1"), Term("2"))
    answers = [
        Answers(terms),
        Answers(terms[::-1]),
        Answers(terms, truncated=True),
        Answers(terms, truncated=True),
    ]
    p = np.full(4, 0.25)
    assert Posterior([Reading() for _ in answers], answers, p, 0.0, overlap_f1(answers)).classes == [
        0,
        0,
        1,
        2,
    ]


def test_the_silent_answer_is_the_one_with_the_highest_expected_f1() -> None:
    held = posterior([frozenset({1}), frozenset({2, 3}), frozenset({2, 3, 4})], [0.4, 0.3, 0.3])
    assert held.best == 1  # 0.3 + 0.3 * 0.8 = 0.54 beats 0.4
    assert math.isclose(held.silent_value, 0.54)


def test_f1_by_hand() -> None:
    f1 = overlap_f1([Answers((Term("a"), Term("b"))), Answers((Term("b"),)), Answers(())])
    assert math.isclose(f1[0, 1], 2 / 3)
    assert f1[0, 2] == 0.0
    assert f1[2, 2] == 1.0


def test_weights_depend_on_the_breadth_of_the_graph() -> None:
    shipped = load_weights()
    assert shipped.broad is not None
    assert (shipped.at(0.0).reading == shipped.reading).all()
    assert np.allclose(shipped.at(0.5).null, shipped.null + 0.5 * shipped.broad[1])
    again = Weights.from_json(shipped.to_json())
    assert again.broad is not None and np.allclose(again.broad[0], shipped.broad[0])
    bare = Weights.from_json({"reading": {"masked": 2.0}, "null": {}})
    assert bare.at(1.0) is bare and bare.reading.sum() == 2.0


def test_softmax_and_shipped_weights_are_finite() -> None:
    assert math.isclose(softmax(np.array([1000.0, 0.0])).sum(), 1.0)
    weights = load_weights()
    assert np.isfinite(weights.reading).all()
    assert np.isfinite(weights.null).all()
    assert weights.provenance
