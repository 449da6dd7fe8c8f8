"""Linearised triples: there and back, and the scores on them."""

from __future__ import annotations

import pytest

from clear_kgqa.examples.linearise import bleu, delinearise, linearise, to_sparql, triple_f1
from clear_kgqa.examples.patterns import query_pattern
from clear_kgqa.examples.structure import pattern_type, structural_type
from clear_kgqa_tools.errors import QueryError

QUERIES = [
    "SELECT ?a { <http://e/Dune> <http://e/author> ?a }",
    "SELECT ?a ?b { <http://e/Dune> <http://e/author> ?x . ?x <http://e/born> ?a . "
    "?y <http://e/q> ?b ; a <http://e/C> }",
    'SELECT ?a { ?a <http://e/name> "a [SEP] \\"b\\" [END]"@en . ?a <http://e/n> 3 }',
    'SELECT ?a { ?a <http://e/on> "2020"^^<http://www.w3.org/2001/XMLSchema#gYear> }',
    "SELECT ?a { <http://e/x[SEP]y> <http://e/p>+ ?a . ?a (<http://e/p>|<http://e/q>)* ?z }",
    "ASK { <http://e/Dune> <http://e/author> <http://e/Herbert> }",
    "SELECT ?p { <http://e/Dune> ?p ?o }",
    "ASK { }",
]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("prefixes", [{}, {"e": "http://e/", "": "http://e/D"}])
def test_there_and_back(query: str, prefixes: dict[str, str]) -> None:
    pattern = query_pattern(query)
    line = linearise(pattern, prefixes)
    back = delinearise(line, prefixes)
    assert linearise(back, prefixes) == line
    assert back.form == pattern.form
    assert len(back.triples) == len(pattern.triples)
    if pattern.triples:
        assert structural_type(to_sparql(back)) == pattern_type(pattern)


def test_the_marks_stand_where_the_paper_puts_them() -> None:
    pattern = query_pattern(QUERIES[1])
    assert linearise(pattern, {"e": "http://e/"}) == (
        "e:Dune [SEP] e:author [SEP] [TEMP] [END] [TEMP] [SEP] e:born [SEP] [ROOT] [END] "
        "[TEMP2] [SEP] e:q [SEP] [ROOT2] [END] "
        "[TEMP2] [SEP] <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> [SEP] e:C [END]"
    )


@pytest.mark.parametrize(
    "line",
    [
        "<http://e/a> [SEP] <http://e/b> [SEP] [ROOT]",
        "<http://e/a> [SEP] [ROOT] [END]",
        "a > b",
        "[SEP] [SEP] [END]",
        '<http://e/a> [SEP] <http://e/b> [SEP] "open [END]',
    ],
)
def test_malformed_lines_are_query_errors(line: str) -> None:
    with pytest.raises(QueryError):
        delinearise(line)


def test_scores() -> None:
    gold = "e:Dune [SEP] e:author [SEP] [TEMP] [END] [TEMP] [SEP] e:born [SEP] [ROOT] [END]"
    half = "e:Dune  [SEP] e:author [SEP] [TEMP] [END]"
    assert triple_f1(gold, gold) == 1
    assert triple_f1(half, gold) == pytest.approx(2 / 3)
    assert triple_f1("", gold) == 0
    assert triple_f1("I do not know", gold) == 0
    assert triple_f1("", "") == 1
    pytest.importorskip("sacrebleu")
    assert bleu([gold], [gold]) == pytest.approx(1)
    assert bleu(["nothing alike here"], [gold]) < 0.05
