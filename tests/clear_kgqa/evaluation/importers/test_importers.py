"""Each importer on a tiny file of our own in the benchmark's format, with the oddities real files have."""

import json
from pathlib import Path
from typing import Any

import pytest

from clear_kgqa.evaluation.importers import IMPORTERS, Imported
from clear_kgqa.evaluation.importers.repair import repaired
from clear_kgqa.evaluation.query_shape import shape_of
from clear_kgqa_tools.errors import ConfigError

NS = "http://rdf.freebase.com/ns/"
WD = "http://www.wikidata.org/entity/"


def load(tmp_path: Path, format_: str, content: Any, name: str = "file") -> Imported:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    found = IMPORTERS[format_](path)
    for sample in found.samples:
        if sample.sparql:
            shape_of(sample.sparql)  # every query that is kept parses
    return found


def dropped(found: Imported) -> dict[str, str]:
    return {d.id: d.reason for d in found.dropped}


def parse(body: str, quality: str = "Complete", answers: list[dict[str, str]] | None = None) -> dict[str, Any]:
    query = f"PREFIX ns: <{NS}>\nSELECT ?x WHERE {{ {body} }}"
    comment = {"ParseQuality": quality}
    return {
        "Sparql": query,
        "AnnotatorComment": comment,
        "Answers": answers or [],
        "InferentialChain": ["a", "b"],
    }


def test_webqsp(tmp_path: Path) -> None:
    river = [
        {"AnswerType": "Entity", "AnswerArgument": "m.01"},
        {"AnswerType": "Value", "AnswerArgument": "1992-05-01"},
    ]
    questions = [
        {"QuestionId": "1", "RawQuestion": "which river?", "Parses": [
            parse("ns:m.5 ns:a.b ?x", "Partial"), parse("ns:m.7 ns:a.b.c ?x", answers=river),
            parse("ns:m.8 ns:a.b ?x"), {"Sparql": "#MANUAL SPARQL\n"}]},
        {"QuestionId": "2", "ProcessedQuestion": "when", "Parses": [
            {"Sparql": "#MANUAL SPARQL\nSELECT ?x WHERE { ns:m.1 ns:a.b ?x FILTER (?x > 1 OR ?x < 0) "
                       'FILTER (?x >= "2015-01-01"^^xsd:datetime) }'}]},
        {"QuestionId": "3", "RawQuestion": "nothing", "Parses": [{"Sparql": "#MANUAL"}, {"Sparql": None}]},
        {"QuestionId": "4", "RawQuestion": None, "Parses": []},
        {"QuestionId": "1", "RawQuestion": "again?", "Parses": [parse("ns:m.5 ns:a.b ?x")]},
    ]  # fmt: skip
    found = load(tmp_path, "webqsp", {"Questions": questions})
    first, second = found.samples
    assert "ns:m.7" in first.sparql and first.answers == (NS + "m.01", "1992-05-01") and first.type == "2-hop"
    assert ["m.8" in first.alternatives[0], "m.5" in first.alternatives[1]] == [True, True]
    assert "||" in second.sparql and "xsd:dateTime" in second.sparql and second.answers is None
    assert dropped(found) == {
        "3": "no parse with a query",
        "4": "no id or no question",
        "1": "the id was used before",
    }


def test_cwq(tmp_path: Path) -> None:
    sparql = f"PREFIX ns: <{NS}>\nSELECT DISTINCT ?x WHERE {{ ?c ns:a.b ns:m.1 . ?c ns:a.c ?x . }}"
    answers = [
        {"answer_id": "m.9", "answer": "Nile"},
        {"answer_id": "1969", "answer": "1969"},
        {"answer": "x", "answer_id": None},
    ]
    found = load(tmp_path, "cwq", [
        {"ID": "1", "question": "Q?", "sparql": sparql, "answers": answers,
         "compositionality_type": "composition"},
        {"ID": "2", "machine_question": "m?", "sparql": sparql},
        {"ID": "3", "question": "no query"},
    ])  # fmt: skip
    assert found.samples[0].answers == (NS + "m.9", "1969", "x") and found.samples[0].type == "composition"
    assert found.samples[1].question == "m?" and found.samples[1].answers is None
    assert dropped(found) == {"3": "no id, question or query"}


