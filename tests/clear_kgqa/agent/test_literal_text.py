"""Numbers as a person reads them: populations with separators, years and codes without."""

from __future__ import annotations

import pytest

from clear_kgqa.agent.literal_text import property_words, readable
from clear_kgqa_tools.schema import Property, Schema
from clear_kgqa_tools.terms import XSD, Term

EX = "http://ex.org/"
SCHEMA = Schema(
    (Property(EX + "P571", "Gründung", aliases=("year of foundation",)), Property(EX + "pop", "population"))
)


@pytest.mark.parametrize(
    ("value", "datatype", "words", "shown"),
    [
        ("1982", "integer", "release year", "1982"),
        ("1982", "gYear", "release year", "1982"),
        ("1982", "gYear", "", "1982"),
        ("1982.0", "decimal", "year", "1982"),
        ("-753", "integer", "founded", "-753"),
        ("1865", "integer", "date of foundation", "1865"),
        ("80331", "integer", "postal code", "80331"),
        ("49123", "int", "calling code", "49123"),
        ("06075", "integer", "fips code", "06075"),
        ("3704500", "integer", "population", "3,704,500"),
        ("1982", "integer", "population", "1,982"),
        ("1200000", "integer", "visitors per year", "1,200,000"),
        ("-1234.50", "decimal", "balance", "-1,234.5"),
        ("1982-06-25T00:00:00Z", "dateTime", "release date", "1982-06-25"),
    ],
)
def test_years_and_codes_stand_as_they_are(value: str, datatype: str, words: str, shown: str) -> None:
    assert readable(Term(value, "literal", XSD + datatype), words) == shown


@pytest.mark.parametrize(
    ("sparql", "column", "words"),
    [
        (f"SELECT DISTINCT ?x WHERE {{ <{EX}a> <{EX}releaseYear> ?x . }}", "x", "release year"),
        (f"SELECT ?x WHERE {{ <{EX}a> <{EX}P571> ?x }}", "x", "gründung / year of foundation / p571"),
        (f"PREFIX e: <{EX}> SELECT (MAX(?y) AS ?m) {{ ?a e:year ?y }}", "m", "year"),
        (f"SELECT (COUNT(?y) AS ?n) {{ ?a <{EX}year> ?y }}", "n", ""),
        (f"SELECT ?a {{ ?a <{EX}year> ?y }}", "a", ""),
    ],
)
def test_the_property_of_a_column_comes_from_the_query(sparql: str, column: str, words: str) -> None:
    assert property_words(sparql, column, SCHEMA) == words
