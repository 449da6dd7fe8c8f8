"""The wrapper vocabulary and the rewriter: readable to native, back, and over several endpoints."""

from __future__ import annotations

from pathlib import Path

import pytest

from clear_kgqa.nlkgq.query_text import query_text
from clear_kgqa.nlkgq.query_tree import parse
from clear_kgqa.nlkgq.rewriter import to_native, to_readable
from clear_kgqa.nlkgq.wrapper import Wrapper, WrapperTerm, read_wrapper, wrapper_of, wrapper_text
from clear_kgqa_tools.errors import ConfigError, QueryError
from clear_kgqa_tools.schema import Class, Property, Schema

WDT, WD = "http://www.wikidata.org/prop/direct/", "http://www.wikidata.org/entity/"
PREFIXES = {"wdt": WDT, "wd": WD}
WRAPPER = Wrapper(
    (
        WrapperTerm("instance_of", "wdt:P31"),
        WrapperTerm("Human", "wd:Q5"),
        WrapperTerm("born_in", "wdt:P19"),
        WrapperTerm("birth_country", "wdt:P19/wdt:P17"),
        WrapperTerm("parent", "wdt:P22|wdt:P25"),
        WrapperTerm("child_of", "^wdt:P40"),
    ),
    PREFIXES,
)
NATIVE = [
    "SELECT ?a { ?a wdt:P31 wd:Q5 ; wdt:P19 ?c }",
    "SELECT ?a { ?a wdt:P19/wdt:P17 ?c }",
    "SELECT ?a { ?a wdt:P31/wdt:P19/wdt:P17/wdt:P1 ?c }",
    "SELECT ?a { ?a (wdt:P19/wdt:P17)+ ?c }",
    "SELECT ?a { ?a wdt:P22|wdt:P25 ?c . ?a (wdt:P22|wdt:P25)/wdt:P19 ?d . ?a ^wdt:P40 ?e }",
    "ASK { wd:Q1 wdt:P31 wd:Q5 FILTER NOT EXISTS { wd:Q1 wdt:P19 ?x } }",
    "SELECT (COUNT(?a) AS ?n) { { ?a wdt:P31 wd:Q5 } UNION { ?a !(wdt:P19) ?x } FILTER(?a IN (wd:Q5)) }",
    "CONSTRUCT { ?a wdt:P31 ?b } WHERE { ?a wdt:P19 ?b } ORDER BY ?b LIMIT 2",
]


@pytest.mark.parametrize("query", NATIVE)
def test_native_to_readable_and_back(query: str) -> None:
    readable = to_readable(query, WRAPPER)
    assert "w:" in readable
    plain = query_text(parse(query, PREFIXES))
    assert query_text(parse(to_native(readable, WRAPPER).text)) == plain


def test_longest_paths_become_one_term() -> None:
    assert "?a w:birth_country ?c" in to_readable(NATIVE[1], WRAPPER)
    assert "?a w:instance_of/w:birth_country/wdt:P1 ?c" in to_readable(NATIVE[2], WRAPPER)
    assert "?a w:birth_country+ ?c" in to_readable(NATIVE[3], WRAPPER)
    readable = to_readable(NATIVE[4], WRAPPER)
    assert "?a w:parent ?c" in readable
    assert "?a w:parent/w:born_in ?d" in readable
    assert "?a w:child_of ?e" in readable


def test_the_native_query_is_complete_and_checked() -> None:
    done = to_native("SELECT ?a { ?a w:instance_of w:Human ; w:birth_country ?c }", WRAPPER)
    assert done.form == "select"
    assert sorted(done.text.splitlines()[:2]) == [f"PREFIX wd: <{WD}>", f"PREFIX wdt: <{WDT}>"]
    body = "SELECT ?a\nWHERE {\n  ?a wdt:P31 wd:Q5 .\n  ?a wdt:P19/wdt:P17 ?c .\n}"
    assert done.text.endswith(body)


