import pytest

from clear_kgqa_tools.text import cut, one_line, visible


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("Paris\x1b]52;c;cm0gLXJm\x1b\\", "Paris␛]52;c;cm0gLXJm␛\\"),
        ("\x9b2J", "\\x9b2J"),
        ("\x1b]8;;http://evil\x1b\\", "␛]8;;http://evil␛\\"),
        ("a\u202eb\u2066c\u200e", "a\\u202eb\\u2066c\\u200e"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("one\r\ntwo\rthree", "one\ntwo␍three"),
        ("\x00\x7f", "␀␡"),
        ("half \ud800", "half \\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("René C++ 東京 👩‍👧", "René C++ 東京 👩‍👧"),
    ],
)
def test_controls_are_made_visible_once(raw: str, shown: str) -> None:
    assert visible(raw) == shown
    assert visible(visible(raw)) == shown


def test_a_cut_text_states_its_whole_length() -> None:
    assert cut("x" * 20_000, 5) == "xxxxx… (20,000 characters in all)"
    assert cut("short", 5) == "short"


def test_one_line_has_no_line_ends() -> None:
    assert one_line("a\n\tb\u2028c\x1b") == "a b\\u2028c␛"
