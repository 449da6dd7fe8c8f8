from __future__ import annotations

from clear_kgqa.likelihood.context import Described, entity_contexts

FILM = Described("Boom!", ("work", "film"), ("director", "review"), "A film\nof 1968.")
BAND = Described("Boom!", ("work", "band"), ("album", "review"), "An English pop band.")


def test_shared_types_and_properties_are_left_out() -> None:
    assert entity_contexts([FILM, BAND]) == [
        "Boom! (film). has director. A film of 1968.",
        "Boom! (band). has album. An English pop band.",
    ]


def test_a_single_candidate_is_described_in_full() -> None:
    assert entity_contexts([FILM]) == ["Boom! (work, film). has director, review. A film of 1968."]


def test_nothing_known_leaves_the_label() -> None:
    assert entity_contexts([Described("X"), Described("X", ("thing",))]) == ["X", "X (thing)"]
    assert entity_contexts([]) == []


def test_what_only_one_has_and_what_all_have() -> None:
    assert entity_contexts([FILM, BAND, Described("X")], "fits") == [
        "This one has director, review. All have nothing.",
        "This one has album, review. All have nothing.",
        "This one has nothing. All have nothing.",
    ]
    assert entity_contexts([FILM, BAND], "fits")[0] == "This one has director. All have review."
