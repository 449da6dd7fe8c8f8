from pathlib import Path

import pyoxigraph as ox
import pytest

from clear_kgqa_tools.harvest import Harvest
from clear_kgqa_tools.harvest_names import node_name, opaque, split_words, term_names
from clear_kgqa_tools.harvest_schema import build_schema
from clear_kgqa_tools.label_index import LabelRecord
from clear_kgqa_tools.load_profile import load_profile
from clear_kgqa_tools.schema import Schema

PREFIXES = """
@prefix : <http://o/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> . @prefix dbo: <http://dbpedia.org/ontology/> .
@prefix fb: <http://rdf.freebase.com/ns/> . @prefix schema: <http://schema.org/> .
"""


def harvest(turtle: str, profile: str = "generic") -> tuple[dict[str, LabelRecord], Schema]:
    quads = list(ox.parse(PREFIXES + turtle, format=ox.RdfFormat.TURTLE))
    store, found = ox.Store(), Harvest(load_profile(profile))
    store.extend(found.tee(quads))
    return {r.iri: r for r in found.records()}, build_schema(found, store)


@pytest.mark.parametrize(
    ("iri", "names"),
    [
        ("http://o/hasProductManager", ("has product manager", "product manager")),
        ("http://o/width_mm", ("width mm",)),
        ("http://o#homepageURL", ("homepage URL",)),
        (
            "http://o/music.musician.instruments_played",
            ("instruments played", "music musician instruments played"),
        ),
        ("http://o/born%20in", ("born in",)),
    ],
)
def test_names_of_properties(iri: str, names: tuple[str, ...]) -> None:
    assert term_names(iri) == names


@pytest.mark.parametrize(
    ("iri", "name"),
    [
        ("http://dbpedia.org/resource/Paul_Lucas_(politician)", "Paul Lucas (politician)"),
        ("http://o/Victoria,_British%20Columbia", "Victoria, British Columbia"),
        ("http://o/NewYork/", "New York"),
        ("urn:isbn:12", "12"),
        ("http://o/", "o"),
    ],
)
def test_names_of_nodes(iri: str, name: str) -> None:
    assert node_name(iri) == name


def test_opaque_names() -> None:
    assert all(
        map(
            opaque,
            ("http://w/Q42", "http://w/P31", "http://f/m.02mjmr", "http://c/0011b0ae2aab", "http://o/17"),
        )
    )
    assert not any(map(opaque, ("http://o/Paris", "http://o/width_mm", "http://o/Area51Base", "http://o/deed")))
    assert split_words("BOMPart") == "BOM part"


def test_label_preferred_by_language_then_by_predicate_and_none_is_lost() -> None:
    records, _ = harvest("""
        :a rdfs:label "Deutschland"@de, "Germany"@en ; skos:altLabel "FRG" .
        :b rdfs:label "日本"@ja .
        :c skos:altLabel "only an alias" .
        :d rdfs:label "label"@en-GB, "autre"@fr .
        :e foaf:name "by foaf" ; :name "by a local name" .
        :f rdfs:label "gemischt"@de ; foaf:name "plain" .
    """)
    assert records["http://o/a"].label == "Germany"
    assert set(records["http://o/a"].aliases) == {"Deutschland", "FRG"}
    assert records["http://o/b"].label == "日本"
    assert records["http://o/c"].label == "only an alias"
    assert records["http://o/d"].label == "label" and records["http://o/d"].aliases == ("autre",)
    assert records["http://o/e"].label == "by foaf" and records["http://o/e"].aliases == ("by a local name",)
    assert records["http://o/f"].label == "plain" and records["http://o/f"].aliases == ("gemischt",)


@pytest.mark.parametrize("predicate", ["foaf:name", "schema:name", "<http://purl.org/dc/elements/1.1/title>", ":name"])
def test_vocabularies_with_one_kind_of_name(predicate: str) -> None:
    records, schema = harvest(f':a a :Thing ; {predicate} "Alpha" . :b a :Thing ; {predicate} "Beta" ; :knows :a .')
    assert {r.label for r in records.values()} == {"Alpha", "Beta", "Thing"}
    assert records["http://o/a"].types == ("thing",) or records["http://o/a"].types == ("Thing",)
    assert [c.count for c in schema.classes] == [2]


