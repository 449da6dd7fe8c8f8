"""Questions whose readings are composed: two steps, yes and no, comparisons with a node, the most of a class."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clear_kgqa.events import Answered, Asked, Event, Failed
from clear_kgqa.readings.cues import read_cues
from clear_kgqa.readings.features import FEATURES
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.open_bundle import open_bundle

TURTLE = """
@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix s: <http://schema.org/> .
ex:Country a rdfs:Class ; rdfs:label "country" . ex:City a rdfs:Class ; rdfs:label "city" .
ex:State a rdfs:Class ; rdfs:label "US state" ; skos:altLabel "state" .
ex:Continent a rdfs:Class ; rdfs:label "continent" . ex:Language a rdfs:Class ; rdfs:label "language" .
ex:Currency a rdfs:Class ; rdfs:label "currency" .
ex:capital rdfs:label "capital" . ex:population rdfs:label "population" . ex:continent rdfs:label "continent" .
ex:country rdfs:label "country" . ex:state rdfs:label "state" . ex:money rdfs:label "currency" .
ex:language rdfs:label "official language" .
ex:europe a ex:Continent ; rdfs:label "Europe" . ex:asia a ex:Continent ; rdfs:label "Asia" .
ex:america a ex:Continent ; rdfs:label "America" .
ex:euro a ex:Currency ; rdfs:label "Euro" . ex:yen a ex:Currency ; rdfs:label "Yen" .
ex:sol a ex:Currency ; rdfs:label "Sol" . ex:dollar a ex:Currency ; rdfs:label "US dollar" .
ex:es a ex:Language ; rdfs:label "Spanish" . ex:fr a ex:Language ; rdfs:label "French" .
ex:qu a ex:Language ; rdfs:label "Quechua" . ex:ja a ex:Language ; rdfs:label "Japanese" .
ex:spain a ex:Country ; rdfs:label "Spain" ; s:description "country in Europe, capital Madrid" ; ex:capital ex:madrid ;
  ex:population 47000000 ; ex:continent ex:europe ; ex:language ex:es ; ex:money ex:euro .
ex:france a ex:Country ; rdfs:label "France" ; s:description "country in Europe, capital Paris" ; ex:capital ex:paris ;
  ex:population 68000000 ; ex:continent ex:europe ; ex:language ex:fr ; ex:money ex:euro .
ex:japan a ex:Country ; rdfs:label "Japan" ; s:description "country in Asia, capital Tokyo" ; ex:capital ex:tokyo ;
  ex:population 126000000 ; ex:continent ex:asia ; ex:language ex:ja ; ex:money ex:yen .
ex:peru a ex:Country ; rdfs:label "Peru" ; s:description "country in America, capital Lima" ; ex:capital ex:lima ;
  ex:population 32000000 ; ex:continent ex:america ; ex:language ex:es, ex:qu ; ex:money ex:sol .
ex:usa a ex:Country ; rdfs:label "United States" ; s:description "country in America, capital Washington" ;
  ex:capital ex:washington ; ex:population 327000000 ; ex:continent ex:asia, ex:america ; ex:money ex:dollar .
ex:canada a ex:Country ; rdfs:label "Canada" ; ex:population 37000000 ; ex:continent ex:america ; ex:money ex:dollar .
ex:washingtonUS a ex:State ; rdfs:label "Washington" ; s:description "state of the United States" ; ex:country ex:usa ;
  ex:population 7700000 .
ex:ohio a ex:State ; rdfs:label "Ohio" ; s:description "state of the United States" ; ex:country ex:usa .
ex:madrid a ex:City ; rdfs:label "Madrid" ; s:description "capital of Spain" ; ex:country ex:spain ;
  ex:population 3200000 .
ex:paris a ex:City ; rdfs:label "Paris" ; s:description "capital of France" ; ex:country ex:france ;
  ex:population 2100000 .
ex:lyon a ex:City ; rdfs:label "Lyon" ; s:description "city in France" ; ex:country ex:france ; ex:population 520000 .
ex:nice a ex:City ; rdfs:label "Nice" ; s:description "city in France" ; ex:country ex:france ; ex:population 340000 .
ex:tokyo a ex:City ; rdfs:label "Tokyo" ; s:description "capital of Japan" ; ex:country ex:japan ;
  ex:population 9700000 .
ex:lima a ex:City ; rdfs:label "Lima" ; s:description "capital of Peru" ; ex:country ex:peru ; ex:population 7700000 .
ex:washington a ex:City ; rdfs:label "Washington" ; s:description "capital of the United States" ; ex:country ex:usa ;
  ex:population 690000 .
ex:seattle a ex:City ; rdfs:label "Seattle" ; s:description "city in Washington" ; ex:state ex:washingtonUS ;
  ex:country ex:usa ; ex:population 737000 .
