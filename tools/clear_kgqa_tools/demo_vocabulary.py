"""Classes and properties of the demo graph with the words that people use for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyoxigraph as ox

from clear_kgqa_tools import demo_quads as q
from clear_kgqa_tools.demo_quads import DEMO
from clear_kgqa_tools.terms import RDF_TYPE, RDFS_LABEL, XSD

GEONAMES = "http://www.geonames.org/ontology#"
SCHEMA = "http://schema.org/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
WGS84 = "http://www.w3.org/2003/01/geo/wgs84_pos#"
ALT_LABEL = "http://www.w3.org/2004/02/skos/core#altLabel"
DESCRIPTION = SCHEMA + "description"

COUNTRY, CITY, STATE, CONTINENT = (SCHEMA + name for name in ("Country", "City", "State", "Continent"))
COUNTY, CURRENCY, TIME_ZONE = (DEMO + name for name in ("USCounty", "Currency", "TimeZone"))
LANGUAGE = SCHEMA + "Language"

_CLASSES = {
    COUNTRY: ("country", ("nation", "sovereign state")),
    CITY: ("city", ("town", "place", "settlement")),
    STATE: ("US state", ("state", "American state")),
    COUNTY: ("US county", ("county",)),
    CONTINENT: ("continent", ()),
    CURRENCY: ("currency", ("money",)),
    LANGUAGE: ("language", ("tongue",)),
    TIME_ZONE: ("time zone", ("timezone",)),
}


@dataclass(frozen=True)
class _Property:
    label: str
    names: tuple[str, ...]
    domains: tuple[str, ...]
    range: str
    comment: str


POPULATION = q.POPULATION
AREA = DEMO + "area"
CAPITAL = DEMO + "capital"
CURRENCY_USED = DEMO + "currency"
LANGUAGE_SPOKEN = DEMO + "language"
NEIGHBOUR = GEONAMES + "neighbour"
IN_TIME_ZONE = DEMO + "timeZone"
CALLING_CODE = DEMO + "callingCode"
TOP_LEVEL_DOMAIN = DEMO + "topLevelDomain"
LATITUDE, LONGITUDE = WGS84 + "lat", WGS84 + "long"
LOCATED_IN = SCHEMA + "containedInPlace"
IN_COUNTRY = GEONAMES + "parentCountry"
IN_STATE = GEONAMES + "parentADM1"
IN_CONTINENT = DEMO + "continent"
ISO_CODE, ISO3_CODE = GEONAMES + "countryCode", DEMO + "alpha3Code"
CURRENCY_CODE = DEMO + "currencyCode"
POSTAL_CODE, FIPS_CODE = DEMO + "postalAbbreviation", DEMO + "fipsCode"

_PROPERTIES = {
    POPULATION: _Property(
        "population",
        ("number of inhabitants", "number of people", "inhabitants", "people", "residents"),
        (COUNTRY, CITY, CONTINENT),
        XSD + "integer",
        "The number of people who live there.",
    ),
    AREA: _Property(
        "area",
        ("size in square kilometres", "size", "surface area", "land area"),
        (COUNTRY,),
        XSD + "decimal",
        "The area in square kilometres.",
    ),
    CAPITAL: _Property(
        "capital", ("capital city", "seat of government"), (COUNTRY,), CITY, "The capital city of a country."
    ),
    CURRENCY_USED: _Property(
        "currency",
        ("money", "legal tender", "pays with"),
        (COUNTRY,),
        CURRENCY,
        "The currency that a country uses.",
    ),
    LANGUAGE_SPOKEN: _Property(
        "language",
        ("speaks", "spoken language", "languages spoken"),
        (COUNTRY,),
        LANGUAGE,
        "A language spoken in a country, official or not.",
    ),
    NEIGHBOUR: _Property(
        "neighbour",
        ("neighbor", "borders", "bordering country", "shares a border with", "adjacent country"),
        (COUNTRY,),
        COUNTRY,
        "A country that shares a land border.",
    ),
    IN_TIME_ZONE: _Property(
        "time zone",
        ("timezone", "local time"),
        (CITY, COUNTRY),
        TIME_ZONE,
        "The time zone of a city, or of the cities of a country.",
    ),
    CALLING_CODE: _Property(
        "calling code",
        ("dialling code", "phone code", "telephone prefix", "country calling code"),
        (COUNTRY,),
        XSD + "string",
        "The international telephone prefix.",
    ),
    TOP_LEVEL_DOMAIN: _Property(
        "top-level domain",
        ("internet domain", "web domain", "TLD"),
        (COUNTRY,),
        XSD + "string",
        "The country's domain on the internet.",
    ),
    LATITUDE: _Property("latitude", ("coordinates", "how far north"), (CITY,), XSD + "decimal", "Degrees north."),
    LONGITUDE: _Property("longitude", ("coordinates", "how far east"), (CITY,), XSD + "decimal", "Degrees east."),
    LOCATED_IN: _Property(
        "located in",
        ("is in", "lies in", "part of", "location", "situated in"),
        (CITY, COUNTY, STATE, COUNTRY),
        SCHEMA + "Place",
        "The place that holds it: state, country or continent.",
    ),
    IN_COUNTRY: _Property(
        "country", ("nation", "belongs to country"), (CITY, STATE, COUNTY), COUNTRY, "The country it lies in."
    ),
    IN_STATE: _Property("state", ("US state",), (CITY, COUNTY), STATE, "The US state it lies in."),
    IN_CONTINENT: _Property(
        "continent", ("part of the world",), (COUNTRY,), CONTINENT, "The continent a country belongs to."
    ),
    ISO_CODE: _Property(
        "ISO country code",
        ("country code", "two-letter code"),
        (COUNTRY,),
        XSD + "string",
        "ISO 3166-1 alpha-2.",
    ),
    ISO3_CODE: _Property(
        "three-letter country code", ("alpha-3 code",), (COUNTRY,), XSD + "string", "ISO 3166-1 alpha-3."
    ),
    CURRENCY_CODE: _Property("currency code", ("ISO 4217 code",), (CURRENCY,), XSD + "string", "ISO 4217."),
    POSTAL_CODE: _Property(
        "postal abbreviation",
        ("state code", "abbreviation"),
        (STATE,),
        XSD + "string",
        "The two letters used in addresses.",
    ),
    FIPS_CODE: _Property("FIPS code", (), (COUNTY,), XSD + "string", "The county's number in FIPS 6-4."),
}


def vocabulary() -> Iterator[ox.Quad]:
    """The triples that declare the demo graph's classes and properties."""
    for iri, (label, names) in _CLASSES.items():
        yield q.link(iri, RDF_TYPE, RDFS + "Class")
        yield from _named(iri, label, names)
    for iri, of in _PROPERTIES.items():
        yield q.link(iri, RDF_TYPE, RDF + "Property")
        yield from _named(iri, of.label, of.names)
        yield q.text(iri, RDFS + "comment", of.comment, "en")
        yield q.link(iri, RDFS + "range", of.range)
        for domain in of.domains:
            yield q.link(iri, RDFS + "domain", domain)
    yield q.link(NEIGHBOUR, RDF_TYPE, "http://www.w3.org/2002/07/owl#SymmetricProperty")


def _named(iri: str, label: str, names: tuple[str, ...]) -> Iterator[ox.Quad]:
    yield q.text(iri, RDFS_LABEL, label, "en")
    for name in names:
        yield q.text(iri, ALT_LABEL, name, "en")
