"""Queries that answer several readings at once, run on a real store."""

from __future__ import annotations

import pyoxigraph

from clear_kgqa.ambiguity.united import united_query
from clear_kgqa.readings.reading import Anchor, Reading
from clear_kgqa_tools.nodes import Hop, Node

EX = "http://ex.org/"
TURTLE = "@prefix ex: <http://ex.org/> . ex:a ex:size 2, 3 ; ex:near ex:b . ex:b ex:size 1 ."


def reading(name: str, form: str, prop: str = "size", target: str = "") -> Reading:
    anchor = Anchor(Node(EX + name, 'Same "name"'), (0, 4), (Hop(EX + prop, prop, "out"),))
    end = Anchor(Node(EX + target, target), (5, 6), ()) if target else None
    return Reading((anchor,), form=form, target=end)  # type: ignore[arg-type]


def rows(*readings: Reading, names: dict[str, str] | None = None) -> list[tuple[str, str]]:
    store = pyoxigraph.Store()
    store.load(TURTLE.encode(), pyoxigraph.RdfFormat.TURTLE)
    return [(x.value, option.value) for x, option in store.query(united_query(readings, names or {}))]  # type: ignore


def test_values_come_in_the_order_of_the_options() -> None:
    names = {EX + "a": "A (first)", EX + "b": "B (second)"}
    found = rows(reading("b", "select"), reading("a", "select"), names=names)
    assert found[0] == ("1", "B (second)")
    assert sorted(found[1:]) == [("2", "A (first)"), ("3", "A (first)")]


def test_counts_and_yes_or_no() -> None:
    names = {EX + "a": "A", EX + "b": "B"}
    assert rows(reading("a", "count"), reading("b", "count"), names=names) == [("2", "A"), ("1", "B")]
    asks = rows(reading("a", "ask", "near", "b"), reading("b", "ask", "near", "a"))
    assert [x for x, _ in asks] == ["true", "false"]


def test_what_only_the_path_tells_apart_is_told_in_a_line() -> None:
    found = rows(reading("a", "select", "near"), reading("a", "count"))
    assert found == [(EX + "b", 'Near of Same "name"'), ("2", 'How many: size of Same "name"')]
