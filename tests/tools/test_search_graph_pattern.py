import json
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest

from clear_kgqa_tools.build import build_graph
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.graph import Limits
from clear_kgqa_tools.lexical import LexicalSimilarity
from clear_kgqa_tools.nodes import Pattern
from clear_kgqa_tools.open_bundle import open_folder
from clear_kgqa_tools.search_graph_pattern import EDGES_PER_NODE, SearchGraphPattern

TURTLE = """
@prefix : <http://o/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:directed owl:inverseOf :director . :marriedTo a owl:SymmetricProperty .
:alien a :Film ; rdfs:label "Alien" ; :director :scott ; :released 1979 ;
    :cast [ :actor :weaver ; :character "Ripley" ] .
:scott a :Person ; rdfs:label "Ridley Scott" ; :directed :alien ; :birthPlace :shields .
:weaver a :Person ; rdfs:label "Sigourney Weaver\\u001b[2J" ; :marriedTo :simpson .
:simpson rdfs:label "Jim Simpson" ; :marriedTo :weaver . :shields rdfs:label "South Shields" .
:hub rdfs:label "Hub" ; :near :shields .
"""
FANS = 3 * EDGES_PER_NODE


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphBundle]:
    folder = tmp_path_factory.mktemp("graphs") / "films"
    node = ox.NamedNode
    quads = [
        *ox.parse(TURTLE, format=ox.RdfFormat.TURTLE),
        *(ox.Quad(node(f"http://o/fan{n}"), node("http://o/likes"), node("http://o/hub")) for n in range(FANS)),
        ox.Quad(node("http://o/one"), node("http://o/dislikes"), node("http://o/hub")),
    ]
    build_graph(quads, folder)
    opened = open_folder("films", folder, Limits(), LexicalSimilarity())
    yield opened
    opened.close()


@pytest.fixture
def search(bundle: GraphBundle) -> SearchGraphPattern:
    return SearchGraphPattern(bundle)


def path(pattern: Pattern) -> str:
    return " ".join(
        ("" if hop.direction == "out" else "^") + hop.property.removeprefix("http://o/") for hop in pattern.hops
    )


def paths(patterns: list[Pattern]) -> dict[str, Pattern]:
    return {path(p): p for p in patterns}


def test_one_hop_both_ways_and_two_hops_at_mediators(search: SearchGraphPattern) -> None:
    found = search.around(["http://o/alien", "http://o/weaver", "http://o/nothing"])
    alien = paths(found["http://o/alien"])
    assert set(alien) == {
        "director",
        "released",
        "cast",
        "cast actor",
        "cast character",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
    }
    assert (
        alien["cast actor"].sample_label == "Sigourney Weaver\x1b[2J"
        and alien["cast character"].sample_label == "Ripley"
    )
    assert alien["director"].sample_label == "Ridley Scott" and alien["director"].count == 1
    assert {"^actor", "^actor character", "^actor ^cast", "marriedTo"} <= set(paths(found["http://o/weaver"]))
    assert paths(found["http://o/weaver"])["^actor ^cast"].sample_label == "Alien"
    assert found["http://o/nothing"] == []


def test_inverse_and_symmetric_pairs_are_merged(search: SearchGraphPattern) -> None:
    found = search.around(["http://o/alien", "http://o/scott", "http://o/simpson"])
    assert "^directed" not in paths(found["http://o/alien"])
    assert "^director" not in paths(found["http://o/scott"]) and "directed" in paths(found["http://o/scott"])
    assert "^marriedTo" not in paths(found["http://o/simpson"])


def test_hubs_are_bounded_and_rare_properties_still_found(search: SearchGraphPattern) -> None:
    hub = paths(search.around(["http://o/hub"])["http://o/hub"])
    assert hub["^likes"].capped and hub["^likes"].count <= EDGES_PER_NODE
    assert hub["^dislikes"].count == 1
    assert not hub["near"].capped


def test_ranking_by_meaning_counts_and_samples(search: SearchGraphPattern) -> None:
    found = search("?e a <http://o/Film>", "director of the film", k=2)
    assert path(found[0]) == "director" and len(found) == 2
    assert found[0].score > found[1].score
    assert found[0].node == "http://o/alien"


def test_several_nodes_are_summed(search: SearchGraphPattern) -> None:
    found = paths(search("?e a <http://o/Person>", "born"))
    assert found["birthPlace"].node == "?e"
    assert found["http://www.w3.org/1999/02/22-rdf-syntax-ns#type"].count == 2


def test_whole_queries_and_prefixes_are_taken(search: SearchGraphPattern) -> None:
    whole = search("PREFIX o: <http://o/> SELECT ?e WHERE { ?e o:directed ?f }", "birth place", k=1)
    body = search('?e rdfs:label "Ridley Scott"', "birth place", k=1)
    assert path(whole[0]) == path(body[0]) == "birthPlace"


@pytest.mark.parametrize(
    "sparql",
    [
        "?e ?p ?o } ; DROP ALL #",
        "SERVICE <http://127.0.0.1:1/> { ?e ?p ?o }",
        "?e ?p",
        "?x ?p ?o",
        "?s <http://o/released> ?e",
        "?s <http://o/cast> ?e",
        "SELECT ?x WHERE { ?x ?p ?o }",
        "INSERT DATA { <a:a> <a:b> <a:c> }",
    ],
)
def test_refused_wrong_or_without_nodes(search: SearchGraphPattern, sparql: str) -> None:
    with pytest.raises(QueryError) as error:
        search(sparql, "anything")
    assert "\n" not in str(error.value)


def test_nothing_found_is_said(search: SearchGraphPattern) -> None:
    assert search("?e a <http://o/Robot>", "anything") == []
    assert search.render([]).startswith("No patterns")


def test_render_gives_triples_and_no_raw_control(search: SearchGraphPattern) -> None:
    text = search.render(search("VALUES ?e { <http://o/alien> }", "cast actor", k=10))
    lines = [json.loads(line) for line in text.splitlines()[1:]]
    actor = next(line for line in lines if line["meaning"] == "cast, actor")
    assert actor["pattern"] == "?e <http://o/cast> ?m . ?m <http://o/actor> ?x"
    assert actor["sample"] == "<http://o/weaver>" and "\x1b" not in text


def test_an_iri_that_would_break_out_of_the_query_is_escaped(search: SearchGraphPattern) -> None:
    evil = "http://o/x> ?p ?o } DROP ALL #"
    assert search.around([evil]) == {evil: []}


def test_hidden_properties_are_left_out(search: SearchGraphPattern, tmp_path: Path) -> None:
    hidden = {"http://www.w3.org/2000/01/rdf-schema#label"}
    shown = {hop.property for p in search.around(["http://o/scott"])["http://o/scott"] for hop in p.hops}
    assert shown and not shown & hidden
