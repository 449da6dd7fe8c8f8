"""A chat over a small graph with shared names, in a data folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clear_kgqa.settings import Settings
from clear_kgqa_tui.app import ChatApp

TURTLE = """
@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix s: <http://schema.org/> .
ex:Country a rdfs:Class ; rdfs:label "country" . ex:City a rdfs:Class ; rdfs:label "city" . ex:State a rdfs:Class ; rdfs:label "US state" .
ex:Film a rdfs:Class ; rdfs:label "film" . ex:Person a rdfs:Class ; rdfs:label "person" .
ex:capital rdfs:label "capital" . ex:population rdfs:label "population" . ex:area rdfs:label "area" .
ex:country rdfs:label "country" . ex:state rdfs:label "state" . ex:director rdfs:label "director" . ex:neighbour rdfs:label "neighbour" .
ex:france a ex:Country ; rdfs:label "France" ; s:description "country in Europe" ; ex:capital ex:paris ; ex:population 68000000 ; ex:area 551500 ; ex:neighbour ex:spain .
ex:spain a ex:Country ; rdfs:label "Spain" ; s:description "country in Europe, south of France" ; ex:capital ex:madrid ; ex:population 47000000 ; ex:area 506000 ; ex:neighbour ex:france .
ex:georgia a ex:Country ; rdfs:label "Georgia" ; s:description "country in the Caucasus" ; ex:capital ex:tbilisi ; ex:population 3700000 .
ex:georgiaUS a ex:State ; rdfs:label "Georgia" ; s:description "state of the United States" ; ex:population 10700000 ; ex:capital ex:atlanta .
ex:paris a ex:City ; rdfs:label "Paris" ; s:description "capital of France" ; ex:country ex:france ; ex:population 2100000 .
ex:lyon a ex:City ; rdfs:label "Lyon" ; s:description "city in France" ; ex:country ex:france ; ex:population 520000 .
ex:madrid a ex:City ; rdfs:label "Madrid" ; s:description "capital of Spain" ; ex:country ex:spain ; ex:population 3200000 .
ex:tbilisi a ex:City ; rdfs:label "Tbilisi" ; s:description "capital of Georgia" ; ex:country ex:georgia ; ex:population 1100000 .
ex:atlanta a ex:City ; rdfs:label "Atlanta" ; s:description "city in Georgia, United States" ; ex:state ex:georgiaUS ; ex:population 498000 .
ex:springfieldIL a ex:City ; rdfs:label "Springfield" ; s:description "city in Illinois" ; ex:population 114000 .
ex:springfieldMO a ex:City ; rdfs:label "Springfield" ; s:description "city in Missouri" ; ex:population 170000 .
ex:heat1995 a ex:Film ; rdfs:label "Heat" ; s:description "1995 film by Michael Mann" ; ex:director ex:mann .
ex:heat1986 a ex:Film ; rdfs:label "Heat" ; s:description "1986 film by Dick Richards" ; ex:director ex:richards .
ex:mann a ex:Person ; rdfs:label "Michael Mann" . ex:richards a ex:Person ; rdfs:label "Dick Richards" .
"""
ASKED_BACK = "What is the population of Springfield?"


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The graph's file; it is built once, in a cache of its own."""
    folder = tmp_path_factory.mktemp("tiny")
    path = folder / "tiny.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEAR_KGQA_CACHE", str(folder / "cache"))
        yield path


@pytest.fixture
def app(source: Path, tmp_path: Path) -> Iterator[ChatApp]:
    made = ChatApp(Settings(kg=str(source), ask_cost=0.3), tmp_path / "data")
    yield made
    made.backend.close()
