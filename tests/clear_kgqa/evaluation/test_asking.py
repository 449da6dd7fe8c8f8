from collections.abc import Sequence
from typing import Any

import pytest

from clear_kgqa.evaluation.asking import Ask, asking_of
from clear_kgqa.evaluation.metrics import answer_f1

ON_GRAPH = {"all": ("a", "b", "c"), "other": ("z",)}


def answers(sparql: str) -> tuple[str, ...]:
    return ON_GRAPH.get(sparql, ())


def scored(*readings: tuple[float, str], **more: Any) -> dict[str, Any]:
    made = [
        {
            "sparql": f"q{found}",
            "p": p,
            "answers": list(found),
            "class": at,
            "entity": f"e{at}",
            "path": "p",
            **more,
        }
        for at, (p, found) in enumerate(readings)
    ]
    return {"event": "scored", "readings": made, "scores": []}


def asked(*options: dict[str, Any]) -> dict[str, Any]:
    return {
        "event": "asked",
        "clarification": {"options": [{"iri": "", "sparql": "", "readings": (), **o} for o in options]},
    }


def judge(events: list[dict[str, Any]], final: Sequence[str], gold: Sequence[str]) -> Any:
    return asking_of(events, final, lambda found: answer_f1(gold, found), answers)


def test_an_ask_that_helps() -> None:
    found = judge([scored((0.6, "x"), (0.3, "a")), asked({"readings": (0,)}, {"readings": (1,)})], ["a"], ["a"])
    assert found.asks == [Ask(True, True, 1.0)] and found.silent_f1 == 0 and not found.missed
    assert found.readings_f1 == [0, 1]


def test_an_ask_that_harms_and_one_that_changes_nothing() -> None:
    events = [
        scored((0.6, "a"), (0.3, "x")), asked({"readings": (0,)}, {"readings": (1,)}),
        scored((0.2, "a"), (0.7, "x")), asked({"iri": "e0"}, {"iri": "e1"}),
    ]  # fmt: skip
    found = judge(events, ["x"], ["a"])
    assert found.asks == [Ask(True, True, -1.0), Ask(True, False, 0.0)] and found.silent_f1 == 1


def test_options_that_answer_alike_do_not_diverge() -> None:
    same = [{"sparql": "all"}, {"sparql": "all"}]
    assert judge([scored((0.6, "a")), asked(*same)], ["a"], ["a"]).asks[0].divergent is False
    assert judge([asked({"sparql": "all"}, {"sparql": "other"})], [], ["a"]).asks[0].divergent is True
    event = scored((0.5, "a"), (0.4, "a"))
    event["readings"][1]["class"] = 0
    assert judge([event, asked({"readings": (0,)}, {"readings": (1,)})], ["a"], ["a"]).asks[0].divergent is False


def test_what_is_not_recorded_is_not_guessed() -> None:
    found = judge([asked({"iri": "e0"}, {"iri": "e1"})], ["a"], ["a"])
    assert found.asks == [Ask(None, None, None)] and found.silent_f1 is None


def test_a_missed_ask() -> None:
    assert judge([scored((0.6, "x"), (0.3, "a"))], ["x"], ["a"]).missed
    assert not judge([scored((0.6, "x"), (0.3, "y"))], ["x"], ["a"]).missed
    assert not judge([scored((0.6, "a"), (0.3, "x"))], ["a"], ["a"]).missed
    assert not judge([], ["x"], ["a"]).missed


def test_shortened_answers_are_run_on_the_graph() -> None:
    event = scored((0.6, "x"), (0.3, "a"))
    event["readings"][1] |= {"sparql": "all", "truncated": True}
    found = judge([event], ["x"], ["a", "b", "c"])
    assert found.missed and found.readings_f1 == [0, 1]


def test_the_answer_that_the_plugin_would_have_given_is_taken_where_it_says_so() -> None:
    event = scored((0.6, "x"), (0.3, "a"))
    event["readings"][1]["silent"] = True
    found = judge([event, asked({"readings": (0,)}, {"readings": (1,)})], ["a"], ["a"])
    assert found.asks[0] == Ask(True, False, 0.0) and found.silent_f1 == pytest.approx(1)
