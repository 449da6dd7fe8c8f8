"""A second real engine: Virtuoso, whose text search, caps and error codes are its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clear_kgqa_tools.endpoint import EndpointGraph
from clear_kgqa_tools.endpoint_harvest import add_endpoint
from clear_kgqa_tools.endpoint_search import EndpointSearch
from clear_kgqa_tools.errors import LimitExceeded, QueryError
from clear_kgqa_tools.label_index import LabelIndex
from clear_kgqa_tools.load_profile import load_profile
from clear_kgqa_tools.safety import check
from clear_kgqa_tools.terms import XSD, Term
from tests.tools.virtuoso_server import installed, virtuoso_server

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not installed(), reason="Virtuoso is not installed")]
TURTLE = """
@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:a a ex:City ; rdfs:label "Springfield, Illinois"@en ; ex:population 114000 .
ex:b a ex:City ; rdfs:label "Springfield, Missouri"@en ; ex:population 170000 .
ex:c a ex:City ; rdfs:label "Queen's Park"@en ; ex:near ex:a .
ex:d a ex:City ; rdfs:label "Saint-Étienne, Loire"@en .
ex:City rdfs:label "city"@en .
""" + "\n".join(f'ex:n{n} a ex:City ; rdfs:label "Town {n}"@en .' for n in range(120))  # fmt: skip


@pytest.fixture(scope="module")
def graph() -> Iterator[EndpointGraph]:
    with virtuoso_server(TURTLE) as address:
        yield EndpointGraph(address)


def test_every_form_is_read(graph: EndpointGraph) -> None:
    result = graph.query(check("SELECT ?p { <http://ex.org/a> <http://ex.org/population> ?p }"))
    assert result.rows == [(Term("114000", "literal", XSD + "integer"),)]
    assert graph.query(check("ASK { <http://ex.org/a> ?p ?o }")).boolean is True
    assert graph.query(check("ASK { <http://ex.org/nothing> ?p ?o }")).boolean is False
    assert len(graph.query(check("CONSTRUCT WHERE { <http://ex.org/a> ?p ?o }")).rows) == 3
    assert len(graph.query(check("DESCRIBE <http://ex.org/b>")).rows) == 3


def test_its_cap_is_told_and_its_time_limit_is_a_limit(graph: EndpointGraph) -> None:
    capped = graph.query(check("SELECT ?s { ?s ?p ?o }"))
    assert (len(capped.rows), capped.incomplete) == (50, True) and "caps results at 50 rows" in capped.reason
    with pytest.raises(LimitExceeded, match="own time limit"):
        graph.query(check("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"))


def test_a_fault_of_the_query_is_the_models_to_mend(graph: EndpointGraph) -> None:
    with pytest.raises(QueryError, match="Division by 0"):  # status 500
        graph.query(check("SELECT ?x { BIND(1/0 AS ?x) }"))


def test_names_are_found_by_its_text_search(graph: EndpointGraph) -> None:
    search = EndpointSearch(graph, load_profile("dbpedia"))
    for strange in ("%", "''", "AND OR NOT", "x\"y'z\\", "a' OR 'b", "日本", "ab " * 100):
        assert search.search(strange) == []
    assert {n.label for n in search.search("springfield")} == {"Springfield, Illinois", "Springfield, Missouri"}
    assert [n.label for n in search.search("Saint-Étienne")] == ["Saint-Étienne, Loire"]
    assert [(n.label, n.match) for n in search.search("Queen's Park")] == [("Queen's Park", "label")]
    found = search.search("illinois springfield")
    assert [(n.iri, n.match, n.types) for n in found] == [("http://ex.org/a", "fuzzy", ("city",))]


def test_a_harvest_sees_past_its_cap(graph: EndpointGraph, tmp_path: Path) -> None:
    report = add_endpoint(graph, graph.url, tmp_path / "towns", load_profile("generic"), lambda stage, part: None)
    index = LabelIndex.open(tmp_path / "towns" / "labels")
    assert {f"Town {n}" for n in range(120)} == set(index.exact([f"Town {n}" for n in range(120)]))
    assert report.records >= 125
