import pytest

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.evaluation.gold import Gold
from clear_kgqa.evaluation.need import describer, fitting_by_text, need_of, topic_entities
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


@pytest.mark.parametrize(
    ("sparql", "labels", "meant"),
    [
        (
            "SELECT ?c { ex:spain ex:neighbour ?n . ?n ex:capital ?c }",
            ["Neighbour of Spain", "Capital of neighbour of Spain", "Capital of Spain"],
            1,
        ),
        ("SELECT ?p { ex:lyon ex:population ?p }", ["Country of Lyon", "Population of Lyon"], 1),
        ("SELECT ?p { ex:lyon ex:population ?p }", ["What is directed by Michael Mann", "Cast of Heat"], None),
    ],
)
def test_who_reads_labels_takes_the_option_that_says_all_of_it(
    bundle: GraphBundle, sparql: str, labels: list[str], meant: int | None
) -> None:
    need = need_of(Sample("1", "?", P + sparql), Gold((), "stored"), describer(bundle))
    asked = Clarification("c1", "intent", "intent", "?", tuple(Option("", label) for label in labels))
    assert fitting_by_text(need, asked) == meant


def test_who_reads_labels_tells_shared_names_apart_by_what_stands_beside_them(bundle: GraphBundle) -> None:
    need = need_of(
        Sample("1", "?", P + "SELECT ?p { ex:springfieldMO ex:population ?p }"), Gold((), "stored"), describer(bundle)
    )
    options = tuple(Option("", "Springfield", "city", f"city in {state}") for state in ("Illinois", "Missouri"))
    assert fitting_by_text(need, Clarification("c1", "entity:s", "entity", "?", options)) == 1
