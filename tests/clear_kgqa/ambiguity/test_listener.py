"""Replies that only the graph explains, and what is left of an open question after a reply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from clear_kgqa.events import Answered, Asked, Event, Replied
from clear_kgqa.followup import Topic
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import Session, make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle

EX = "http://ex.org/"
TURTLE = """
@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix s: <http://schema.org/> .
ex:City a rdfs:Class ; rdfs:label "city" . ex:State a rdfs:Class ; rdfs:label "state" . ex:Film a rdfs:Class ; rdfs:label "film" .
ex:Person a rdfs:Class ; rdfs:label "person" .
ex:population rdfs:label "population" . ex:inState rdfs:label "in state" . ex:code rdfs:label "postal code" . ex:mayor rdfs:label "mayor" .
ex:director rdfs:label "director" . ex:date rdfs:label "publication date" .
ex:ma a ex:State ; rdfs:label "Massachusetts" ; ex:code "MA" . ex:oh a ex:State ; rdfs:label "Ohio" ; ex:code "OH" ; skos:altLabel "Buckeye State" .
ex:il a ex:State ; rdfs:label "Illinois" ; ex:code "IL" .
ex:s1 a ex:City ; rdfs:label "Springfield" ; s:description "the first" ; ex:inState ex:ma ; ex:population 154000 ; ex:mayor ex:anna .
ex:s2 a ex:City ; rdfs:label "Springfield" ; s:description "the second" ; ex:inState ex:oh ; ex:population 59000 ; ex:mayor ex:bert .
ex:s3 a ex:City ; rdfs:label "Springfield" ; s:description "the third" ; ex:inState ex:il ; ex:population 114000 ; ex:mayor ex:carl .
ex:anna a ex:Person ; rdfs:label "Anna" . ex:bert a ex:Person ; rdfs:label "Bert" . ex:carl a ex:Person ; rdfs:label "Carl" .
ex:oslo a ex:City ; rdfs:label "Oslo" ; ex:population 700000 ; ex:mayor ex:anna .
ex:alien1 a ex:Film ; rdfs:label "Alien" ; ex:date "1979-05-25"^^xsd:date ; ex:director ex:scott .
ex:alien2 a ex:Film ; rdfs:label "Alien" ; ex:date "2003-10-31"^^xsd:date ; ex:director ex:gross .
ex:scott a ex:Person ; rdfs:label "Ridley Scott" . ex:gross a ex:Person ; rdfs:label "Gross" .
"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    from clear_kgqa_tools.open_bundle import open_bundle

    folder = tmp_path_factory.mktemp("replies")
    source: Path = folder / "replies.ttl"
    source.write_text(TURTLE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEAR_KGQA_CACHE", str(folder / "cache"))
        bundle: GraphBundle = open_bundle(str(source))
    yield Reader(bundle)
    bundle.close()


def asked(reader: Reader, question: str) -> tuple[Session, Asked]:
    talk = make_session(reader.bundle, Settings(), reader=reader)
    event = last(talk.start(question))
    assert isinstance(event, Asked), event
    return talk, event


def last(events: Iterable[Event]) -> Event:
    return list(events)[-1]


def values(event: Event) -> set[str]:
    assert isinstance(event, Answered), event
    return {v.get("iri", v.get("literal", "")) for v in event.values}


@pytest.mark.parametrize(
    ("question", "reply", "value"),
    [
        ("population of Springfield", "MA", "154000"),
        ("population of Springfield", "the one in Ohio", "59000"),
        ("population of Springfield", "in the Buckeye State", "59000"),
        ("population of Springfield", "the mayor is Carl", "114000"),
        ("Who is the director of Alien?", "the one from 1979", EX + "scott"),
        ("Who is the director of Alien?", "2003", EX + "gross"),
        ("Who is the director of Alien?", "not the one from 2003", EX + "scott"),
    ],
)
def test_the_graph_tells_which_option_is_meant(reader: Reader, question: str, reply: str, value: str) -> None:
    talk, _ = asked(reader, question)
    events = list(talk.resume(reply))
    assert any(isinstance(e, Replied) and e.kind == "options" for e in events)
    assert values(events[-1]) == {value}


def test_what_is_excluded_is_not_offered_again(reader: Reader) -> None:
    talk, first = asked(reader, "population of Springfield")
    out = next(i for i, o in enumerate(first.clarification.options) if o.description == "the second")
    again = last(talk.resume(f"not {out + 1}"))
    assert isinstance(again, Asked)
    assert {o.iri for o in again.clarification.options} == {EX + "s1", EX + "s3"}
    number = next(i for i, o in enumerate(again.clarification.options, 1) if o.iri == EX + "s3")
    assert values(last(talk.resume(str(number)))) == {"114000"}


@pytest.mark.parametrize(
    ("reply", "value"),
    [("population of Oslo", "700000"), ("mayor of Oslo", EX + "anna"), ("what about Oslo", "700000")],
)
def test_a_terse_new_question_while_a_menu_is_open(reader: Reader, reply: str, value: str) -> None:
    talk, _ = asked(reader, "population of Springfield")
    events = list(talk.resume(reply))
    assert isinstance(events[0], Replied)
    assert events[0].kind == "new_question"
    assert values(events[-1]) == {value}


def test_a_number_past_the_list_names_no_node_that_was_not_offered(reader: Reader) -> None:
    talk, first = asked(reader, "population of Springfield")
    again = last(talk.resume("9"))
    assert isinstance(again, Asked)
    assert again.clarification.options == first.clarification.options


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("population?", "population of Oslo?"),
        ("mayor", "mayor of Oslo?"),
        ("what is its mayor?", "what is Oslo's mayor?"),
    ],
)
def test_a_property_alone_is_asked_of_the_topic(reader: Reader, question: str, asked: str) -> None:
    talk = make_session(reader.bundle, Settings(), reader=reader)
    carried = talk.follow(question, Topic("mayor of Oslo", EX + "oslo", "Oslo", (9, 13), EX + "anna", "Anna"))
    assert (carried.question if carried else "") == asked


def test_of_the_topic_and_the_answer_the_one_is_meant_that_has_the_property(reader: Reader) -> None:
    talk = make_session(reader.bundle, Settings(), reader=reader)
    carried = talk.follow("population?", Topic("Who leads Oslo?", EX + "anna", "Anna", (0, 3), EX + "oslo", "Oslo"))
    assert carried is not None
    assert (carried.question, carried.iri, carried.other) == ("population of Oslo?", EX + "oslo", "Anna")
