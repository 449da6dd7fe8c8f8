"""Queries printed from their tree mean what they meant."""

from __future__ import annotations

import re

import pyoxigraph
import pytest
from rdflib.plugins.sparql.algebra import pprintAlgebra, translateQuery
from rdflib.plugins.sparql.parser import parseQuery

from clear_kgqa.nlkgq.query_text import query_text
from clear_kgqa.nlkgq.query_tree import parse
from clear_kgqa_tools.errors import QueryError

P = "PREFIX e: <http://e/> PREFIX : <http://d/> "
QUERIES = [
    "SELECT * { ?s ?p ?o }",
    "SELECT DISTINCT ?s (COUNT(DISTINCT ?o) AS ?n) { ?s e:p ?o } GROUP BY ?s "
    "HAVING (COUNT(?o) > 2) ORDER BY DESC(?n) ?s",
    "SELECT REDUCED ?s { ?s a e:C ; e:p e:o , :x ; } LIMIT 3 OFFSET 2",
    "SELECT ?s FROM e:g FROM NAMED :h { GRAPH ?g { ?s e:p 1 } GRAPH :h { ?s e:p 1.5, 1e3, true, -4 } }",
    'SELECT ?s { ?s e:p "a \\"b\\" \\\\ \\n c"@en-GB , \'x\'^^e:t , '
    '"""long "quoted" one""" , "2020-01-01"^^e:date }',
    "SELECT ?s { { ?s e:p 1 } UNION { ?s e:q 2 } UNION { ?s e:r 3 FILTER(?s = "
    "e:a) } OPTIONAL { ?s e:t ?o } }",
    "SELECT ?s { ?s e:p ?o MINUS { ?s e:q ?o } FILTER NOT EXISTS { ?s e:r ?o } FILTER EXISTS { ?o e:r ?s } }",
    "SELECT ?s { ?s e:p ?o FILTER((?o > 1 && ?o < 5 || ?o = -3) && !(?o = 2) && "
    "?o IN (1, 2) && ?o NOT IN ()) }",
    "SELECT ?s { ?s e:p ?o FILTER(?o * (2 + 3) - -?o / 4 - (1 - 2) >= +?o) }",
    "SELECT ?s { ?s e:p ?o BIND(IF(BOUND(?o), STR(?o), CONCAT('a', \"b\", LCASE(?s))) AS ?x) }",
    "SELECT ?s { ?s e:p ?o FILTER REGEX(STR(?o), '^a.b$', 'i') FILTER(LANGMATCHES(LANG(?o), '*')) }",
    "SELECT ?s { ?s e:p ?o FILTER(SUBSTR(?o, 1, 2) = REPLACE(?o, 'a', 'b') || "
    "COALESCE(?x, ?o, 1) = e:f(?o, 2)) }",
    "SELECT ?s { ?s e:p/^e:q/(e:r|^e:s)* ?o . ?s (e:p/e:q)+ ?x . ?s !(e:p|a) ?y "
    ". ?s ^e:p ?z . ?s (^e:p)? ?u }",
    "SELECT ?s { ?s e:p|e:q/e:r ?o . ?s (e:p|e:q)/e:r ?x . ?s ^(e:p/e:q) ?y . ?s e:p*/e:q+ ?z }",
    "SELECT ?s { VALUES ?s { e:a :b } VALUES (?x ?y) { (1 UNDEF) ('a'@en e:c) } "
    "VALUES () { } } VALUES ?z { 1 }",
    "SELECT ?n { { SELECT ?n (MAX(?o) AS ?m) { ?n e:p ?o } GROUP BY ?n ORDER BY ?m LIMIT 2 } ?n e:q ?x }",
    "SELECT (GROUP_CONCAT(DISTINCT ?o; SEPARATOR=', \\n') AS ?all) (SUM(?o) + 1 "
    "AS ?t) (SAMPLE(?o) AS ?e) { ?s e:p ?o }",
    "SELECT (COUNT(*) AS ?n) { ?s e:p [ e:q ?x ] }",
    "SELECT ?g { ?s e:p ?o } GROUP BY (STR(?o) AS ?g) ?o YEAR(?o) (?o + 1)",
    "SELECT ?s { ?s e:p ?o } ORDER BY ASC(?s) STR(?o) (STR(?o))",
    "SELECT ?s { ?s e:p ?o BIND(RAND() AS ?r) BIND(NOW() AS ?n) BIND(BNODE() AS ?b) BIND(UUID() AS ?u) }",
    "ASK { e:a e:p e:b }",
    "ASK { }",
    "CONSTRUCT { ?s e:q ?o . ?o e:r _:b } WHERE { ?s e:p ?o } LIMIT 5",
    "CONSTRUCT { } WHERE { ?s e:p ?o }",
    "CONSTRUCT WHERE { ?s e:p ?o . ?o e:q ?x }",
    "DESCRIBE e:a ?s WHERE { ?s e:p ?o }",
    "DESCRIBE e:a",
    "BASE <http://base/> SELECT ?s { ?s <rel> <#frag> }",
]  # fmt: skip


