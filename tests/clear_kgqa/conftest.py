"""A small graph with shared names, built once for all tests of the agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clear_kgqa.readings.reader import Reader
from clear_kgqa_tools.bundle import GraphBundle

TURTLE = """
@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix s: <http://schema.org/> .
ex:Country a rdfs:Class ; rdfs:label "country" . ex:City a rdfs:Class ; rdfs:label "city" . ex:State a rdfs:Class ; rdfs:label "US state" .
ex:Film a rdfs:Class ; rdfs:label "film" . ex:Person a rdfs:Class ; rdfs:label "person" .
ex:capital rdfs:label "capital" . ex:population rdfs:label "population" . ex:area rdfs:label "area" .
ex:neighbour rdfs:label "neighbour" ; skos:altLabel "borders" . ex:country rdfs:label "country" . ex:state rdfs:label "state" .
ex:director rdfs:label "director" . ex:cast rdfs:label "cast member" . ex:date rdfs:label "publication date" .
ex:france a ex:Country ; rdfs:label "France" ; s:description "country in Europe" ; ex:capital ex:paris ; ex:population 68000000 ; ex:area 551500 ;
  ex:neighbour ex:spain .
ex:spain a ex:Country ; rdfs:label "Spain" ; s:description "country in Europe, south of France" ; ex:capital ex:madrid ; ex:population 47000000 ; ex:area 506000 ;
  ex:neighbour ex:france, ex:portugal .
ex:portugal a ex:Country ; rdfs:label "Portugal" ; s:description "country in Europe, west of Spain" ; ex:population 10000000 ; ex:area 92000 ; ex:neighbour ex:spain .
ex:georgia a ex:Country ; rdfs:label "Georgia" ; s:description "country in the Caucasus" ; ex:capital ex:tbilisi ; ex:population 3700000 ; ex:area 69700 .
ex:georgiaUS a ex:State ; rdfs:label "Georgia" ; s:description "state of the United States" .
ex:paris a ex:City ; rdfs:label "Paris" ; s:description "capital of France" ; ex:country ex:france ; ex:population 2100000 .
ex:lyon a ex:City ; rdfs:label "Lyon" ; s:description "city in France" ; ex:country ex:france ; ex:population 520000 .
ex:nice a ex:City ; rdfs:label "Nice" ; s:description "city in France" ; ex:country ex:france ; ex:population 340000 .
ex:madrid a ex:City ; rdfs:label "Madrid" ; s:description "capital of Spain" ; ex:country ex:spain ; ex:population 3200000 .
ex:tbilisi a ex:City ; rdfs:label "Tbilisi" ; s:description "capital of Georgia" ; ex:country ex:georgia ; ex:population 1100000 .
ex:batumi a ex:City ; rdfs:label "Batumi" ; s:description "city in Georgia" ; ex:country ex:georgia ; ex:population 170000 .
ex:atlanta a ex:City ; rdfs:label "Atlanta" ; s:description "city in Georgia, United States" ; ex:state ex:georgiaUS ; ex:population 498000 .
ex:savannah a ex:City ; rdfs:label "Savannah" ; s:description "city in Georgia, United States" ; ex:state ex:georgiaUS ; ex:population 147000 .
ex:springfieldIL a ex:City ; rdfs:label "Springfield" ; s:description "city in Illinois" ; ex:population 114000 .
ex:springfieldMO a ex:City ; rdfs:label "Springfield" ; s:description "city in Missouri" ; ex:population 170000 .
ex:heat1995 a ex:Film ; rdfs:label "Heat" ; s:description "1995 film by Michael Mann" ; ex:director ex:mann ; ex:cast ex:pacino .
ex:heat1986 a ex:Film ; rdfs:label "Heat" ; s:description "1986 film by Dick Richards" ; ex:director ex:richards .
ex:mann a ex:Person ; rdfs:label "Michael Mann" . ex:richards a ex:Person ; rdfs:label "Dick Richards" . ex:pacino a ex:Person ; rdfs:label "Al Pacino" .
ex:twinA a ex:City ; rdfs:label "Twinford" ; s:description "town A" ; ex:country ex:france . ex:twinB a ex:City ; rdfs:label "Twinford" ; s:description "town B" ; ex:country ex:france .
"""


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphBundle]:
    from clear_kgqa_tools.open_bundle import open_bundle

    folder = tmp_path_factory.mktemp("tiny")
    source: Path = folder / "tiny.ttl"
    source.write_text(TURTLE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEAR_KGQA_CACHE", str(folder / "cache"))
        opened = open_bundle(str(source))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def reader(bundle: GraphBundle) -> Reader:
    return Reader(bundle)