def test_records_of_nodes_without_names() -> None:
    records, _ = harvest("""
        :MainStreet a :Road . :m.0x1 a :Road . [] a :Road .
        :a :country <http://dbpedia.org/resource/New_Zealand> ;
        :photo <http://x/picture.jpg> ; :page <http://x/?id=3> . :a rdfs:label "A" .
    """)
    assert {r.label for r in records.values()} == {"Main Street", "A", "New Zealand", "Road"}


def test_popularity_is_the_degree_or_the_profiles_property() -> None:
    records, _ = harvest(':a rdfs:label "A" ; :p :b, :c . :d :p :a . :b rdfs:label "B" .')
    assert records["http://o/a"].popularity == 3 and records["http://o/b"].popularity == 1
    records, _ = harvest(
        'wd:Q1 rdfs:label "One"@en ; <http://wikiba.se/ontology#sitelinks> 120 ; wdt:P1 wd:Q2 .', "wikidata"
    )
    assert records["http://www.wikidata.org/entity/Q1"].popularity == 120


def test_properties_have_labels_kinds_counts_and_observed_classes() -> None:
    _, schema = harvest("""
        :a a :Film ; :director :x ; :released "1999-01-01"^^xsd:date ; :budget 5 ; :note "n"@en ; :code "12" .
        :b a :Film ; :director :x ; :released "1999"^^xsd:gYear ; :budget 6.5 ; :note "m" ; :code "13" .
        :x a :Person ; rdfs:label "X" .
        :director rdfs:label "director"@en ; skos:altLabel "directed by" ;
            rdfs:comment "Who directed it."@en .
    """)
    by = {p.label: p for p in schema.properties}
    director = by["director"]
    assert (director.count, director.subjects, director.objects) == (2, 2, 1)
    assert director.aliases == ("directed by",) and director.comment == "Who directed it."
    assert director.domains == ("http://o/Film",) and director.ranges == ("http://o/Person",)
    assert {name: by[name].values for name in ("director", "released", "budget", "note")} == {
        "director": "iri",
        "released": "date",
        "budget": "number",
        "note": "text",
    }
    assert schema.extra["numeric_text"] == ["http://o/code"]
    assert "http://www.w3.org/2000/01/rdf-schema#label" not in schema.property_by_iri


def test_schema_alone_is_kept_with_count_zero() -> None:
    _, schema = harvest("""
        :music.album.artist a rdf:Property ; rdfs:label "artist"@en ; rdfs:domain :music.album .
        :a a :music.album ; rdfs:label "Help!"@en .
    """)
    artist = schema.property_by_iri["http://o/music.album.artist"]
    assert (artist.label, artist.aliases, artist.count) == ("artist", ("music album artist",), 0)
    assert artist.domains == ("http://o/music.album",)
    assert schema.class_by_iri["http://o/music.album"].label == "album"


def test_wikidata_properties_take_the_labels_of_their_entities() -> None:
    records, schema = harvest(
        """
        wd:P57 rdfs:label "director"@en ; skos:altLabel "film director"@en .
        wd:Q1 wdt:P57 wd:Q2 ; wdt:P31 wd:Q11424 .
        wd:Q11424 rdfs:label "film"@en . wd:Q1 rdfs:label "Alien"@en .
        wd:P57 wdt:P1696 wd:P58 . wd:Q2 wdt:P58 wd:Q1 .
    """,
        "wikidata",
    )
    director = schema.property_by_iri["http://www.wikidata.org/prop/direct/P57"]
    assert (director.label, director.aliases) == ("director", ("film director",))
    assert "http://www.wikidata.org/entity/P57" not in records
    assert records["http://www.wikidata.org/entity/Q1"].types == ("film",)
    assert schema.class_by_iri["http://www.wikidata.org/entity/Q11424"].predicate.endswith("P31")
    assert schema.extra["inverse"] == [
        ["http://www.wikidata.org/prop/direct/P57", "http://www.wikidata.org/prop/direct/P58"]
    ]


