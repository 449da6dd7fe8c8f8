import sys

import pytest

from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.safety import check, extract

PREFIXES = {
    "ex": "http://ex.org/",
    "wikibase": "http://wikiba.se/ontology#",
    "bd": "http://www.bigdata.com/rdf#",
}
CALL = "<http://169.254.169.254/> { ?s ?p ?o }"


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT * {{ SERVICE {CALL} }}",
        f"SELECT * {{ sErViCe SILENT {CALL} }}",
        f"SELECT * {{ ?s ?p ?o FILTER EXISTS {{ SERVICE {CALL} }} }}",
        f"SELECT * {{ ?s ?p ?o FILTER NOT EXISTS {{ SERVICE {CALL} }} }}",
        f"SELECT * {{ ?s ?p ?o MINUS {{ SERVICE {CALL} }} }}",
        f"SELECT * {{ {{ SELECT * {{ SERVICE {CALL} }} }} }}",
        f"SELECT * {{ OPTIONAL {{ GRAPH ?g {{ SERVICE {CALL} }} }} }}",
        f"SELECT (EXISTS {{ SERVICE {CALL} }} AS ?x) {{ }}",
        f"SELECT * {{ ?s ?p ?o }} ORDER BY EXISTS {{ SERVICE {CALL} }}",
        f"SELECT ?s {{ ?s ?p ?o }} GROUP BY ?s HAVING (EXISTS {{ SERVICE {CALL} }})",
        f"CONSTRUCT {{ ?s ?p ?o }} WHERE {{ SERVICE {CALL} }}",
        f"DESCRIBE ?s {{ SERVICE {CALL} }}",
        f"ASK {{ \\u0053ERVICE {CALL} }}",
        f"ASK {{ \\U00000053ERVICE {CALL} }}",
        f"ASK {{ # a comment ends here\rSERVICE {CALL}\n}}",
        f"ASK {{ # \\u000A SERVICE {CALL}\n SERVICE {CALL} }}",
        f"ASK {{ SERVICE# between\n{CALL} }}",
        "ASK { SERVICE ?where { ?s ?p ?o } }",
        "ASK { SERVICE ex:there { ?s ?p ?o } }",
        "BASE <http://ok.org/> ASK { SERVICE <x> { ?s ?p ?o } }",
    ],
)
def test_service_is_denied_in_every_spelling_and_place(query: str) -> None:
    with pytest.raises(QueryError, match="SERVICE is not"):
        check(query, PREFIXES, allowed_services=("http://ok.org/sparql",))


def test_service_is_allowed_by_its_exact_iri_alone() -> None:
    query = "PREFIX ok: <http://ok.org/> ASK { SERVICE ok:sparql { ?s ?p ?o } }"
    assert check(query, allowed_services=("http://ok.org/sparql",)).form == "ask"
    with pytest.raises(QueryError, match=r"http://ok\.org/sparql would be called"):
        check(query, allowed_services=("http://ok.org/sparql/",))


def test_service_as_data_is_no_service() -> None:
    text = 'SELECT ?service { ?service <http://ex.org/SERVICE> "SERVICE <http://x> {}"@service }'
    assert check(text).text == text


def test_an_escaped_backslash_before_a_u_is_no_escape() -> None:
    text = r'ASK { ?s ?p "\\u0022", "\\U0000", "\\\\u0041", "\\\"u" }'
    assert check(text).text == text


def test_an_escaped_quote_stays_inside_its_literal() -> None:
    checked = check('ASK { ?s ?p "a\\u0022 } #" }')
    assert checked.text == 'ASK { ?s ?p "a\\" } #" }'


@pytest.mark.parametrize(
    "query",
    [
        "DROP ALL",
        "INSERT DATA { <a> <b> <c> }",
        "LOAD <file:///etc/passwd>",
        "SELECT * {} ; DROP ALL",
        "PREFIX ex: <http://ex.org/> DELETE WHERE { ?s ?p ?o }",
        "```sparql\nCLEAR ALL\n```",
        "WITH <http://g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }",
        "\\u0044ROP ALL",
        "# x\rDROP ALL",
    ],
)
def test_updates_are_refused(query: str) -> None:
    with pytest.raises(QueryError, match="update"):
        check(query)


