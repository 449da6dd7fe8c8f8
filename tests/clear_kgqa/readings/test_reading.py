"""Readings compose their queries from terms, never from names."""

from __future__ import annotations

from clear_kgqa.readings.paths import PropertySpace
from clear_kgqa.readings.question import View
from clear_kgqa.readings.reading import Anchor, Order, Reading, TypeConstraint, ValueFilter
from clear_kgqa.readings.words import tokenize
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.nodes import Hop, Node
from clear_kgqa_tools.safety import check
from clear_kgqa_tools.terms import XSD, Term

EVIL = 'http://ex.org/a> ?x . } # "'


def _anchor(iri: str = "http://ex.org/kenya", direction: str = "in") -> Anchor:
    hop = Hop("http://ex.org/country", "located in", direction)  # type: ignore[arg-type]
    return Anchor(Node(iri, "Kenya"), (10, 15), (hop,))


def test_a_count_of_bounded_instances() -> None:
    number = Term("500000", "literal", XSD + "integer")
    bound = ValueFilter((Hop("http://ex.org/population", "population", "out"),), ">", number, (20, 30))
    city = TypeConstraint("http://ex.org/City", "city", "http://ex.org/type", (0, 4))
    reading = Reading((_anchor(),), type=city, filters=(bound,), form="count")
    assert reading.query == (
        "SELECT (COUNT(DISTINCT ?x) AS ?count) WHERE { ?x <http://ex.org/country> <http://ex.org/kenya> . "
        "?x <http://ex.org/type> <http://ex.org/City> . ?x <http://ex.org/population> ?f0 . "
        'FILTER(?f0 > "500000"^^<http://www.w3.org/2001/XMLSchema#integer>) }'
    )
    assert reading.line() == "How many: city that is located in Kenya, with population > 500000"


def test_an_iri_cannot_leave_its_brackets() -> None:
    query = Reading((_anchor(EVIL),)).query
    assert "<http://ex.org/a%3E%20?x%20.%20%7D%20#%20%22>" in query
    assert check(query).form == "select"


def test_order_and_rank() -> None:
    order = Order((Hop("http://ex.org/population", "population", "out"),), True, 1, (0, 7), offset=1)
    query = Reading((_anchor(),), order=order).query
    assert query.endswith("GROUP BY ?x ORDER BY DESC(MAX(?v)) ?x LIMIT 1 OFFSET 1")


def test_yes_no_between_two_entities() -> None:
    target = Anchor(Node("http://ex.org/fr", "France"), (0, 3), ())
    assert Reading((_anchor(direction="out"),), target=target, form="ask").query == (
        "ASK { <http://ex.org/kenya> <http://ex.org/country> <http://ex.org/fr> . }"
    )


def test_a_synonym_names_a_property_and_a_word_counts_for_one_hop_only(bundle: GraphBundle) -> None:
    view = View(tokenize("Which filmmaker made it"), PropertySpace(bundle))
    director = Hop("http://ex.org/director", "director", "out")
    assert view.named((director,)) == 0.0
    assert view.meant((director,)) == 1.0
    assert view.reaches(director.property) >= {len("Which ")}
    assert view.explains(director.property) == frozenset()


def test_breadth_counts_the_properties_of_a_graph(bundle: GraphBundle) -> None:
    assert PropertySpace(bundle).breadth == 0.0
