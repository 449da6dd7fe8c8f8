"""Reference queries whose result depends on ties, chance, time or elsewhere are flagged."""

from __future__ import annotations

import pytest

from clear_kgqa.nlkgq.determinism import flags, reference
from clear_kgqa_tools.embedded import EmbeddedGraph
from clear_kgqa_tools.errors import QueryError

P = "PREFIX e: <http://e/> "


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("SELECT ?a { ?a e:size ?n }", ()),
        ("SELECT ?a { ?a e:size ?n } LIMIT 2", ("limit without order",)),
        ("SELECT ?a { ?a e:size ?n } ORDER BY ?n LIMIT 2", ("order may tie",)),
        ("SELECT ?a { { SELECT ?a { ?a e:size ?n } LIMIT 1 } }", ("limit without order",)),
        (
            "SELECT (SAMPLE(?a) AS ?x) (GROUP_CONCAT(?n) AS ?y) { ?a e:size ?n }",
            ("concatenation order", "sample"),
        ),
        (
            "SELECT REDUCED ?a { ?a e:size ?n FILTER(RAND() > 0.5 && NOW() > ?n) }",
            ("random", "reduced", "time"),
        ),
        ("ASK { ?a e:size 3 }", ()),
    ],
)
def test_the_text_alone_raises_flags(query: str, found: tuple[str, ...]) -> None:
    assert flags(P + query) == found


def names(rows: tuple[tuple[object, ...], ...]) -> list[str]:
    return [row[0].value for row in rows]  # type: ignore[attr-defined]


def test_a_cut_between_different_keys_is_deterministic(graph: EmbeddedGraph) -> None:
    found = reference(P + "SELECT ?name { ?a e:size ?n ; e:name ?name } ORDER BY DESC(?n) LIMIT 2", graph)
    assert found.flags == ()
    assert found.columns == ("name",)
    assert names(found.sure) == ["A", "B"]
    assert found.tied == ()


@pytest.mark.parametrize("columns", ["?name", "?name ?n", "DISTINCT ?name", "*"])
def test_a_cut_between_equal_keys_ties(graph: EmbeddedGraph, columns: str) -> None:
    query = f"SELECT {columns} {{ ?a e:size ?n ; e:name ?name }} ORDER BY DESC(?n) LIMIT 3"
    found = reference(P + query, graph)
    at = found.columns.index("name")
    assert found.flags == ("order ties",)
    assert [row[at].value for row in found.sure if row[at]] == ["A", "B"]
    assert sorted(row[at].value for row in found.tied if row[at]) == ["C", "D"]
    assert found.size == 3


def test_an_offset_cuts_too(graph: EmbeddedGraph) -> None:
    query = "SELECT ?name { ?a e:size ?n ; e:name ?name } ORDER BY DESC(?n) OFFSET 3"
    found = reference(P + query, graph)
    assert found.flags == ("order ties",)
    assert names(found.sure) == ["F"]
    assert sorted(names(found.tied)) == ["C", "D"]
    assert found.size == 2


def test_without_order_every_row_ties_unless_all_are_taken(graph: EmbeddedGraph) -> None:
    found = reference(P + "SELECT ?name { ?a e:name ?name } LIMIT 2", graph)
    assert found.flags == ("limit without order",)
    assert found.sure == ()
    assert sorted(names(found.tied)) == ["A", "B", "C", "D", "F"]
    everything = reference(P + "SELECT ?name { ?a e:name ?name } LIMIT 5", graph)
    assert everything.flags == ()
    assert len(everything.sure) == 5


def test_an_order_by_an_aggregate_is_followed(graph: EmbeddedGraph) -> None:
    """Two nodes have size 3 (Oxigraph keeps 3.0 as 3), one each has the others."""
    query = "SELECT ?n { ?a e:size ?v BIND(STR(?v) AS ?n) } GROUP BY ?n ORDER BY DESC(COUNT(?a)) LIMIT "
    assert reference(P + query + "1", graph).flags == ()
    assert names(reference(P + query + "1", graph).sure) == ["3"]
    assert reference(P + query + "2", graph).flags == ("order ties",)


def test_equal_rows_on_both_sides_of_a_cut_do_not_tie(graph: EmbeddedGraph) -> None:
    found = reference(P + "SELECT ?one { ?a e:size ?n BIND(1 AS ?one) } LIMIT 2", graph)
    assert found.flags == ()
    assert len(found.sure) == found.size == 2


def test_inner_cuts_and_other_causes_stay_flagged(graph: EmbeddedGraph) -> None:
    query = "SELECT ?name { { SELECT ?a { ?a e:size ?n } LIMIT 1 } ?a e:name ?name } LIMIT 5"
    assert reference(P + query, graph).flags == ("limit without order",)


def test_a_query_that_is_refused_is_a_query_error() -> None:
    with pytest.raises(QueryError):
        flags("DROP ALL")
