import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from clear_kgqa_tools.label_spelling import Spelling

WORDS = [
    "paris",
    "parish",
    "parsi",
    "spari",
    "london",
    "x",
    "xy",
    "東京都",
    "c++",
    "a" * 32,
    "a" * 33,
    "münchen",
]


@pytest.fixture(scope="module")
def spelling(tmp_path_factory: pytest.TempPathFactory) -> Spelling:
    folder: Path = tmp_path_factory.mktemp("spelling")
    Spelling.write(folder, WORDS)
    return Spelling(folder)


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("paris", ["parish", "parsi"]),
        ("pariss", ["paris", "parish"]),
        ("prais", ["paris"]),
        ("arish", ["parish"]),
        ("londno", ["london"]),
        ("zondon", ["london"]),
        ("東京", ["東京都"]),
        ("東亰都", ["東京都"]),
        ("c+", ["c++"]),
        ("munchen", ["münchen"]),
        ("lodno", []),
        ("a" * 31, ["a" * 32]),
        ("a" * 40, []),
        ("qqqq", []),
    ],
)
def test_words_one_typo_away(spelling: Spelling, word: str, near: list[str]) -> None:
    assert sorted(spelling.near(word)) == sorted(near)


@given(st.text(alphabet=string.ascii_lowercase[:5] + "prisndo東", min_size=1, max_size=8))
def test_it_finds_what_comparing_with_every_word_finds(spelling: Spelling, word: str) -> None:
    expected = [other for other in WORDS if len(other) <= 32 and OSA.distance(word, other) == 1]
    assert sorted(spelling.near(word)) == sorted(expected)


def test_no_words_at_all(tmp_path: Path) -> None:
    Spelling.write(tmp_path, [])
    assert Spelling(tmp_path).near("paris") == []
