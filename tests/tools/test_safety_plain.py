"""The plainest queries skip the parser; the parser must agree about every one of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.graph import CheckedQuery
from clear_kgqa_tools.safety import check
from clear_kgqa_tools.safety_plain import LONGEST, plain_form
from clear_kgqa_tools.terms import XSD, Term, iri_ref

PLAIN = [
    "SELECT DISTINCT ?x WHERE { <http://ex.org/Chad> <http://ex.org/borders> ?x . }",
    "SELECT ?x WHERE { ?x <http://ex.org/in> ?m1 . ?m1 <http://ex.org/of> ?x . } GROUP BY ?x "
    "ORDER BY DESC(COUNT(DISTINCT ?v)) ?x LIMIT 1 OFFSET 2",
    "SELECT (COUNT(DISTINCT ?x) AS ?count) WHERE { ?x <http://ex.org/type>/<http://ex.org/sub>* <http://ex.org/City> . "
    f'?x <http://ex.org/n> ?f0 . FILTER(YEAR(?f0) >= "1999"^^<{XSD}integer>) }}',
    'ASK { VALUES ?x { <http://ex.org/a> "b"@en-GB "" } ?x ?p "SERVICE <http://ex.org/> { FROM }" . }',
    "SELECT DISTINCT ?e WHERE { VALUES ?e { <http://ex.org/a> <http://ex.org/Köln> } } LIMIT 100",
    "PREFIX wd: <http://ex.org/> SELECT ?uri WHERE { ?uri wdt:P31/wdt:P279* wd:Q5 . ?uri wdt:P571 ?date } "
    "ORDER BY DESC ( ?date ) LIMIT 1",
    "PREFIX ex: <http://ex.org/>\nSELECT DISTINCT ?result\nWHERE\n{\n  <http://ex.org/a%40b> ex:phone ?result .\n}",
]
ODD = [
    "SELECT DISTINCT ?x WHERE { SERVICE <http://ex.org/> { } }",
    "SELECT ?x FROM <http://ex.org/g> WHERE { ?x ?p ?y . }",
    "SELECT ?x WHERE { GRAPH <http://ex.org/g> { ?x ?p ?y . } }",
    "SELECT ?x WHERE { ?x <bif:contains> ?y . }",
    'SELECT ?x WHERE { ?x ?p "a\\u0022 . SERVICE <http://ex.org/> { } " . }',
    'SELECT ?x WHERE { ?x ?p "a\nb" . }',
    "SELECT ?x WHERE { ?x ?p <http://ex.org/\\u003e> . }",
    'SELECT ?x WHERE { ?x ?p """a""" . }',
    "SELECT ?x WHERE { ?x ex:p.q ?y . }",
    "SELECT ?x WHERE { ?x bif:contains ?y . }",
    "SELECT ?x WHERE { ?x ex:p ?y. }",
    "PREFIX ex: <http://ex.org/> INSERT { ?x ex:p ?y } WHERE { ?x ex:p ?y . }",
    "SELECT ?x WHERE { ?x ?p ?y . } # LIMIT 1",
    "SELECT ?x WHERE { ?x ?p ?y . } ; DROP ALL",
    "SELECT ?x WHERE { " + "?x ?p ?y . " * (LONGEST // 10) + "}",
    "INSERT DATA { <http://ex.org/a> <http://ex.org/a> <http://ex.org/a> . }",
]


PREFIXES = {"wd": "http://ex.org/wd/", "wdt": "http://ex.org/wdt/"}


def checked(query: str) -> CheckedQuery | str:
    """The verdict, a refusal as its words."""
    try:
        return check(query, PREFIXES)
    except QueryError as error:
        return str(error)


def parsed(query: str) -> CheckedQuery | str:
    """What the parse tree says; a comment after it keeps the shortcut out."""
    return checked(query + " #")


@pytest.mark.parametrize("query", PLAIN)
def test_a_plain_query_needs_no_parser_and_the_parser_agrees(query: str) -> None:
    assert plain_form(query) is not None
    assert checked(query) == parsed(query)


@pytest.mark.parametrize("query", ODD)
def test_anything_odd_is_parsed(query: str) -> None:
    assert plain_form(query) is None


IRIS = st.one_of(
    st.builds(lambda name: iri_ref("http://ex.org/" + name), st.text(max_size=6)),
    st.sampled_from(["wd:Q1", "wdt:P2", "a:b"]),
)
LITERALS = st.builds(
    lambda value, end: Term(value, "literal", *end).n3(),
    st.text(max_size=8),
    st.sampled_from([(XSD + "string",), (XSD + "integer",), ("", "en"), ("", "zh-Hans")]),
)
VARIABLES = st.sampled_from(["?x", "?m1", "?f0"])
OBJECTS = st.one_of(IRIS, LITERALS, VARIABLES)
ELEMENTS = st.one_of(
    st.builds("{} {} {} .".format, st.one_of(IRIS, VARIABLES), st.one_of(IRIS, VARIABLES), OBJECTS),
    st.builds("FILTER({} {} {})".format, VARIABLES, st.sampled_from(["<", ">=", "!="]), st.one_of(LITERALS, VARIABLES)),
    st.builds("VALUES ?x {{ {} {} }}".format, IRIS, LITERALS),
)
ENDS = st.sampled_from(["", " GROUP BY ?x", " ORDER BY ASC(?x)", " LIMIT 3", " GROUP BY ?x ORDER BY DESC(MAX(?m1)) ?x"])
QUERIES = st.builds(
    lambda start, parts, end: start + "SELECT ?x WHERE { " + " ".join([*parts, "}"]) + end,
    st.sampled_from(["", "PREFIX wd: <http://ex.org/other/> ", "PREFIX a: <http://ex.org/>\n"]),
    st.lists(ELEMENTS, max_size=4),
    ENDS,
)


@settings(max_examples=150, deadline=None, database=None)
@given(QUERIES, st.integers(0, 200), st.text(alphabet='<>"{}\\#?.;:@^/* \nSERVICEFROMBASE', max_size=4))
def test_what_is_taken_for_plain_reads_the_same_to_the_parser(query: str, at: int, inserted: str) -> None:
    """Composed queries, and the same with a few characters written into them."""
    for text in (query, query[: at % len(query)] + inserted + query[at % len(query) :]):
        if plain_form(text) is not None:
            assert checked(text) == parsed(text)


def test_a_query_that_is_not_plain_is_still_refused() -> None:
    with pytest.raises(QueryError, match="SERVICE is not allowed"):
        check(ODD[0])
