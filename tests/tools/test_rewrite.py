import pyoxigraph as ox
import pytest

from clear_kgqa_tools.safety import check

PREFIXES = {"dbr": "http://db.org/", "fb": "http://fb.org/", "xsd": "http://www.w3.org/2001/XMLSchema#"}
XSD_INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"


@pytest.mark.parametrize(
    ("query", "rewritten"),
    [
        (
            "ASK { ?s dbr:a * ?o ; dbr:b/dbr:c + ?x ; (dbr:d|dbr:e) ? ?y }",
            "ASK { ?s dbr:a* ?o ; dbr:b/dbr:c+ ?x ; (dbr:d|dbr:e)? ?y }",
        ),
        (
            "ASK { ?s ?p ?o FILTER(?o > '1' ^^ xsd:integer || ?o = 'x' @en) }",
            "ASK { ?s ?p ?o FILTER(?o > '1'^^xsd:integer || ?o = 'x'@en) }",
        ),
        (
            "ASK { ?x ?p ?o FILTER (!isLiteral(?x) OR lang(?x) = '' or ?x = 'OR' AND ?o) }",
            "ASK { ?x ?p ?o FILTER (!isLiteral(?x) || lang(?x) = '' || ?x = 'OR' && ?o) }",
        ),
        (
            "ASK { ?s fb:location.country.languages_spoken ?o }",
            "ASK { ?s <http://fb.org/location.country.languages_spoken> ?o }",
        ),
        (
            "PREFIX fb: <http://own.org/> ASK { ?s fb:a.b.c/fb:d.e ?o }",
            "PREFIX fb: <http://own.org/> ASK { ?s <http://own.org/a.b.c>/<http://own.org/d.e> ?o }",
        ),
        (
            "SELECT (CONCAT (?a, COALESCE (?b, '')) AS ?c) { ?a ?p ?b }",
            "SELECT (CONCAT(?a, COALESCE(?b, '')) AS ?c) { ?a ?p ?b }",
        ),
        (
            "SELECT * { ?s ?p ?o FILTER(xsd:int(?o) > 3) }",
            f"SELECT * {{ ?s ?p ?o FILTER({XSD_INTEGER}(?o) > 3) }}",
        ),
        (
            "SELECT * { ?s ?p ?o FILTER(<http://www.w3.org/2001/XMLSchema#long>(?o) > 3) }",
            f"SELECT * {{ ?s ?p ?o FILTER({XSD_INTEGER}(?o) > 3) }}",
        ),
        ("SELECT COUNT(*) { ?s ?p ?o }", "SELECT (COUNT(*) AS ?count) { ?s ?p ?o }"),
        ("SELECT (COUNT(*)) { ?s ?p ?o }", "SELECT (COUNT(*) AS ?count) { ?s ?p ?o }"),
        (
            "SELECT ?s COUNT(DISTINCT ?o) AS ?n { ?s ?p ?o } GROUP BY ?s",
            "SELECT ?s (COUNT(DISTINCT ?o) AS ?n) { ?s ?p ?o } GROUP BY ?s",
        ),
        (
            "SELECT DISTINCT STR(?count) { ?count ?p ?o }",
            "SELECT DISTINCT (STR(?count) AS ?value) { ?count ?p ?o }",
        ),
        (
            "SELECT COUNT(?count) { { SELECT ?count { ?count ?p ?o } } }",
            "SELECT (COUNT(?count) AS ?count2) { { SELECT ?count { ?count ?p ?o } } }",
        ),
        (
            "ASK { dbr:Paul_Lucas_(politician) ?p ?o }",
            "ASK { <http://db.org/Paul_Lucas_(politician)> ?p ?o }",
        ),
        (
            "ASK { ?s ?p dbr:Victoria,_British_Columbia }",
            "ASK { ?s ?p <http://db.org/Victoria,_British_Columbia> }",
        ),
        (
            "ASK { dbr:Queen's_Park ?p ?o . dbr:King's_Road ?p ?o }",
            "ASK { <http://db.org/Queen's_Park> ?p ?o . <http://db.org/King's_Road> ?p ?o }",
        ),
        ("ASK { dbr:Silviu_Lung_Jr. ?p ?o }", "ASK { <http://db.org/Silviu_Lung_Jr.> ?p ?o }"),
        ("ASK { dbr:AC/DC ?p ?o }", "ASK { <http://db.org/AC/DC> ?p ?o }"),
    ],
)
def test_what_engines_reject_is_rewritten_into_what_they_take(query: str, rewritten: str) -> None:
    checked = check(query, PREFIXES)
    assert checked.text.rpartition("\n")[2] == rewritten
    ox.Store().query(checked.text)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT (COUNT(*) AS ?n) ?s { ?s ?p ?o } GROUP BY ?s",
        "SELECT (STRDT('1', <http://www.w3.org/2001/XMLSchema#int>) AS ?x) { }",
        "SELECT * { ?s ?p '1'^^<http://www.w3.org/2001/XMLSchema#int> FILTER(?s = ?p) }",
        "SELECT * { ?s ?p 'SELECT COUNT(*) CONCAT ( xsd:int(' }",
        "PREFIX a: <http://a.org/> SELECT * { a:b a:c a:d,a:e . a:x a:y a:z. }",
        "PREFIX a: <http://a.org/> SELECT * { ?s a:b/a:c|^a:d ?o }",
    ],
)
def test_what_is_right_stays(query: str) -> None:
    assert check(query, PREFIXES).text == query


def test_rewrites_that_the_model_should_learn_from_are_told() -> None:
    assert "full IRIs" in check("ASK { dbr:Lucas_(x) ?p ?o }", PREFIXES).warnings[0]
    assert "(COUNT(*) AS ?count)" in check("SELECT COUNT(*) { ?s ?p ?o }").warnings[0]
    assert "xsd:int()" in check("ASK { ?s ?p ?o FILTER(xsd:int(?o)) }", PREFIXES).warnings[0]