def test_redirects_become_aliases_and_disambiguation_pages_no_records() -> None:
    records, _ = harvest(
        """
        :Peking rdfs:label "Peking"@en ; dbo:wikiPageRedirects :Beijing . :Beijing rdfs:label "Beijing"@en .
        :Bj rdfs:label "BJ"@en ; dbo:wikiPageDisambiguates :Beijing .
    """,
        "dbpedia",
    )
    assert set(records) == {"http://o/Beijing"}
    assert records["http://o/Beijing"].aliases == ("Peking",)


def mediators(turtle: str, profile: str = "generic") -> set[str]:
    return {p.label for p in harvest(turtle, profile)[1].properties if p.mediator}


def test_nodes_without_names_that_carry_facts_are_mediators() -> None:
    assert mediators(
        """
        fb:m.01 fb:type.object.name "Al"@en ; fb:people.person.marriages fb:m.0z ;
            fb:people.person.children fb:m.02 .
        fb:m.0z fb:people.marriage.spouse fb:m.03 . fb:m.03 fb:type.object.name "Bo"@en .
        fb:m.02 fb:type.object.name "Cy"@en ; fb:people.person.parents fb:m.01 .
    """,
        "freebase",
    ) == {"marriages"}


def test_blank_nodes_are_mediators_and_their_properties_are_known() -> None:
    _, schema = harvest(':a rdfs:label "A" ; :address [ :street "Main" ; :city :c ] . :c rdfs:label "C" ; :mayor :a .')
    assert {p.label for p in schema.properties if p.mediator} == {"address"}
    assert schema.extra["of_mediators"] == ["http://o/city", "http://o/street"]


def test_value_nodes_whose_label_repeats_their_values_are_mediators() -> None:
    turtle = "".join(
        f"""
        :hw{n} rdfs:label "Part {n}" ; :id "hw{n}" ; :price :price{n} ; :manager :man{n} .
        :price{n} rdfs:label "{n},50 EUR" ; :amount {n}.50 ; :currency "EUR" .
        :man{n} rdfs:label "Jo Doe {n}" ; :email "jo@doe" ; :phone "12" .
    """
        for n in range(1, 6)
    )
    assert mediators(turtle) == {"price"}


def test_a_graph_without_any_labels_has_no_mediators_among_readable_nodes() -> None:
    assert mediators(":Alice :knows :Bob . :Bob :knows :Carol ; :age 4 . :Carol :knows :Alice .") == set()


def test_a_symmetric_property_is_its_own_inverse(tmp_path: Path) -> None:
    _, schema = harvest(":borders a owl:SymmetricProperty . :a :borders :b . :p owl:inverseOf :q . :a :p :b .")
    assert schema.extra["inverse"] == [["http://o/borders", "http://o/borders"], ["http://o/p", "http://o/q"]]


def test_wikidata_statements_are_mediators_with_labelled_qualifiers() -> None:
    _, schema = harvest(
        """
        @prefix p: <http://www.wikidata.org/prop/> . @prefix ps: <http://www.wikidata.org/prop/statement/> .
        @prefix pq: <http://www.wikidata.org/prop/qualifier/> .
        @prefix s: <http://www.wikidata.org/entity/statement/> .
        wd:Q76 rdfs:label "Barack Obama"@en ; wdt:P39 wd:Q11696 ; p:P39 s:q76-1 .
        s:q76-1 ps:P39 wd:Q11696 ; pq:P580 "2009-01-20T00:00:00Z"^^xsd:dateTime .
        wd:Q11696 rdfs:label "President"@en ; wdt:P31 wd:Q4164871 . wd:P39 rdfs:label "position held"@en .
        wd:P580 rdfs:label "start time"@en .
    """,
        "wikidata",
    )
    by = {p.iri.removeprefix("http://www.wikidata.org/prop/"): p for p in schema.properties}
    assert by["P39"].mediator and by["P39"].label == "position held" and not by["direct/P39"].mediator
    assert by["qualifier/P580"].label == "start time" and by["qualifier/P580"].values == "date"
    assert schema.extra["of_mediators"] == [
        "http://www.wikidata.org/prop/qualifier/P580",
        "http://www.wikidata.org/prop/statement/P39",
    ]