def algebra(text: str, capsys: pytest.CaptureFixture[str]) -> str:
    pprintAlgebra(translateQuery(parseQuery(text)))
    return re.sub(r"BNode\('\w+'\)|N[0-9a-f]{32}", "bnode", capsys.readouterr().out)


@pytest.mark.parametrize("query", QUERIES)
def test_the_printed_query_has_the_same_algebra(query: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = query_text(parse(P + query), {"e": "http://e/"})
    assert algebra(printed, capsys) == algebra(P + query, capsys)
    assert query_text(parse(printed), {"e": "http://e/"}) == printed


@pytest.mark.parametrize("query", [q for q in QUERIES if "e:f(" not in q])
def test_oxigraph_takes_the_printed_query(query: str) -> None:
    pyoxigraph.Store().query(query_text(parse(P + query), {"e": "http://e/"}))


def test_nested_blank_nodes_and_lists_still_match() -> None:
    data = "@prefix e: <http://e/> . e:s e:p [ e:q e:x ; e:r [ e:t 2 ] ] . (1 e:x) e:s e:s ."
    store = pyoxigraph.Store()
    store.load(data.encode(), pyoxigraph.RdfFormat.TURTLE)
    query = P + "SELECT ?s ?x { ?s e:p [ e:q ?x ; e:r [ e:t ?n ] ] . (1 ?x) e:s ?s }"
    rows = [list(store.query(text)) for text in (query, query_text(parse(query)))]
    assert len(rows[0]) == len(rows[1]) == 1
    assert [str(t) for t in rows[0][0]] == [str(t) for t in rows[1][0]] == ["<http://e/s>", "<http://e/x>"]


@pytest.mark.parametrize("literal", [r'"a\\u0041"', r'"\t\n\"\\"', r"'it\'s'", '"\u00e9 \U0001f600"', '"{ } # <x>"'])
def test_literals_keep_their_value(literal: str) -> None:
    query = f"SELECT ({literal} AS ?x) {{ }}"
    values = [[row[0] for row in pyoxigraph.Store().query(text)] for text in (query, query_text(parse(query)))]
    assert values[0] == values[1]


def test_only_used_prefixes_are_declared_and_odd_names_stay_iris() -> None:
    query = "SELECT ?s { ?s <http://e/p> <http://e/a.b.c> . ?s <http://f/q> <http://e/> }"
    printed = query_text(parse(query), {"e": "http://e/", "g": "http://g/"})
    assert printed.startswith("PREFIX e: <http://e/>\nSELECT ?s\nWHERE {\n  ?s e:p <http://e/a.b.c> .\n")
    assert "g:" not in printed


def test_text_inside_literals_and_comments_is_no_syntax() -> None:
    query = 'SELECT ?s { ?s <http://e/p#x> "} # w:term SERVICE <http://x>" # SERVICE <http://y> {}\n }'
    assert '"} # w:term SERVICE <http://x>"' in query_text(parse(query))


def test_an_inverse_step_that_the_parser_would_lose_is_refused() -> None:
    with pytest.raises(QueryError, match="negated property set"):
        parse(P + "SELECT ?s { ?s !(e:p|^e:q) ?o }")


def test_an_undeclared_prefix_is_refused_and_a_known_one_is_not() -> None:
    with pytest.raises(QueryError, match="f:"):
        parse("SELECT ?s { ?s f:p ?o }")
    assert "<http://f/p>" in query_text(parse("SELECT ?s { ?s f:p ?o }", {"f": "http://f/"}))
