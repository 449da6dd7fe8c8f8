import math
from typing import Any

import pytest

from clear_kgqa.evaluation.curves import (
    Item,
    area,
    at_budget,
    curve,
    curves,
    entity_menu,
    entropy,
    informed,
    intent_menu,
    reading_menu,
    value,
)  # fmt: skip
from clear_kgqa.evaluation.evidence import Recorded, readings_of, silent_best, steps_of


def reading(p: float, answers: str, entity: str = "e", path: str = "p") -> Recorded:
    return Recorded("", p, frozenset(answers), answers, entity, path)


def item(name: str, *pairs: tuple[Recorded, float]) -> Item:
    return Item(name, [r for r, _ in pairs], [f for _, f in pairs])


# An item whose most probable reading is wrong, one that is sure and right, one that knows nothing.
TORN = item("torn", (reading(0.5, "a", "e1"), 0.0), (reading(0.4, "b", "e2"), 1.0))
SURE = item("sure", (reading(0.9, "a"), 1.0), (reading(0.05, "b"), 0.0))
BLANK = item("blank")


def test_silent_best_is_the_best_expected_answer() -> None:
    assert silent_best(TORN.readings) == 0
    # two readings that share most of their answers beat a single more probable one
    allies = [reading(0.4, "x"), reading(0.3, "abc"), reading(0.3, "abd")]
    assert silent_best(allies) == 1
    assert silent_best([]) is None
    known = item("allies", *((r, 0.0) for r in allies))
    assert known.utility(known.p) == pytest.approx(0.3 + 0.3 * 2 / 3)


def test_menus() -> None:
    assert reading_menu(TORN) == [[0], [1]] and entity_menu(TORN) == [[0], [1]]
    assert intent_menu(TORN) == [[0]]
    many = item("many", *((reading(0.1 + at / 100, str(at)), 0.0) for at in range(7)))
    assert reading_menu(many) == [[6], [5], [4], [3], [2]]


def test_value_of_information() -> None:
    # asking the torn item: 0.5 + 0.4 are then known, before only 0.5
    assert value(TORN, reading_menu(TORN)) == pytest.approx(0.4)
    assert value(SURE, reading_menu(SURE)) == pytest.approx(0.05)
    assert value(TORN, [[0, 1]]) == 0 and value(BLANK, []) == 0


def test_informed() -> None:
    assert informed(TORN, reading_menu(TORN)) == 1
    assert informed(SURE, reading_menu(SURE)) == 1
    assert informed(BLANK, []) == 0
    # nothing offered is right: "none of these" leaves the third reading
    rest = item("rest", (reading(0.5, "a"), 0.0), (reading(0.3, "b"), 0.0), (reading(0.2, "c"), 0.7))
    assert informed(rest, [[0], [1]]) == 0.7


def test_curves_by_hand() -> None:
    items = [SURE, BLANK, TORN]
    assert curve(items, "voi") == pytest.approx([(0, 1 / 3), (1 / 3, 2 / 3), (2 / 3, 2 / 3), (1, 2 / 3)])
    assert curve(items, "random") == pytest.approx([(0, 1 / 3), (1, 2 / 3)])
    assert at_budget(curve(items, "random"), 0.5) == pytest.approx(0.5)
    assert at_budget(curve(items, "margin"), 1) == pytest.approx(2 / 3)
    assert curve([], "voi") == [] and at_budget([], 0.5) == 0


def test_area() -> None:
    assert area([(0.0, 0.0), (1.0, 1.0)], most=1.0) == pytest.approx(0.5)
    assert area([(0.0, 0.4), (0.25, 0.8), (1.0, 0.8)]) == pytest.approx((0.25 * 0.6 + 0.25 * 0.8) / 0.5)
    assert area([]) == 0


def test_entropy() -> None:
    assert entropy([0.5, 0.5]) == pytest.approx(1)
    assert entropy([1.0]) == entropy([]) == entropy([0, 0]) == entropy([0.3, 0]) == 0
    assert entropy([0.9, 0.1]) == pytest.approx(-(0.9 * math.log(0.9) + 0.1 * math.log(0.1)) / math.log(2))


def record(name: str, **more: Any) -> dict[str, Any]:
    readings = [
        {"sparql": "", "p": 0.6, "answers": ["a"], "class": 0, "entity": "e1", "path": "p"},
        {"sparql": "", "p": 0.3, "answers": ["b"], "class": 1, "entity": "e2", "path": "p"},
    ]
    events = [{"event": "scored", "readings": readings}, *more.get("events", [])]
    return {"id": name, "metrics": {"strict": {}}, "asking": {"readings_f1": [0.0, 1.0]}, "events": events}


def test_curves_of_records() -> None:
    out = curves([record("1"), record("2"), {"id": "3", "end": "excluded"}])
    assert out["items"] == 2 and out["silent"] == 0 and out["always"] == 1
    assert out["budgets"]["voi"]["0.5"] == 0.5 and out["areas"]["voi"] == 0.25
    assert curves([])["items"] == 0


def test_only_what_was_known_before_the_first_question_counts() -> None:
    later = {"event": "scored", "readings": [{"sparql": "", "p": 1, "answers": ["z"], "class": 9}]}
    asked = {"event": "asked", "clarification": {"options": []}}
    steps, first = steps_of(record("1", events=[asked, later])["events"])
    assert len(steps) == 1 and len(first) == 2 and first == steps[0].readings
    assert readings_of({"event": "scored"}) == []