def test_the_form_comes_from_the_parse_tree() -> None:
    assert check('SELECT * { ?s ?p "INSERT DATA" } # ASK').form == "select"
    assert check("# SELECT\nASK { ?s <http://ex.org/a#SELECT> ?o }").form == "ask"
    assert check("CONSTRUCT WHERE { ?s ?p ?o }").form == "construct"
    assert check("DESCRIBE <http://ex.org/a>").form == "describe"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT * " + "{" * 31 + "}" * 31, "nested too deeply"),
        ("SELECT * " + "{SELECT * " * 2000 + "{?s ?p ?o}" + "}" * 2000, "nested too deeply|too long"),
        ("SELECT * " + "{" * 5000 + "}" * 5000, "nested too deeply|too long"),
        ("SELECT * {?s ?p ?o FILTER(" + "(" * 29 + "1" + ")" * 29 + ")}", "nested too deeply: at most 30"),
        ("SELECT * {" + "?s ?p ?o ." * 400 + "}", "too long"),
        ("SELECT * {?s ?p ?o " + " " * 20_000 + "}", "too long: 20,020 bytes"),
        ("SELECT * {?s ?p ?o FILTER(" + "1+" * 5000 + "1)}", "too long"),
        ("SELECT * {?s ?p '" + "x" * 200_000 + "'}", "too long"),
        ("SELECT * {?s ?p '\x1b'}", r"control character U\+001B"),
        ("SELECT * {?s ?p ?o", r"line 1, column 19, near: the end \(1 { but 0 }\)"),
        ("SELECT * {?s foo:bar ?o}", "prefix foo: is not declared.*bd:, ex:, wikibase:"),
        ("", "empty"),
        ("What is the capital of France?", "cannot be parsed at line 1"),
        ("SELECT * { ?x bif:contains 'a' }", "bif:contains works on Virtuoso alone"),
        ("SELECT * { ?x <bif:contains> 'a' }", "bif:contains works on Virtuoso alone"),
        ("SELECT * { SERVICE wikibase:label { bd:serviceParam wikibase:language 'en' } }", "rdfs:label"),
        (
            "SELECT * FROM <http://no.org/> { ?s ?p ?o }",
            "no named graph http://no.org/; it holds: http://g.org/",
        ),
        ("SELECT * FROM NAMED ex:no { ?s ?p ?o }", "no named graph http://ex.org/no"),
        ("SELECT * { \\uD800 }", "not a character"),
    ],
    ids=lambda value: value[:50],
)
def test_a_refusal_is_one_line_that_says_why(query: str, message: str) -> None:
    with pytest.raises(QueryError, match=message) as refused:
        check(query, PREFIXES, named_graphs={"http://g.org/"})
    assert "\n" not in str(refused.value)
    assert "\x1b" not in str(refused.value)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { ?s ?p ?o FILTER(" + "(" * 28 + "?o > 1" + ")" * 28 + ") }",
        "SELECT * { ?s ?p ?o FILTER(" + "STR(" * 28 + "?o" + ")" * 28 + " = '1') }",
        "SELECT * { BIND(" + "CONCAT(!?a, " * 28 + "?o" + ")" * 28 + " AS ?x) }",
        "SELECT * " + "{" * 30 + "?s ?p ?o" + "}" * 30,
        "SELECT * { ?s ?p " + "[ ?p " * 29 + "?o" + " ]" * 29 + " }",
        "SELECT * {" + "?s ?p ?o ." * 350 + "}",
    ],
    ids=lambda value: value[:40],
)
def test_thirty_brackets_and_long_groups_pass(query: str) -> None:
    limit = sys.getrecursionlimit()
    assert check(query).form == "select"
    assert sys.getrecursionlimit() == limit


def test_a_huge_reply_is_refused_before_it_is_read() -> None:
    with pytest.raises(QueryError, match="too long: 10,000,002 characters"):
        check("# " + "x" * 10_000_000)


def test_brackets_and_length_inside_literals_do_not_count() -> None:
    query = "SELECT * {?s ?p '" + "{(" * 15_000 + "'}"
    assert check(query).text == query


def test_virtuoso_keeps_its_text_search() -> None:
    assert "bif:contains" in check("SELECT * { ?x bif:contains 'a' }", dialects=("virtuoso",)).text


def test_a_query_that_names_its_dataset_says_so() -> None:
    assert check("ASK FROM <http://g.org/> { ?s ?p ?o }", named_graphs={"http://g.org/"}).dataset
    assert check("ASK FROM <http://g.org/> { ?s ?p ?o }").dataset
    assert not check("ASK { GRAPH <http://g.org/> { ?s ?p ?o } }").dataset


def test_only_known_used_and_undeclared_prefixes_are_added() -> None:
    assert check("ASK { ex:a ?p 'bd:x' }", PREFIXES).text == "PREFIX ex: <http://ex.org/>\nASK { ex:a ?p 'bd:x' }"
    own = "PREFIX ex: <http://own.org/> ASK { ex:a ?p ?o }"
    assert check(own, PREFIXES).text == own


def test_blank_node_labels_are_warned_about() -> None:
    assert "_:b0" in check("ASK { _:b0 ?p ?o }").warnings[0]
    assert check("ASK { [] ?p [ ?q 1 ] }").warnings == ()


@pytest.mark.parametrize(
    "reply",
    [
        "{}",
        "```sparql\n{}\n```",
        "```\n{}\n```",
        "sparql\n{}",
        "SPARQL: {}",
        "Here is the query:\n\n```sparql\n{}\n```\nDone.",
        "Select the rows with this query: {}",
        "`{}`",
        "{};",
        "  \ufeff{}\n",
        "~~~\n{}\n~~~",
        "```sparql\n{}",
    ],
)
@pytest.mark.parametrize("query", ["SELECT ?s { ?s ?p 'a' }", "PREFIX a: <http://a.org/> ASK { ?s a:b 1 }"])
def test_what_surrounds_a_query_is_stripped(reply: str, query: str) -> None:
    assert check(reply.replace("{}", query)).text == query


def test_backticks_in_literals_stay() -> None:
    query = 'SELECT * { ?s ?p """\n```\nx\n```\n""" }'
    assert extract(query) == query
    assert extract('```\nSELECT * { ?s ?p "```" }\n```').strip() == 'SELECT * { ?s ?p "```" }'


@pytest.mark.parametrize(
    "query",
    [
        'SELECT ?x ?xLabel { ?x ?p ?o . SERVICE wikibase:label { bd:serviceParam wikibase:language "en". } }',
        'SELECT ?x { ?x ?p ?o SERVICE SILENT wikibase:label { bd:serviceParam wikibase:language "en" } }',
        'PREFIX w: <http://wikiba.se/ontology#> SELECT ?x { ?x ?p ?o . . SERVICE w:label { ?x w:y "en" } }',
    ],
)
def test_a_label_service_is_explained_also_without_its_prefixes(query: str) -> None:
    with pytest.raises(QueryError, match=r"works on Wikidata.s own endpoint alone: use OPTIONAL \{ \?x rdfs:label"):
        check(query)
