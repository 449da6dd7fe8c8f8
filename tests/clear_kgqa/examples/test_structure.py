"""Structural types: the published shapes, and equal types exactly for isomorphic patterns."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clear_kgqa.examples.canonical import canonical_edges
from clear_kgqa.examples.patterns import Triple, query_pattern
from clear_kgqa.examples.structure import LETTERS, shape_name, structural_type
from clear_kgqa_tools.errors import QueryError

DBPEDIA = (
    "PREFIX dbr: <http://dbpedia.org/resource/> PREFIX dbo: <http://dbpedia.org/ontology/> "
    "PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> "
)

PUBLISHED = {
    "SELECT DISTINCT ?uri WHERE { dbr:Dune dbo:author ?uri }": "ans-R-E",
    "SELECT DISTINCT ?uri WHERE { ?uri dbo:author dbr:A . ?uri a dbo:Book }": "ans-R-E, ans type C",
    "SELECT ?uri { ?uri dbo:author dbr:A . dbr:B dbo:published ?uri }": "ans-R-E1, ans-R-E2",
    "SELECT ?u { ?u dbo:author dbr:A . ?u dbo:p dbr:B ; a dbo:C }": "ans-R-E1, ans-R-E2, ans type C",
    "SELECT DISTINCT ?uri { dbr:Dune dbo:author ?x . ?x dbo:birthPlace ?uri }": "E-R-x, x-R-ans",
    "SELECT ?uri { ?x dbo:author dbr:A . ?uri dbo:p ?x . ?uri rdf:type dbo:C }": "E-R-x, x-R-ans, ans type C",
    "SELECT ?uri { ?x dbo:author dbr:A . ?x dbo:p ?uri . ?x rdf:type dbo:C }": "E-R-x, x-R-ans, x type C",
    "ASK WHERE { dbr:Dune dbo:author dbr:Frank_Herbert }": "ASK E-R-E",
}


@pytest.mark.parametrize(("query", "shape"), PUBLISHED.items())
def test_the_published_shapes_get_their_names(query: str, shape: str) -> None:
    assert shape_name(structural_type(DBPEDIA + query)) == shape


def test_the_worked_example_is_type_g() -> None:
    query = (
        "SELECT DISTINCT ?uri WHERE { ?x dbo:director dbr:Stanley_Kubrick . ?x dbo:musicComposer ?uri . "
        "?x rdf:type dbo:Film }"
    )
    assert shape_name(structural_type(DBPEDIA + query)) == LETTERS["G"] == "E-R-x, x-R-ans, x type C"


def test_two_shapes_with_equal_counts_differ() -> None:
    names = [q for q, shape in PUBLISHED.items() if shape.startswith("E-R-x, x-R-ans, ")]
    assert len({structural_type(DBPEDIA + q) for q in names}) == 2


def test_count_is_a_modifier() -> None:
    plain = DBPEDIA + "SELECT ?uri { ?uri dbo:author dbr:A }"
    counted = DBPEDIA + "SELECT (COUNT(DISTINCT ?uri) AS ?n) { ?uri dbo:author dbr:A }"
    assert structural_type(plain) == structural_type(counted)
    assert query_pattern(counted).answers == ("?uri",)
    assert query_pattern(counted).modifiers == ("count",)


def test_names_order_direction_and_layout_do_not_matter() -> None:
    one = "SELECT ?a { <http://e/1> <http://e/p> ?x . ?x <http://e/q> ?a . ?a <http://e/r> ?y }"
    other = "select ?z where { ?z <http://e/r> ?q # why\n. ?m <http://e/p> <http://e/1>; <http://e/q> ?z }"
    assert structural_type(one) == structural_type(other)


def test_paths_are_split_and_turned() -> None:
    pattern = query_pattern("SELECT ?a { <http://e/1> <http://e/p>/^<http://e/q> ?a . ?a <http://e/r>+ ?b }")
    assert pattern.triples == (
        Triple("<http://e/1>", "<http://e/p>", "?_1"),
        Triple("?a", "<http://e/q>", "?_1"),
        Triple("?a", "<http://e/r>+", "?b"),
    )


def test_modifiers_of_every_kind_are_named() -> None:
    pattern = query_pattern(
        "SELECT DISTINCT ?a (MAX(?n) AS ?m) { { ?a <http://e/p> ?n } UNION { ?a <http://e/q> ?n } "
        "OPTIONAL { ?a <http://e/r> ?o } MINUS { ?a <http://e/s> ?o } FILTER NOT EXISTS { ?a ?t ?u } "
        "VALUES ?a { <http://e/1> } BIND(1 AS ?one) } "
        "GROUP BY ?a HAVING (MAX(?n) > 2) ORDER BY ?a LIMIT 3 OFFSET 1"
    )
    assert pattern.modifiers == (
        "bind", "distinct", "filter", "group", "having", "limit", "max", "minus", "not exists", "offset",
        "optional", "order", "union", "values",
    )  # fmt: skip
    assert pattern.answers == ("?a", "?n")
    assert len(pattern.triples) == 5


def test_star_answers_with_every_named_variable() -> None:
    assert query_pattern("SELECT * { ?a <http://e/p> [ <http://e/q> ?b ] }").answers == ("?a", "?b")


def test_a_variable_relation_differs_from_a_fixed_one() -> None:
    fixed = structural_type("SELECT ?a { <http://e/1> <http://e/p> ?a }")
    asked = structural_type("SELECT ?a { <http://e/1> ?a ?x }")
    free = structural_type("SELECT ?a { <http://e/1> ?p ?a }")
    assert len({fixed, asked, free}) == 3


def test_gaps_that_benchmarks_leave_are_closed() -> None:
    query = 'SELECT ?a { ?a <http://e/p> * <http://e/1> FILTER(?a > "1" ^^ <http://e/int>) }'
    assert structural_type(query) == "select: E1-R-ans1"


@pytest.mark.parametrize("query", ["DROP ALL", "SELECT", "SELECT ?a { " + "{" * 40 + "}" * 40 + " }", ""])
def test_what_cannot_be_parsed_is_a_query_error(query: str) -> None:
    with pytest.raises(QueryError):
        structural_type(query)


def test_a_cycle_is_told_from_two_paths() -> None:
    """Six variables in one ring or in two triangles: refinement alone cannot tell them apart."""
    ring = [(i, (i + 1) % 6, "R") for i in range(6)]
    triangles = [(0, 1, "R"), (1, 2, "R"), (2, 0, "R"), (3, 4, "R"), (4, 5, "R"), (5, 3, "R")]
    assert canonical_edges(["x"] * 6, ring) != canonical_edges(["x"] * 6, triangles)


def test_all_orders_of_a_small_cyclic_pattern_agree() -> None:
    edges = [(0, 1, "R"), (1, 2, "R"), (2, 0, "R"), (2, 3, "R")]
    kinds = ["x", "ans", "x", "E"]
    found = set()
    for order in permutations(range(4)):
        moved = [kinds[order.index(i)] for i in range(4)]
        found.add(tuple(canonical_edges(moved, [(order[b], order[a], label) for a, b, label in edges])))
    assert len(found) == 1


def test_a_large_symmetric_pattern_ends() -> None:
    """The complete graph on 12 variables has more symmetries than are searched."""
    edges = [(a, b, "R") for a in range(12) for b in range(a)]
    assert canonical_edges(["x"] * 12, edges) == canonical_edges(["x"] * 12, edges[::-1])
    spokes = [(0, i, "R") for i in range(1, 60)]
    assert canonical_edges(["ans"] + ["E"] * 59, spokes)[0] == "E1-R-ans1"


EDGES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from("RP")), max_size=8)


@settings(max_examples=60, deadline=None)
@given(EDGES, st.permutations(range(6)), st.lists(st.sampled_from(["x", "ans", "E"]), min_size=6, max_size=6))
def test_renumbering_never_changes_the_form(
    edges: list[tuple[int, int, str]], order: list[int], kinds: list[str]
) -> None:
    moved = [kinds[order.index(i)] for i in range(6)]
    renumbered = [(order[b], order[a], label) for a, b, label in reversed(edges)]
    assert canonical_edges(kinds, edges) == canonical_edges(moved, renumbered)