ex:niles a ex:City ; rdfs:label "Niles" ; s:description "city in Ohio" ; ex:state ex:ohio ; ex:country ex:usa ;
  ex:population 30000 .
ex:akron a ex:City ; rdfs:label "Akron" ; s:description "city in Ohio" ; ex:state ex:ohio ; ex:country ex:usa ;
  ex:population 190000 .
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    folder: Path = tmp_path_factory.mktemp("world")
    (folder / "world.ttl").write_text(TURTLE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEAR_KGQA_CACHE", str(folder / "cache"))
        bundle = open_bundle(str(folder / "world.ttl"))
    yield Reader(bundle)
    bundle.close()


def told(reader: Reader, question: str) -> Event:
    """The last event of a question that nobody replies to."""
    return list(make_session(reader.bundle, Settings(), reader=reader).start(question))[-1]


def labels(event: Event) -> set[str]:
    assert isinstance(event, Answered), event
    return {v["label"] for v in event.values}


def evidence(reader: Reader, question: str, feature: str) -> dict[str, set[float]]:
    """The values of a feature by the node that a reading is about."""
    table = reader.table(question, reader.mentions(question))
    found: dict[str, set[float]] = {}
    for reading, value in zip(table.readings, table.phi[:, FEATURES.index(feature)], strict=True):
        for anchor in reading.entities:
            found.setdefault(anchor.node.iri.removeprefix("http://ex.org/"), set()).add(float(value))
    return found


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("population of the capital of France", {"2,100,000"}),
        ("What is the population of the capital of Spain?", {"3,200,000"}),
        ("capitals of the neighbours of Portugal", {"Madrid"}),
        ("capitals of the neighbors of Portugal", {"Madrid"}),
        ("What are the capitals of the neighbours of Spain?", {"Paris"}),
        ("What is the capital of the country that borders Portugal?", {"Madrid"}),
        ("neighbors of Spain", {"France", "Portugal"}),
        ("Which countries are neighbors of Portugal?", {"Spain"}),
    ],
)
def test_two_steps_that_the_question_names(reader: Reader, question: str, expected: set[str]) -> None:
    assert labels(told(reader, question)) == expected


def test_capitals_of_several_neighbours(reader: Reader) -> None:
    posterior = reader.read("What are the capitals of the neighbours of Spain?").posterior
    best = posterior.readings[posterior.best]
    assert [len(a.hops) for a in best.anchors] == [2]
    assert [t.value for t in posterior.answers[posterior.best].terms] == ["http://ex.org/paris"]


def test_the_description_of_a_country_does_not_stand_for_the_word_capital(world: Reader) -> None:
    question = "population of the capital of Japan"
    assert evidence(world, question, "description_words")["japan"] == {0.0}
    assert labels(told(world, question)) == {"9,700,000"}


def test_what_else_a_description_says_still_counts(reader: Reader) -> None:
    found = evidence(reader, "population of the Springfield that lies in Missouri", "description_words")
    assert found["springfieldIL"] == {0.0}
    assert min(found["springfieldMO"]) > 0.0


@pytest.mark.parametrize(
    ("question", "true"),
    [
        ("Is Spain a country?", True),
        ("Is Atlanta a country?", False),
        ("Is Atlanta a city?", True),
        ("Is the population of Spain over 50 million?", False),
        ("Is the population of France over 50 million?", True),
        ("Does Portugal have fewer than 20 million people?", True),
        ("Does Portugal have more than 20 million people?", False),
        ("Is the area of Spain above 500,000 km²?", True),
        ("Does Spain border Portugal?", True),
        ("Does Georgia border Portugal?", False),
        ("Do any countries border both France and Portugal?", True),
    ],
)
def test_yes_or_no(reader: Reader, question: str, true: bool) -> None:
    event = told(reader, question)
    assert isinstance(event, Answered), event
    assert (event.form, event.boolean, event.values) == ("ask", true, ())


@pytest.mark.parametrize(
    ("question", "true"),
    [
        ("Is Peru a country?", True),
        ("Is Ohio a country?", False),
        ("Is Ohio a US state?", True),
        ("Is Seattle in the United States?", True),
        ("Is Seattle in Ohio?", False),
        ("Is Niles in Ohio?", True),
        ("Is Niles in Peru?", False),
    ],
)
def test_yes_or_no_where_a_class_is_called_state(world: Reader, question: str, true: bool) -> None:
    event = told(world, question)
    assert isinstance(event, Answered), event
    assert event.boolean is true


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Is Spain a country?", "Is it true: type of Spain is country?"),
        ("Is the population of Spain over 50 million?", "Is it true: Spain with population > 50000000?"),
    ],
)
def test_what_a_yes_or_no_was_read_as(reader: Reader, question: str, line: str) -> None:
    event = told(reader, question)
    assert isinstance(event, Answered), event
    assert event.interpretation == line
    assert event.sparql.startswith("ASK")


