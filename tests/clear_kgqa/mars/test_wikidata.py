"""Languages and qualifiers, over a small graph in Wikidata's vocabulary."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clear_kgqa.events import Answered
from clear_kgqa.mars.labels import Labels
from clear_kgqa.mars.offers import Offer
from clear_kgqa.mars.patterns import Patterns
from clear_kgqa.readings.reader import Reader
from clear_kgqa_tools.bundle import GraphBundle

from .talk import NO_CHANGE, expand, last_request, mars, offered, query, rewritten

WD, WDT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
P, PS, PQ = (f"http://www.wikidata.org/prop/{x}" for x in ("", "statement/", "qualifier/"))
TURTLE = """
@prefix wd: <http://www.wikidata.org/entity/> . @prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix p: <http://www.wikidata.org/prop/> . @prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix s: <http://www.wikidata.org/entity/statement/> .
wd:P39 rdfs:label "position held"@en, "öffentliches Amt"@de . wd:P580 rdfs:label "start time"@en, "Startzeitpunkt"@de .
wd:P31 rdfs:label "instance of"@en, "Art"@de . wd:P36 rdfs:label "capital"@en, "Hauptstadt"@de .
wd:Q5 rdfs:label "human"@en, "Mensch"@de . wd:Q6256 rdfs:label "country"@en, "Staat"@de . wd:Q515 rdfs:label "city"@en, "Stadt"@de .
wd:Q1 rdfs:label "Jane Roe"@en, "Jane Roe"@de ; wdt:P31 wd:Q5 ; wdt:P39 wd:Q2 ; p:P39 s:1 .
s:1 ps:P39 wd:Q2 ; pq:P580 "1999-05-01"^^xsd:date .
wd:Q2 rdfs:label "mayor"@en, "Bürgermeister"@de .
wd:Q40 rdfs:label "Austria"@en, "Österreich"@de ; wdt:P31 wd:Q6256 ; wdt:P36 wd:Q1741 .
wd:Q1741 rdfs:label "Vienna"@en, "Wien"@de ; wdt:P31 wd:Q515 .
wd:Q183 rdfs:label "Germany"@en, "Deutschland"@de ; wdt:P31 wd:Q6256 ; wdt:P36 wd:Q64 .
wd:Q64 rdfs:label "Berlin"@en, "Berlin"@de ; wdt:P31 wd:Q515 .
"""


@pytest.fixture(scope="module")
def wikidata(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphBundle]:
    from clear_kgqa_tools.open_bundle import open_bundle

    folder: Path = tmp_path_factory.mktemp("wikidata")
    source = folder / "wikidata.ttl"
    source.write_text(TURTLE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEAR_KGQA_CACHE", str(folder / "cache"))
        opened = open_bundle(str(source))
    assert opened.profile.qualifiers
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def read(wikidata: GraphBundle) -> Reader:
    return Reader(wikidata)


def test_labels_in_the_language_of_the_question(wikidata: GraphBundle) -> None:
    iris = [WD + "Q40", WDT + "P36", WD + "Q5", WD + "Q999"]
    assert list(Labels(wikidata, "de").of(iris).values()) == ["Österreich", "Hauptstadt", "Mensch", "Q999"]
    assert list(Labels(wikidata, "en").of(iris).values())[:3] == ["Austria", "capital", "human"]
    assert list(Labels(wikidata, "ja").of(iris).values())[:3] == ["Austria", "capital", "human"]


def test_a_question_in_german(wikidata: GraphBundle, read: Reader) -> None:
    sparql = f"SELECT ?c WHERE {{ <{WD}Q40> <{WDT}P36> ?c }}"
    english = '{"english": "What is the capital of Austria?"}'
    strategy, model = mars(
        wikidata, read, english, rewritten("Austria, capital, ?object"), query(sparql), NO_CHANGE, language="de"
    )
    question = "Wie heißt die Hauptstadt von Österreich?"
    events = list(strategy.start(question))
    assert last_request(model, 0) == question
    assert last_request(model, 1).startswith("Question: What is the capital of Austria?")
    reasoned = last_request(model, 2)
    assert "- Austria (country)" in last_request(model, 1)
    assert f"Question: {question}" in reasoned
    assert '"label": "Österreich"' in reasoned
    assert offered(events)[0][0]["pattern"] == "Österreich, Hauptstadt, ?object"
    assert offered(events)[0][0]["instances"] == [f"Wien <{WD}Q1741>"]
    answer = events[-1]
    assert isinstance(answer, Answered)
    assert answer.values == ({"iri": WD + "Q1741", "label": "Wien"},)


def test_an_english_question_is_not_translated(wikidata: GraphBundle, read: Reader) -> None:
    sparql = f"SELECT ?c WHERE {{ <{WD}Q40> <{WDT}P36> ?c }}"
    strategy, model = mars(wikidata, read, rewritten(), query(sparql), NO_CHANGE)
    assert isinstance(list(strategy.start("What is the capital of Austria?"))[-1], Answered)
    assert len(model.seen) == 3


def test_qualifiers_of_an_offered_statement(wikidata: GraphBundle, read: Reader) -> None:
    sparql = f"SELECT ?t WHERE {{ <{WD}Q1> <{P}P39> ?s . ?s <{PS}P39> <{WD}Q2> . ?s <{PQ}P580> ?t }}"
    held = "Jane Roe, position held, ?object"
    strategy, _ = mars(wikidata, read, rewritten(held), expand(1), query(sparql), NO_CHANGE)
    events = list(strategy.start("When did Jane Roe become mayor?"))
    answer = events[-1]
    assert isinstance(answer, Answered), events
    assert answer.text == "1999-05-01."


def test_a_direct_claim_is_expanded_to_its_qualifiers(wikidata: GraphBundle, read: Reader) -> None:
    labels = Labels(wikidata, "en")
    patterns = Patterns(read, labels, labels)
    claim = Offer(WD + "Q1", ((f"<{WD}Q1>", f"<{WDT}P39>", "?object"),), 1)
    found = patterns.ranked(patterns.beyond(claim), "when did it start", 1, 20)
    qualified = next(o for o in found if o.last_property == PQ + "P580" and "?statement1" in o.pattern)
    assert qualified.text == (
        "Jane Roe, position held, ?statement1; ?statement1, position held, ?step1; ?statement1, start time, ?object"
    )
    assert qualified.count == 1
