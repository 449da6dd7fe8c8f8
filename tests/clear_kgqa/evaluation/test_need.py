import pytest

from clear_kgqa.evaluation.need import topic_entities
from clear_kgqa.evaluation.samples import Sample
from clear_kgqa_tools.bundle import GraphBundle

P = "PREFIX ex: <http://ex.org/> "
EX = "http://ex.org/"


@pytest.mark.parametrize(
    ("sparql", "intended", "named"),
    [
        ("SELECT ?x { ex:france ex:capital ?x }", "", {"france"}),
        ("SELECT ?x { ?x a ex:City ; ex:country ex:france }", "", {"france"}),
        ("SELECT ?x { ?x a ex:City }", "", set()),
        ("SELECT ?x { ?x a/<http://www.w3.org/2000/01/rdf-schema#subClassOf>* ex:City }", "", set()),
        ("SELECT ?x { ?t <http://www.w3.org/2000/01/rdf-schema#subClassOf>* ex:City . ?x a ?t }", "", set()),
        ("ASK { ex:lyon ex:country ex:spain }", "", {"lyon", "spain"}),
        ("SELECT ?p { VALUES ?x { ex:lyon ex:nice } ?x ex:population ?p }", "", {"lyon", "nice"}),
        ("SELECT ?x { ex:nowhere ex:capital ?x }", "", set()),
        ("SELECT ?x { ex:georgia ex:capital ?x }", EX + "georgiaUS", {"georgiaUS"}),
        ("SELECT {", "", set()),
    ],
)
def test_a_gold_query_is_about_its_nodes_but_not_its_classes(
    bundle: GraphBundle, sparql: str, intended: str, named: set[str]
) -> None:
    found = topic_entities(Sample("1", "?", P + sparql, intended=intended), bundle)
    assert {n.iri for n in found} == {EX + name for name in named}


def test_without_a_gold_query_nothing_is_known(bundle: GraphBundle) -> None:
    assert topic_entities(Sample("1", "?", "", ("Paris",)), bundle) == []
