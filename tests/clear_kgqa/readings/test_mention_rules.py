"""Which words of a question name a node, and which only look as if they did."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from clear_kgqa.events import Answered, Failed
from clear_kgqa.readings.features import FEATURES
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.open_bundle import open_bundle

TURTLE = """
@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
ex:Country a rdfs:Class ; rdfs:label "country" . ex:City a rdfs:Class ; rdfs:label "city" .
ex:Language a rdfs:Class ; rdfs:label "language" .
ex:population rdfs:label "population" . ex:country rdfs:label "country" .
ex:language rdfs:label "language" ; skos:altLabel "spoken language" .
ex:es a ex:Language ; rdfs:label "Spanish" . ex:pt a ex:Language ; rdfs:label "Portuguese" .
ex:spain a ex:Country ; rdfs:label "Spain" ; ex:population 47000000 ; ex:language ex:es .
ex:portugal a ex:Country ; rdfs:label "Portugal" ; ex:population 10000000 ; ex:language ex:pt .
ex:brazil a ex:Country ; rdfs:label "Brazil" ; ex:population 209000000 ; ex:language ex:pt .
ex:rio a ex:City ; rdfs:label "Rio" ; ex:country ex:brazil ; ex:population 6700000 .
ex:lisbon a ex:City ; rdfs:label "Lisbon" ; ex:country ex:portugal ; ex:population 540000 .
ex:porto a ex:City ; rdfs:label "Porto" ; ex:country ex:portugal ; ex:population 230000 .
ex:niles a ex:City ; rdfs:label "Niles" ; ex:country ex:spain ; ex:population 30000 .
ex:play a ex:City ; rdfs:label "Play" ; ex:country ex:spain ; ex:population 4000 .
ex:most a ex:City ; rdfs:label "Most" ; ex:country ex:spain ; ex:population 63000 .
ex:nago a ex:City ; rdfs:label "Nago" ; ex:country ex:spain ; ex:population 61000 .
ex:jember a ex:City ; rdfs:label "Jember" ; ex:country ex:spain ; ex:population 330000 .
ex:spokane a ex:City ; rdfs:label "Spokane" ; skos:altLabel "Spoken" ; ex:country ex:spain ; ex:population 228000 .
"""


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    folder: Path = tmp_path_factory.mktemp("names")
    (folder / "names.ttl").write_text(TURTLE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEAR_KGQA_CACHE", str(folder / "cache"))
        bundle = open_bundle(str(folder / "names.ttl"))
    yield Reader(bundle)
    bundle.close()


def met(reader: Reader, question: str) -> set[tuple[str, str, str]]:
    """(word, label, match) of every node that the question is taken to name."""
    found = reader.mentions(question)
    return {(question[slice(*m.span)], n.label, n.match) for m in found for n in m.nodes}


def named(reader: Reader, question: str) -> set[str]:
    return {label for _, label, _ in met(reader, question)}


def test_a_capitalised_word_takes_no_plural(names: Reader) -> None:
    assert ("Nile", "Niles", "label") not in met(names, "Is the Nile in Spain?")
    assert ("Nile", "Niles", "fuzzy") in met(names, "Is the Nile in Spain?")
    assert met(names, "population of nile") == {("nile", "Niles", "label")}
    assert met(names, "population of Niles") == {("Niles", "Niles", "label")}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Who play in Spain?", {"Spain"}),
        ("who play house music in Spain", {"Spain"}),
        ("a city that plays in Spain", {"city", "Spain"}),
        ("a city that plays music", {"city"}),
        ("population of play", {"Play"}),
        ("Who comes from Play?", {"Play"}),
        ("Is that Play in Spain?", {"Play", "Spain"}),
    ],
)
def test_a_verb_after_who_or_that_is_no_name(names: Reader, question: str, found: set[str]) -> None:
    assert named(names, question) == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Which country has the most cities?", {"country", "city"}),
        ("Which country has the most countries?", {"country"}),
        ("population of Most", {"Most"}),
        ("population of most", {"Most"}),
    ],
)
def test_most_of_something_is_no_town(names: Reader, question: str, found: set[str]) -> None:
    assert named(names, question) == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Is Spain a member of NATO?", {"Spain"}),
        ("Is Spain a jembar of NAGA?", {"Spain"}),
        ("is spain a member of nato", {"Spain", "Nago"}),
        ("population of jembar", {"Jember"}),
        ("population of Jembar", {"Jember"}),
        ("population of Jembar in Spain", {"Jember", "Spain"}),
    ],
)
def test_where_capitals_are_written_neither_abbreviations_nor_small_words_are_typos(
    names: Reader, question: str, found: set[str]
) -> None:
    assert named(names, question) == found


def test_denying_membership_of_what_is_not_known_is_declined(names: Reader) -> None:
    event = list(make_session(names.bundle, Settings(), reader=names).start("Is Spain a member of NATO?"))[-1]
    assert isinstance(event, Failed)
    assert event.kind == "not_in_graph"
    assert "Nago" not in event.reason
    assert "Jember" not in event.reason


def test_a_word_that_can_name_a_property_is_no_alias_of_a_proper_name(names: Reader) -> None:
    assert "Spokane" not in named(names, "Which languages are spoken in Spain?")
    assert met(names, "population of Spokane") == {("Spokane", "Spokane", "label")}


def test_an_adjective_names_its_country_as_a_demonym(names: Reader) -> None:
    question = "Which countries speak Portuguese?"
    words = {(label, match) for word, label, match in met(names, question) if word == "Portuguese"}
    assert words == {("Portuguese", "label"), ("Portugal", "demonym")}


@pytest.mark.parametrize("iri", ["http://ex.org/pt", "http://ex.org/portugal"])
def test_a_language_and_its_country_do_not_share_popularity(names: Reader, iri: str) -> None:
    question = "Which countries speak Portuguese?"
    table = names.table(question, names.mentions(question))
    rows = [i for i, r in enumerate(table.readings) if [a.node.iri for a in r.entities] == [iri]]
    assert rows
    shares = table.phi[rows, FEATURES.index("share")]
    assert shares == pytest.approx([math.log(1.001) / 4] * len(rows))  # each is the only node so called
    demonyms = table.phi[rows, FEATURES.index("demonym")]
    assert set(demonyms) == {float(iri.endswith("portugal"))}


@pytest.mark.parametrize(
    ("question", "iris"),
    [
        ("Which countries speak Portuguese?", {"portugal", "brazil"}),
        ("Which Portuguese cities are there?", {"lisbon", "porto"}),
        ("What is the largest Portuguese city?", {"lisbon"}),
    ],
)
def test_the_wording_tells_the_language_from_the_country(names: Reader, question: str, iris: set[str]) -> None:
    posterior = names.read(question).posterior
    assert {t.value.rpartition("/")[2] for t in posterior.answers[posterior.best].terms} == iris


def test_the_countries_that_speak_a_language(names: Reader) -> None:
    event = list(make_session(names.bundle, Settings(), reader=names).start("Which countries speak Portuguese?"))[-1]
    assert isinstance(event, Answered), event
    assert {v["label"] for v in event.values} == {"Portugal", "Brazil"}


def test_a_session_keeps_the_country_of_an_adjective(names: Reader) -> None:
    event = list(make_session(names.bundle, Settings(), reader=names).start("Which Portuguese cities are there?"))[-1]
    assert isinstance(event, Answered), event
    assert {v["label"] for v in event.values} == {"Lisbon", "Porto"}
