"""The ontology text: valid Turtle, within its budget, the relevant part first kept."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clear_kgqa.nlkgq.ontology import estimated_tokens, given_ontology, ontology_text
from clear_kgqa.nlkgq.ontology_file import read_ontology
from clear_kgqa.nlkgq.wrapper import NAMESPACE, PREFIX, wrapper_of
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.lexical import LexicalSimilarity
from clear_kgqa_tools.schema import Class, Property, Schema

E = "http://e/"
SCHEMA = Schema(
    properties=(
        Property(
            E + "author",
            "author",
            comment="Who wrote it.",
            domains=(E + "Book",),
            ranges=(E + "Person",),
            count=12,
        ),
        Property(E + "pages", "number of pages", domains=(E + "Book",), count=9, values="number"),
        Property(E + "born", "date of birth", domains=(E + "Person",), values="date"),
        Property(E + "x.y", 'odd "label"\n@prefix', comment="e:evil . # not a comment", values="text"),
        Property(E + "any", "anything", values="mixed"),
        *(Property(f"{E}other{i}", f"unrelated matter {i}", comment="long text " * 40) for i in range(60)),
    ),
    classes=(
        Class(E + "Book", "book", comment="A written work.", count=1234, parents=(E + "Work",)),
        Class(E + "Person", "person"),
        Class(E + "Planet", "planet"),
    ),
)


def parsed(text: str) -> set[tuple[str, str, str]]:
    quads = pyoxigraph.parse(text.encode(), pyoxigraph.RdfFormat.TURTLE)
    return {(q.subject.value, q.predicate.value, getattr(q.object, "value", "")) for q in quads}


def test_the_whole_ontology_where_it_fits() -> None:
    found = ontology_text(SCHEMA, "Who wrote Dune?", LexicalSimilarity(), 100_000, {"e": E})
    triples = parsed(found.text)
    assert found.left_out == 0
    rdfs = "http://www.w3.org/2000/01/rdf-schema#"
    assert (E + "author", rdfs + "domain", E + "Book") in triples
    assert (E + "author", rdfs + "range", E + "Person") in triples
    assert (E + "author", rdfs + "comment", "Who wrote it.") in triples
    assert (E + "pages", rdfs + "range", "http://www.w3.org/2001/XMLSchema#decimal") in triples
    assert (E + "Book", rdfs + "subClassOf", E + "Work") in triples
    assert (E + "x.y", rdfs + "comment", "e:evil . # not a comment") in triples
    assert "e:Book a owl:Class ; rdfs:subClassOf e:Work ;" in found.text
    assert "# 1,234 instances" in found.text


def test_a_budget_keeps_what_the_question_is_about() -> None:
    found = ontology_text(SCHEMA, "Who is the author of the book?", LexicalSimilarity(), 400, {"e": E})
    assert found.tokens <= 400
    assert found.tokens == estimated_tokens(found.text)
    kept = {subject for subject, _, _ in parsed(found.text)}
    assert {E + "author", E + "Book", E + "Person"} <= kept
    assert found.left_out == 68 - len(kept) > 0


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 3000))
def test_no_budget_is_passed(budget: int) -> None:
    found = ontology_text(SCHEMA, "pages", LexicalSimilarity(), budget, {"e": E})
    assert found.tokens <= budget or not parsed(found.text)


def test_readable_terms_replace_native_iris() -> None:
    wrapper = wrapper_of(SCHEMA, {})
    found = ontology_text(SCHEMA, "Who wrote it?", LexicalSimilarity(), 100_000, {PREFIX: NAMESPACE}, wrapper.shown)
    assert "w:author a owl:ObjectProperty ; rdfs:domain w:Book ; rdfs:range w:Person ;" in found.text
    assert (
        NAMESPACE + "number_of_pages",
        "http://www.w3.org/2000/01/rdf-schema#domain",
        NAMESPACE + "Book",
    ) in parsed(found.text)


def test_an_empty_schema_gives_an_empty_text() -> None:
    assert parsed(ontology_text(Schema(), "Who?", LexicalSimilarity()).text) == set()


OWL = """
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix b: <http://b/> . b:Paper a owl:Class ; rdfs:label
"Artikel"@de , "paper"@en ; rdfs:subClassOf b:Work , [ a owl:Restriction ] . b:year a owl:DatatypeProperty ;
rdfs:domain b:Paper ; rdfs:range xsd:gYear . b:by a owl:ObjectProperty ; rdfs:domain [ a owl:Class ;
owl:unionOf ( b:Paper b:Book ) ] ; rdfs:range b:Person .
"""


def test_a_given_ontology_is_shown_as_it_is_or_cut(tmp_path: Path) -> None:
    path = tmp_path / "o.ttl"
    path.write_text(OWL)
    assert given_ontology(path, "year", LexicalSimilarity(), 5_000).text == OWL
    given = read_ontology(path)
    [paper] = given.schema.classes
    assert (paper.label, paper.parents) == ("paper", ("http://b/Work",))
    by, year = given.schema.properties
    assert by.domains == ("http://b/Book", "http://b/Paper")
    assert (year.values, year.ranges) == ("date", ("http://www.w3.org/2001/XMLSchema#gYear",))
    cut = given_ontology(path, "In which year?", LexicalSimilarity(), 200)
    assert cut.tokens <= 200 < estimated_tokens(OWL)
    assert "b:year a owl:DatatypeProperty ; rdfs:domain b:Paper ; rdfs:range xsd:gYear ." in cut.text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("o.ttl", "not turtle {"),
        ("o.owl", "<rdf"),
        ("o.jsonld", "{}"),
        ("o.ttl", "<http://a> <http://b> 1 ."),
        ("o.ttl", None),
    ],
)
def test_a_faulty_ontology_is_a_configuration_error(tmp_path: Path, name: str, text: str | None) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigError):
        read_ontology(path)


def test_an_xml_ontology_cannot_read_other_files(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret words")
    path = tmp_path / "o.owl"
    path.write_text(
        f'<!DOCTYPE r [<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}">]>'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#">'
        '<owl:Class rdf:about="http://b/C"><rdfs:label>&x;</rdfs:label></owl:Class></rdf:RDF>'
    )
    assert "secret" not in str(read_ontology(path).schema)