def test_terms_inside_literals_and_comments_stay() -> None:
    query = 'SELECT ?a { ?a w:born_in ?c FILTER(STR(?c) = "w:Human <urn:clear-kgqa:term:Human>") # w:nothing\n }'
    text = to_native(query, WRAPPER).text
    assert '"w:Human <urn:clear-kgqa:term:Human>"' in text


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT ?a { ?a w:instanceof w:Human }", "close ones: w:instance_of"),
        ("SELECT ?a { ?a ?p w:birth_country }", "can only be a predicate"),
        ("SELECT ?a { ?a !(w:birth_country) ?c }", "can only be a predicate"),
        ("SELECT ?a { SERVICE <http://127.0.0.1/> { ?a w:born_in ?c } }", "SERVICE is not allowed"),
        ("DELETE { ?a w:born_in ?c } WHERE { ?a w:born_in ?c }", "update"),
    ],
)
def test_what_cannot_be_rewritten_is_told(query: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        to_native(query, WRAPPER)


HERE, THERE, THIRD = (
    "https://here.example/sparql",
    "https://there.example/sparql",
    "https://third.example/sparql",
)
FEDERATED = Wrapper(
    (
        WrapperTerm("author", "<http://a/author>", HERE),
        WrapperTerm("name", "<http://a/name>"),
        WrapperTerm("cites", "<http://b/cites>", THERE),
        WrapperTerm("Paper", "<http://b/Paper>", THERE),
        WrapperTerm("funder", "<http://c/funder>", THIRD),
    ),
    {},
)


def test_triples_go_where_their_terms_live() -> None:
    query = (
        "SELECT ?x { ?p w:author ?x . ?p w:cites ?q . ?x w:name ?n . ?q a w:Paper ; ?r ?o . "
        "OPTIONAL { ?q w:funder ?f } FILTER NOT EXISTS { ?q w:cites ?p } }"
    )
    text = to_native(query, FEDERATED, HERE, [THERE, THIRD]).text
    outside, _, inside = text.partition(f"SERVICE <{THERE}>")
    assert "<http://a/author>" in outside
    assert "<http://a/name>" in outside
    block = inside[: inside.index("}")]
    assert "?p <http://b/cites> ?q" in block
    assert "?q a <http://b/Paper>" in block
    assert "?q ?r ?o" in block
    assert f"OPTIONAL {{\n    SERVICE <{THIRD}> {{" in text
    assert text.count("SERVICE") == 3


def test_only_allowed_endpoints_are_called() -> None:
    with pytest.raises(ConfigError, match=r"https://third\.example"):
        to_native("SELECT ?x { ?p w:author ?x }", FEDERATED, HERE, [THERE])
    with pytest.raises(QueryError, match="joins two endpoints"):
        to_native("SELECT ?x { ?p w:author/w:cites ?x }", FEDERATED, HERE, [THERE, THIRD])


def test_generated_names_are_readable_and_never_collide(tmp_path: Path) -> None:
    schema = Schema(
        properties=(
            Property(WDT + "P36", "capital"),
            Property(WDT + "P1376", "capital"),
            Property(WDT + "P17", "country"),
            Property(WDT + "P569", "date of birth"),
            Property("http://a/x", "capital P36"),
            Property("http://b/x", "Größe (cm)"),
            Property("http://c/!!!", "!!!"),
        ),
        classes=(
            Class(WD + "Q6256", "country"),
            Class("http://d/Q6256", "Country"),
            Class(WD + "Q5", "human being"),
        ),
    )
    wrapper = wrapper_of(schema, PREFIXES)
    names = {t.native: t.name for t in wrapper.terms}
    assert names[f"<{WDT}P569>"] == "date_of_birth"
    assert names[f"<{WD}Q5>"] == "HumanBeing"
    assert names["<http://b/x>"] == "größe_cm"
    assert len(set(names.values())) == len(names) == 10
    for name in ("there.yaml", "there.tsv"):
        (tmp_path / name).write_text(wrapper_text(wrapper, tsv=name.endswith(".tsv")), encoding="utf-8")
        again = read_wrapper(tmp_path / name)
        assert again.terms == wrapper.terms
        assert again.iris == wrapper.iris


def test_a_wrapper_with_paths_endpoints_and_prefixes_is_read(tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text(wrapper_text(Wrapper((*WRAPPER.terms, *FEDERATED.terms), PREFIXES)))
    again = read_wrapper(tmp_path / "w.yaml")
    assert again.terms == (*WRAPPER.terms, *FEDERATED.terms)
    assert again.endpoints["http://b/cites"] == THERE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("terms: {a: '<http://e/p> ?o } INSERT DATA { <http://x>'}", "term a"),
        ("terms: {a: '<http://e/p> ?x . ?x <http://e/q>'}", "no single IRI"),
        ("terms: {a: '?p'}", "no single IRI"),
        ("terms: {'a b': '<http://e/p>'}", "no name"),
        ("a\t<http://e/p>\na\t<http://e/q>", "more than once"),
        ("terms: {a: 3}", "no native side"),
        ("[1, 2]", "terms"),
        ("terms: {a: unknown:p}", "unknown"),
        ("terms: {a: '<http://e/p>", "cannot read"),
    ],
)
def test_a_faulty_wrapper_file_is_a_configuration_error(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / ("w.tsv" if "\t" in text else "w.yaml")
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_wrapper(path)