def test_a_name_that_a_country_shares_is_not_denied_to_be_a_state(reader: Reader) -> None:
    event = told(reader, "Is Georgia a US state?")
    assert isinstance(event, Asked) or (isinstance(event, Answered) and event.boolean is True), event
    posterior = reader.read("Is Georgia a US state?").posterior
    true = sum(p for p, a in zip(posterior.p, posterior.answers, strict=True) if a.terms[0].value == "true")
    assert true > 0.5


@pytest.mark.parametrize("question", ["Is the Nile in Spain?", "Is the Nile in Portugal?", "Is Lyen in Spain?"])
def test_nothing_is_denied_of_a_name_that_was_guessed(reader: Reader, question: str) -> None:
    event = told(reader, question)
    assert isinstance(event, Failed), event
    assert event.kind == "not_in_graph"
    assert reader.read(question).posterior.null == 1.0


@pytest.mark.parametrize(
    "question",
    [
        "Is Spain a kingdom?",
        "Is Paris the capital of Spain?",
        "Does France have neighbours?",
        "Is the population of Spain over 50 million?",
        "Has Atlanta more than 400,000 people?",
    ],
)
def test_yes_and_no_are_never_answered_with_a_list(reader: Reader, question: str) -> None:
    assert read_cues(question).ask
    assert {r.form for r in reader.read(question).posterior.readings} <= {"ask"}
    event = told(reader, question)
    assert not isinstance(event, Answered) or event.form == "ask", event


@pytest.mark.parametrize(
    "question",
    [
        "Can you tell me the capital of Spain?",
        "could you tell me the capital of Spain",
        "Would you tell me the capital of Spain?",
        "Do you know the capital of Spain?",
    ],
)
def test_a_polite_question_is_not_answered_with_yes(reader: Reader, question: str) -> None:
    assert not read_cues(question).ask
    assert labels(told(reader, question)) == {"Madrid"}


@pytest.mark.parametrize(
    ("question", "any_"),
    [
        ("Do any countries border both Spain and Germany?", True),
        ("Are there countries that border Spain?", True),
        ("Is there a city in France?", True),
        ("Does France border Spain?", False),
        ("Is Peru a country?", False),
    ],
)
def test_asking_whether_there_is_something(question: str, any_: bool) -> None:
    cues = read_cues(question)
    assert cues.ask
    assert cues.any is any_


@pytest.mark.parametrize(
    "question", ["Do any countries border both France and Portugal?", "Are there cities in Spain?"]
)
def test_existence_is_read_of_a_set(reader: Reader, question: str) -> None:
    readings = reader.read(question).posterior.readings
    assert readings
    assert all(r.form == "ask" and r.target is None for r in readings)
    assert all(r.line().startswith("Is there: ") for r in readings)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("countries with a larger area than Spain", {"France"}),
        ("Which countries have a larger area than Portugal?", {"France", "Spain"}),
        ("Which countries have a smaller area than Spain?", {"Portugal", "Georgia"}),
        ("countries with more people than Spain", {"France"}),
        ("Which countries have fewer inhabitants than Portugal?", {"Georgia"}),
    ],
)
def test_a_comparison_with_a_named_node(reader: Reader, question: str, expected: set[str]) -> None:
    assert labels(told(reader, question)) == expected


def test_a_comparison_says_whose_value_it_is(reader: Reader) -> None:
    event = told(reader, "countries with a larger area than Spain")
    assert isinstance(event, Answered), event
    assert event.interpretation == "Country with area > 506000 (that of Spain)"


@pytest.mark.parametrize(
    ("question", "expected", "line"),
    [
        ("Which continent has the most countries?", "America", "highest number of country: has continent"),
        ("Which country has the most cities?", "United States", "highest number of city: has country"),
        (
            "Which country has the most official languages?",
            "Peru",
            "highest number of values of official language",
        ),
        ("Which US state has the most cities?", "Ohio", "highest number of city: has state"),
    ],
)
def test_the_most_of_a_class_or_of_the_values_of_a_property(
    world: Reader, question: str, expected: str, line: str
) -> None:
    event = told(world, question)
    assert labels(event) == {expected}
    assert isinstance(event, Answered)
    assert line in event.interpretation


