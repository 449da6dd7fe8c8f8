"""The quads and IRIs that the demo graph is made of."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import isqrt
from typing import Any

import pyoxigraph as ox

from clear_kgqa_tools.terms import XSD

DEMO = "https://clear-kgqa.example/demo/"
POPULATION = "http://www.geonames.org/ontology#population"
POPULARITY = DEMO + "popularity"

_INTEGER, _DECIMAL = ox.NamedNode(XSD + "integer"), ox.NamedNode(XSD + "decimal")
_iri = lru_cache(maxsize=4096)(ox.NamedNode)  # checking an IRI costs more than the rest of a quad


def people(iri: str, number: int) -> Iterator[ox.Quad]:
    """The population of a place, and how well known that makes it: its square root."""
    if number:
        yield quad(iri, POPULATION, ox.Literal(str(number), datatype=_INTEGER))
        yield quad(iri, POPULARITY, ox.Literal(str(isqrt(number)), datatype=_INTEGER))


def described(kind: str, people: int) -> str:
    return f"{kind}, population {people:,}" if people else kind


def shared(what: str, countries: list[dict[str, Any]]) -> str:
    return f"{what} {countries[0]['name'].strip()}" if len(countries) == 1 else f"{what} {len(countries)} countries"


def number(iri: str, predicate: str, value: float, sign: bool = False) -> Iterator[ox.Quad]:
    """A number, left out where zero means unknown (not so for coordinates, marked by `sign`)."""
    if value or sign:
        whole = isinstance(value, int)
        yield quad(iri, predicate, ox.Literal(str(value), datatype=_INTEGER if whole else _DECIMAL))


def text(iri: str, predicate: str, value: str, language: str | None = None) -> ox.Quad:
    return quad(iri, predicate, ox.Literal(value, language=language))


def link(iri: str, predicate: str, target: str) -> ox.Quad:
    return quad(iri, predicate, _iri(target))


def quad(iri: str, predicate: str, target: ox.NamedNode | ox.Literal) -> ox.Quad:
    return ox.Quad(_iri(iri), _iri(predicate), target)


def geonames(number: int) -> str:
    return f"https://sws.geonames.org/{number}/"


def currency(code: str) -> str:
    return f"http://publications.europa.eu/resource/authority/currency/{code}"


def language(code: str) -> str:
    return f"http://lexvo.org/id/iso639-3/{code}"


def time_zone(name: str) -> str:
    return f"{DEMO}timezone/{name}"