def test_qald(tmp_path: Path) -> None:
    def item(id_: int, sparql: str | None, answers: Any, **texts: str | None) -> dict[str, Any]:
        question = [{"language": k, "string": v} for k, v in texts.items()]
        return {
            "id": id_,
            "question": question,
            "query": {"sparql": sparql},
            "answers": answers,
            "answertype": "resource",
        }

    bindings = [{"a": {"value": "http://x/1"}, "b": {"value": "2"}}, {"a": {"value": "http://x/3"}}]
    found = load(tmp_path, "qald", {"questions": [
        item(1, "SELECT ?a ?b # two\n WHERE { ?a wdt:P31 ?b }",
             [{"head": {"vars": ["b", "a"]}, "results": {"bindings": bindings}}],
             de="Wo?", en="Where?"),
        item(2, "ASK { dbr:A dbo:b dbr:C }", [{"head": {}, "boolean": False}], en="Is it?"),
        item(3, "SELECT ?a { dbr:A dbo:b ?a }", [{}], de="Wer?", en=""),
        item(4, "OUT OF SCOPE", [{}], en="Who knows?"),
        item(5, None, [], en="Nothing?"),
        item(6, "", [{"results": {"bindings": bindings[1:]}}], en="Stored?"),
        item(7, "ASK {}", [], en=None),
    ]})  # fmt: skip
    one, two, three, six = found.samples
    assert (one.question, one.language, one.answers) == ("Where?", "en", ("2 | http://x/1", "http://x/3"))
    assert one.sparql.startswith("PREFIX wdt:") and two.answers == ("false",)
    assert (three.question, three.language, three.answers) == ("Wer?", "de", None)
    assert six.answers == ("http://x/3",) and six.sparql == ""
    assert set(dropped(found)) == {"4", "5", "7"}


def test_lcquad1(tmp_path: Path) -> None:
    query = "SELECT DISTINCT ?u WHERE { <http://x/a> <http://x/b> ?u }"
    found = load(tmp_path, "lcquad1", [
        {"_id": "1", "corrected_question": "Q?", "sparql_query": query, "sparql_template_id": 2},
        {"_id": "2", "corrected_question": None, "intermediary_question": "what is it",
         "query": query, "id": 15},
        {"_id": "3", "corrected_question": "Q?"},
    ])  # fmt: skip
    assert [(s.question, s.type) for s in found.samples] == [
        ("Q?", "template 2"),
        ("what is it", "template 15"),
    ]
    assert set(dropped(found)) == {"3"}


def test_lcquad2(tmp_path: Path) -> None:
    query = "select distinct ?answer where { wd:Q1 wdt:P2 ?answer}"
    found = load(tmp_path, "lcquad2", [
        {"uid": 1, "question": "Q?", "sparql_wikidata": query, "subgraph": "right"},
        {"uid": 2, "question": None, "paraphrased_question": "P?", "sparql_wikidata": query},
        {"uid": 3, "question": "n/a", "paraphrased_question": "[]", "sparql_wikidata": query},
        {"uid": 4, "question": "Q?", "sparql_wikidata": "", "sparql_dbpedia18": "ASK {}"},
    ])  # fmt: skip
    assert [s.question for s in found.samples] == ["Q?", "P?"] and found.samples[0].sparql.count("PREFIX") == 2
    assert dropped(found) == {"3": "no id or no question", "4": "no query for wikidata"}


def test_simplequestions(tmp_path: Path) -> None:
    lines = "Q1\tP50\tQ2\twho wrote it\nQ2 R50 Q1 what did they write\n\nQ1\tP50\tbroken\n"
    found = load(tmp_path, "simplequestions", lines)
    first, second = found.samples
    assert shape_of(first.sparql).triples == ((WD + "Q1", "http://www.wikidata.org/prop/direct/P50", "?x"),)
    assert shape_of(second.sparql).triples == (("?x", "http://www.wikidata.org/prop/direct/P50", WD + "Q2"),)
    assert second.answers == (WD + "Q1",) and second.type == "inverse" and second.question == "what did they write"
    assert set(dropped(found)) == {"4"}


def test_text2sparql(tmp_path: Path) -> None:
    content = """
dataset: {id: "http://x/", prefix: toy, defaultNamespace: "http://x/ns#"}
questions:
  - id: 1
    question: {en: "Who?", de: "Wer?"}
    features: [SELECT, COUNT]
    query: {sparql: "SELECT ?r { :a :b ?r }"}
  - {id: 2, question: {de: "Wo?"}, query: {sparql: "ASK { ?a rdfs:label ?b }"}}
  - {id: 3, question: {en: "No query"}}
  - {id: 4, question: null, query: {sparql: "ASK {}"}}
"""
    found = load(tmp_path, "text2sparql", content)
    assert [(s.id, s.question, s.type, s.language) for s in found.samples] == [
        ("toy:1", "Who?", "SELECT+COUNT", "en"), ("toy:2", "Wo?", "", "de"),
    ]  # fmt: skip
    assert found.samples[0].sparql.startswith("PREFIX : <http://x/ns#>") and set(dropped(found)) == {
        "toy:3",
        "toy:4",
    }
    with pytest.raises(ConfigError, match="is not YAML"):
        load(tmp_path, "text2sparql", "{a: [")


