import pytest

from clear_kgqa.evaluation.values import Mode, Overlap, answers_of, overlap
from clear_kgqa_tools.terms import QueryResult, Term

A, B = "http://x/a", "http://x/b"


@pytest.mark.parametrize(
    ("gold", "predicted", "strict", "lenient"),
    [
        ("1", "1.0", 0, 1),
        ("1", "1e0", 0, 1),
        ("1", '"1"', 0, 1),
        ("-0", "0", 0, 1),
        ("1", '"1"^^xsd:integer', 0, 1),
        ("1000000", "1E6", 0, 1),
        ("1", "2", 0, 0),
        ("007", "7", 0, 1),
        ("1", "true", 0, 0),
        ("2001-05-03", "2001-05-03T00:00:00Z", 0, 1),
        ("2001-05-03", "+2001-05-03T00:00:00", 0, 1),
        ("2001-05-03", "2001-05-03T12:00:00Z", 0, 0),
        ("-0044-03-15", "-0044-03-15T00:00:00Z", 0, 1),
        ("x", '"x"@en', 0, 1),
        ("x", '"x"@de-AT', 0, 1),
        ("x", "x ", 0, 1),
        ("x", "X", 0, 0),
        ("x", "x", 1, 1),
        (A, f"<{A}>", 0, 1),
        ("Caf\u00e9", "Cafe\u0301", 0, 1),
        ("a | b", "b | a", 1, 1),
        ("a | 1", "1.0 | a", 0, 1),
    ],
)
def test_single_answers(gold: str, predicted: str, strict: int, lenient: int) -> None:
    assert overlap([gold], [predicted], "strict").shared == strict
    assert overlap([gold], [predicted], "lenient").shared == lenient


@pytest.mark.parametrize("mode", ["strict", "lenient"])
def test_sets(mode: Mode) -> None:
    assert overlap(["a", "b", "b"], ["b", "c", "b", "b"], mode) == Overlap(2, 2, 1)
    assert overlap([], ["a"], mode) == Overlap(0, 1, 0)
    assert overlap(["a"], [], mode) == Overlap(1, 0, 0)
    assert overlap([], [], mode) == Overlap(0, 0, 0)


def test_columns_are_reordered_for_all_rows_at_once() -> None:
    assert overlap(["a | b", "c | d"], ["b | a", "d | c"]) == Overlap(2, 2, 2)
    assert overlap(["a | b", "c | d"], ["b | a", "c | d"]).shared == 1


def test_a_label_column_is_not_punished_in_lenient_mode() -> None:
    labelled = [f"{A} | Anna", f"{B} | Berta"]
    assert overlap([A, B], labelled, "lenient") == Overlap(2, 2, 2)
    assert overlap(labelled, [B], "lenient") == Overlap(2, 1, 1)
    assert overlap([A, B], labelled, "strict") == Overlap(2, 2, 0)


def test_other_columns_are_punished_in_lenient_mode_too() -> None:
    assert overlap([A], [f"{A} | 12"], "lenient").shared == 0
    assert overlap([A], [f"{A} | Anna | anna@x.org"], "lenient").shared == 0
    assert overlap(["Anna"], ["Anna | Berta"], "lenient").shared == 0


def test_unbound_cells_are_left_out() -> None:
    rows = [
        (Term(A, "iri"), None, Term("x")),
        (Term(A, "iri"), None, Term("x")),
        (None, None, None),
        (Term(B, "iri"), Term("1"), Term("y")),
    ]
    answers = answers_of(QueryResult("select", ("a", "b", "c"), rows))
    assert answers == (f"{A} | x", f"{B} | 1 | y")
    assert overlap(answers, [f"x | {A}", f"{B} | 1 | y"]) == Overlap(2, 2, 2)
    assert overlap(answers, [f"{A} |  | x", f"{B} | 1 | y"]) == Overlap(2, 2, 2)


def test_ask() -> None:
    assert answers_of(QueryResult("ask", boolean=True)) == ("true",)
    assert answers_of(QueryResult("ask", boolean=False)) == ("false",)
