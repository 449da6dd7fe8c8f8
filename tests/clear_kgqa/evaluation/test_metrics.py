import pytest

from clear_kgqa.evaluation.metrics import (
    Scores,
    accuracy,
    average,
    bleu,
    exact_match,
    f1,
    qald_f1,
    score_answers,
)


def numbers(gold: list[str], predicted: list[str]) -> tuple[float, ...]:
    s = score_answers(gold, predicted)
    return s.precision, s.recall, s.f1, s.rhits1, s.em, s.match


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ([], [], (1, 1, 1, 1, 1, 1)),
        ([], ["a"], (0, 1, 0, 0, 0, 0)),
        (["a"], [], (0, 0, 0, 0, 0, 0)),
        (["a"], ["a"], (1, 1, 1, 1, 1, 1)),
        (["a"], ["b"], (0, 0, 0, 0, 0, 0)),
        (["a", "b"], ["a"], (1, 0.5, 2 / 3, 1, 1, 0)),
        (["a"], ["a", "b", "c", "d"], (0.25, 1, 0.4, 0.25, 1, 0)),
        (["a", "b", "c"], ["b", "c", "d", "e"], (0.5, 2 / 3, 4 / 7, 0.5, 1, 0)),
        (["a", "b"], ["b", "a", "a"], (1, 1, 1, 1, 1, 1)),
    ],
)
def test_hand_computed(gold: list[str], predicted: list[str], expected: tuple[float, ...]) -> None:
    assert numbers(gold, predicted) == pytest.approx(expected)


def test_f1_of_zeros() -> None:
    assert f1(0, 0) == 0


def test_exact_match_ignores_case_punctuation_and_articles() -> None:
    assert exact_match(["The Beatles"], ["beatles!"]) == 1
    assert exact_match(["St. Louis"], ["St Louis", "x"]) == 1
    assert exact_match(["Theatre"], ["atre"]) == 0
    assert exact_match([], ["a"]) == exact_match(["a"], []) == 0
    assert exact_match(["1"], ["1.0"]) == 1
    assert exact_match(["10"], ["1.0"]) == 0


def test_strict_f1_compares_lexical_forms_and_lenient_f1_values() -> None:
    strict, lenient = score_answers(["1"], ["1.0"], "strict"), score_answers(["1"], ["1.0"], "lenient")
    assert (strict.f1, strict.match, strict.em) == (0, 0, 1)
    assert (lenient.f1, lenient.match, lenient.em) == (1, 1, 1)


def test_qald_f1_combines_the_means() -> None:
    # right, silent, wrong, half: precisions 1, 1 (empty), 0, 1; recalls 1, 0, 0, 1/2
    scores = [score_answers(g, p) for g, p in [(["a"], ["a"]), (["a"], []), (["a"], ["b"]), (["a", "b"], ["a"])]]
    assert qald_f1(scores) == pytest.approx(2 * 0.75 * 0.375 / (0.75 + 0.375))
    assert average(scores)["f1"] == pytest.approx((1 + 0 + 0 + 2 / 3) / 4, abs=1e-6)


def test_qald_f1_empty_cases() -> None:
    assert qald_f1([score_answers([], [])]) == 1
    assert qald_f1([score_answers([], ["a"])]) == 0  # GERBIL: precision and recall 0, although our recall is 1
    assert qald_f1([score_answers(["a"], [])]) == 0
    assert qald_f1([]) == 0


def test_averages_and_accuracy() -> None:
    scores = [score_answers(["a"], ["a"]), score_answers(["a", "b"], ["a"])]
    assert accuracy(scores) == 0.5
    assert average(scores) == {
        "f1": 0.833333,
        "precision": 1,
        "recall": 0.75,
        "rhits1": 1,
        "em": 1,
        "match": 0.5,
        "accuracy": 0.5,
        "qald_f1": round(2 * 1 * 0.75 / 1.75, 6),
    }
    assert average([])["f1"] == 0


def test_json_is_rounded() -> None:
    assert Scores(1 / 3, 0, 0, 0, 0, 0, 0, 0).to_json()["precision"] == 0.333333


def test_bleu() -> None:
    query = "SELECT ?x WHERE { <http://x/a> <http://x/p> ?x }"
    assert bleu([query], [query.replace(" ", "\n ")]) == pytest.approx(100)
    assert bleu([query], ["ASK { }"]) < 10
    assert bleu([], []) == 0