def test_claqua(tmp_path: Path) -> None:
    lines = [
        {
            "id": "1",
            "question": "Q?",
            "candidates": ["http://x/1", "http://x/2"],
            "intended": "http://x/2",
            "needs_clarification": True,
        },
        {"id": "2", "question": "Q?", "history": ["before"], "label": 0, "candidates": ["http://x/1"]},
        {"id": "3", "question": None},
        {"id": "4", "question": "Q?", "candidates": "x"},
    ]
    found = load(tmp_path, "claqua", "\n".join(map(json.dumps, lines)))
    first, second = found.samples
    assert first.intended == "http://x/2" and first.needs_clarification and first.type == "single-turn"
    assert second.needs_clarification is False and second.type == "multi-turn"
    assert set(dropped(found)) == {"3", "4"}


def test_dblpquad(tmp_path: Path) -> None:
    query = "SELECT ?answer WHERE { <https://dblp.org/rec/1> <https://dblp.org/rdf/schema#authoredBy> ?answer }"
    result = {
        "head": {"vars": ["answer"]},
        "results": {"bindings": [{"answer": {"value": "https://dblp.org/pid/1"}}]},
    }
    (tmp_path / "answers.json").write_text(json.dumps({"answers": [{"id": "Q1", "answer": result}]}))
    found = load(tmp_path, "dblpquad", {"questions": [
        {"id": "Q1", "question": {"string": "Who?"}, "query": {"sparql": query}, "query_type": "SINGLE_FACT"},
        {"id": "Q2", "question": {"string": None}, "paraphrased_question": {"string": "Whose?"},
         "query": {"sparql": query}},
        {"id": "Q3", "question": {"string": "?"}, "query": None},
    ]}, "questions.json")  # fmt: skip
    assert found.samples[0].answers == ("https://dblp.org/pid/1",) and found.samples[0].type == "SINGLE_FACT"
    assert found.samples[1].question == "Whose?" and found.samples[1].answers is None
    assert set(dropped(found)) == {"Q3"}
    flat = load(
        tmp_path,
        "dblpquad",
        [{"id": "1", "question": "Who?", "sparql": "ASK { ?a dblp:title ?b }"}],
        "flat.json",
    )
    assert "PREFIX dblp:" in flat.samples[0].sparql


@pytest.mark.parametrize("format_", sorted(IMPORTERS))
def test_files_that_are_something_else(tmp_path: Path, format_: str) -> None:
    with pytest.raises(ConfigError, match="cannot read"):
        IMPORTERS[format_](tmp_path / "missing")
    if format_ not in ("simplequestions", "claqua", "text2sparql"):
        with pytest.raises(ConfigError, match="is not JSON"):
            load(tmp_path, format_, "<html>")
        with pytest.raises(ConfigError, match="no list of questions"):
            load(tmp_path, format_, {"other": 1})


def test_items_of_another_shape_are_dropped_by_their_number(tmp_path: Path) -> None:
    good = {"id": "1", "question": [{"language": "en", "string": "Who?"}], "query": {"sparql": "ASK { ?a ?b ?c }"}}
    found = load(tmp_path, "qald", [good, 1, {**good, "id": "3", "query": "ASK { ?a ?b ?c }"}])
    assert [s.id for s in found.samples] == ["1"]
    assert dropped(found) == {"item 2": "not an object: 1", "item 3": "its fields are not those of this format"}


@pytest.mark.parametrize(
    ("sparql", "expected"),
    [
        ("ASK { ?a wdt:P1 ?b }", "PREFIX wdt: <http://www.wikidata.org/prop/direct/> ASK { ?a wdt:P1 ?b }"),
        ("PREFIX wdt: <http://own/> ASK { ?a wdt:P1 ?b }", "PREFIX wdt: <http://own/> ASK { ?a wdt:P1 ?b }"),
        ('ASK { FILTER (?a = "x OR y" or ?b and ?c) }', 'ASK { FILTER (?a = "x OR y" || ?b && ?c) }'),
        ("#MANUAL SPARQL\nASK {}", "ASK {}"),
        ("ASK { <http://x/#y> ?p ?o }", "ASK { <http://x/#y> ?p ?o }"),
        ("#only a comment", ""),
    ],
)
def test_repairs(sparql: str, expected: str) -> None:
    assert repaired(sparql) == expected
