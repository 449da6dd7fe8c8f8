import pytest

from clear_kgqa.evaluation.query_shape import shape_of, tidy
from clear_kgqa_tools.errors import QueryError

P = "PREFIX : <http://x/> "


@pytest.mark.parametrize(
    ("sparql", "form"),
    [
        ("SELECT ?a { :b :p ?a }", "select"),
        ("SELECT (COUNT(DISTINCT ?a) AS ?n) { :b :p ?a FILTER(?a > 2) }", "count"),
        ("SELECT ?b { ?b :p ?a } GROUP BY ?b ORDER BY DESC(COUNT(?a)) LIMIT 1", "select"),
        ("ASK { :b :p :c }", "ask"),
        ("CONSTRUCT WHERE { ?a :p ?b }", "construct"),
        ("DESCRIBE :b", "describe"),
    ],
)
def test_form(sparql: str, form: str) -> None:
    assert shape_of(P + sparql).form == form


def test_nodes_and_predicates() -> None:
    shape = shape_of(
        P + "SELECT ?a { VALUES ?v { :d } :b :p/(:q|^:r)* ?a . ?a a :C ; :s ?v FILTER(?a != :e) "
        "FILTER NOT EXISTS { ?a :t :f } }"
    )
    assert set(shape.nodes) == {f"http://x/{n}" for n in "bCdef"}
    assert {p.removeprefix("http://x/") for p in shape.predicates} == {
        "p", "q", "r", "s", "t", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
    }  # fmt: skip
    assert shape.constraints == {"filter", "minus"}


def test_constraints() -> None:
    shape = shape_of(P + "SELECT ?a { ?a :p ?b } GROUP BY ?a ORDER BY ?a LIMIT 3")
    assert shape.constraints == {"order", "limit", "group"}
    assert shape_of(P + "SELECT (COUNT(?a) AS ?n) { ?a :p ?b }").constraints == frozenset()


def test_triples() -> None:
    assert shape_of(P + 'SELECT ?a { ?a :p "x" }').triples == (("?a", "http://x/p", "x"),)


@pytest.mark.parametrize("sparql", ["", "nonsense", "SELECT ?a { unknown:b :p ?a }", "SELECT ?a {"])
def test_what_cannot_be_read(sparql: str) -> None:
    with pytest.raises(QueryError, match="cannot parse"):
        shape_of(sparql)


@pytest.mark.parametrize(
    ("loose", "tight"),
    [
        ("{ ?a wdt:P31 / wdt:P279 * wd:Q5 }", "{ ?a wdt:P31 / wdt:P279* wd:Q5 }"),
        ("{ ?a <http://x/p> + ?b }", "{ ?a <http://x/p>+ ?b }"),
        ('FILTER(?a > "2" ^^ xsd:integer)', 'FILTER(?a > "2"^^xsd:integer)'),
        ("FILTER(?a * ?b > (?c) + 2)", "FILTER(?a * ?b > (?c) + 2)"),
        ('"a:b * c ^^ d" # x:y * z', '"a:b * c ^^ d" # x:y * z'),
        ("SELECT (COUNT( * ) AS ?n) { ?s ?p ?o }", "SELECT (COUNT( * ) AS ?n) { ?s ?p ?o }"),
    ],
)
def test_tidy(loose: str, tight: str) -> None:
    assert tidy(loose) == tight