def test_cities_are_counted_on_another_graph_too(reader: Reader) -> None:
    assert labels(told(reader, "Which country has the most cities?")) == {"France"}


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many more people live in Spain than in France?", "How many more"),
        ("How many fewer people live in Spain than in France?", "How many fewer"),
        ("What is the difference in population between Spain and France?", "difference in"),
        ("previous currency of France", "previous"),
        ("What was the former currency of Spain?", "former"),
        ("future capital of Japan", "future"),
    ],
)
def test_differences_and_other_times_are_not_in_the_graph(world: Reader, question: str, words: str) -> None:
    event = told(world, question)
    assert isinstance(event, Failed), event
    assert (event.kind, event.reason) == (
        "not_in_graph",
        f'The graph has no property that says what "{words}" asks for here.',
    )


@pytest.mark.parametrize(
    ("question", "expected"),
    [("currency of France", {"Euro"}), ("capital of Japan", {"Tokyo"}), ("population of Spain", {"47,000,000"})],
)
def test_the_values_of_now_are_answered(world: Reader, question: str, expected: set[str]) -> None:
    assert labels(told(world, question)) == expected


def test_how_many_people_do_something_is_no_population() -> None:
    assert read_cues("How many people speak Spanish?").open_attributes == ()
    assert read_cues("How many people speak Spanish?").count
    for question in ("How many people live in Lyon?", "How many people does Lyon have?", "how many ppl in Lyon"):
        assert "population" in read_cues(question).open_attributes
        assert not read_cues(question).count


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many ppl in tokyo", {"9,700,000"}),
        ("how many ppl live in Tokyo", {"9,700,000"}),
        ("How many people live in Lyon?", {"520,000"}),
    ],
)
def test_how_many_people_of_a_place_is_its_population(world: Reader, question: str, expected: set[str]) -> None:
    assert labels(told(world, question)) == expected


@pytest.mark.parametrize(
    ("question", "attributes"),
    [
        ("How big is Spain in square km?", ("area",)),
        ("How big is Spain in square kilometres?", ("area",)),
        ("How big is Spain in people?", ("population",)),
        ("How big is Spain?", ("area", "population", "size")),
        ("How big is Spain in kg?", ("area", "population", "size")),
    ],
)
def test_a_unit_chooses_what_how_big_means(question: str, attributes: tuple[str, ...]) -> None:
    assert read_cues(question).open_attributes == attributes


def test_a_unit_leaves_nothing_to_ask(reader: Reader) -> None:
    assert isinstance(told(reader, "How big is Spain?"), Asked)
    assert labels(told(reader, "How big is Spain in square km?")) == {"506,000"}


@pytest.mark.parametrize(
    ("question", "both"),
    [
        ("Which countries border both France and Portugal?", True),
        ("countries that border France and Portugal", False),
        ("Is Both in France?", False),
    ],
)
def test_both_joins_two_conditions(question: str, both: bool) -> None:
    assert read_cues(question).both is both


def test_both_is_honoured_by_two_conditions_only(reader: Reader) -> None:
    question = "Which countries border both France and Portugal?"
    table = reader.table(question, reader.mentions(question))
    unjoined = table.phi[:, FEATURES.index("unjoined")]
    assert {len(r.anchors) for r in table.readings} == {1, 2}
    assert [bool(u) for u in unjoined] == [len(r.anchors) < 2 for r in table.readings]
    assert labels(told(reader, question)) == {"Spain"}


@pytest.mark.parametrize("question", ["population of Washington state", "cities in the state of Washington"])
def test_the_type_beside_a_name_tells_which_node_is_meant(world: Reader, question: str) -> None:
    found = evidence(world, question, "type_words")
    assert found["washingtonUS"] == {1.0}
    assert found["washington"] == {0.0}


def test_cities_in_the_state_and_in_the_country(world: Reader, reader: Reader) -> None:
    assert labels(told(world, "cities in the state of Washington")) == {"Seattle"}
    assert labels(told(reader, "cities in the country Georgia")) == {"Tbilisi", "Batumi"}
    posterior = reader.read("cities in the state of Georgia").posterior
    assert [t.value.rpartition("/")[2] for t in posterior.answers[posterior.best].terms] == ["atlanta", "savannah"]


def test_a_city_has_the_currency_of_its_country(world: Reader) -> None:
    question = "what currency do they use in Lyon"
    posterior = world.read(question).posterior
    best = posterior.readings[posterior.best]
    assert best.line() == "Currency of country of Lyon"
    assert [t.value for t in posterior.answers[posterior.best].terms] == ["http://ex.org/euro"]
    assert labels(told(world, "currency in Lyon")) == {"Euro"}


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="declined, NULL has 0.9")
@pytest.mark.parametrize("question", ["what currency do they use in Lyon", "What currency do they use in Tokyo?"])
def test_the_currency_that_they_use_in_a_city_is_answered(world: Reader, question: str) -> None:
    assert labels(told(world, question)) == {"Euro" if "Lyon" in question else "Yen"}
