import pytest
from hypothesis import given
from hypothesis import strategies as st

from clear_kgqa_tools.folding import fold, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("René", "Rene"),
        ("PARIS", "paris"),
        ("Rene\u0301", "René"),
        ("Straße", "STRASSE"),
        ("Ｃ＋＋", "C++"),
        ("Łódź", "Lodz"),
        ("Ærø", "Aero"),
        ("İstanbul", "istanbul"),
        ("Москва́", "москва"),
        ("Ὀδυσσεύς", "οδυσσευσ"),
        ("rock ’n’ roll", "rock 'n' roll"),
        ("rock ´n´ roll", "rock 'n' roll"),
        ("“Heroes”", '"Heroes"'),
        ("Jean–Luc", "Jean Luc"),
        ("Coca-Cola", "coca cola"),
        ("New_York  City", "New York City"),
        ("soft\u00adhyphen", "softhyphen"),
        ("a\x1b\tb", "a b"),
        ("\u202eParis", "Paris"),
        ("ﬁlm", "film"),
    ],
)
def test_what_people_write_alike_is_one_name(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_symbols_make_names_of_their_own() -> None:
    assert len({fold(name) for name in ("C", "C++", "C#", "!!!", "???", "-", "_", "'")}) == 8


def test_voicing_marks_of_japanese_are_letters() -> None:
    assert fold("が") != fold("か")
    assert fold("か\u3099") == fold("が")


def test_nothing_is_left_of_nothing() -> None:
    assert [fold(text) for text in ("", "  ", "\x00", "\u200b")] == ["", "", "", ""]


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_words_lose_punctuation_but_not_names_made_of_it() -> None:
    assert words(fold('Paris, "France" (C++) !!!')) == ["paris", "france", "c++", "!!!"]
