from pathlib import Path
from types import ModuleType

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from clear_kgqa.evaluation.need import Need
from clear_kgqa.evaluation.rewrite import rewrite_file, rewritten, rewritten_by_model, said_in
from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions, evaluate
from clear_kgqa.evaluation.samples import Sample, read_samples, write_samples
from clear_kgqa_tools.nodes import Node

P = "PREFIX : <http://x/> "
NEED = Need(
    "?",
    ("secret",),
    (Node("http://x/dune", "Dune", ("novel",)),),
    (Node("http://x/author", "author"), Node("http://x/born", "born")),
)


@pytest.mark.parametrize(
    ("sparql", "question"),
    [
        ("SELECT ?a { :dune :author ?a }", "What is the author of Dune (novel)?"),
        ("SELECT ?a { ?a :author :dune }", "What has the author Dune (novel)?"),
        (
            "SELECT (COUNT(?a) AS ?n) { :dune :author ?a }",
            "How many values of author does Dune (novel) have?",
        ),
        ("SELECT (COUNT(?a) AS ?n) { ?a :author :dune }", "How many have the author Dune (novel)?"),
        (
            "SELECT ?a { :dune :author ?x . ?x :born ?a }",
            "Where was the man of dune born (Dune (novel); author; born)?",
        ),
        ("broken", "Where was the man of dune born (Dune (novel); author; born)?"),
    ],
)
def test_templates(sparql: str, question: str) -> None:
    sample = Sample("1", "Where was the man of dune born?", P + sparql)
    assert rewritten(sample, NEED).question == question


def test_a_description_that_holds_the_answer_is_not_repeated() -> None:
    peru = Node("http://x/peru", "Peru", description="country in South America, population 33,000,000, capital Lima")
    need = Need("?", ("Lima",), (peru,), (Node("http://x/capital", "capital"),))
    asked = rewritten(Sample("1", "capital of peru", P + "SELECT ?a { :peru :capital ?a }"), need).question
    assert asked == "What is the capital of Peru (country in South America, population 33,000,000)?"


def test_dialogues_are_used() -> None:
    said = said_in([{"id": "1", "clarifications": [{"chosen": ["Dune, the novel"]}]}, {"id": "2"}])
    assert said == {"1": ["Dune, the novel"], "2": []}
    assert rewritten(Sample("1", "Who?", ""), Need("?"), said["1"]).question == "Who (Dune, the novel)?"
    assert rewritten(Sample("1", "Who?", ""), Need("?")).question == "Who?"


def test_a_model_rewrites() -> None:
    sample = Sample("1", "Who?", P + "SELECT ?a { :dune :author ?a }")
    model = FakeListChatModel(responses=["Sure:\nWho wrote the novel Dune?", " "])
    assert rewritten_by_model(model, sample, NEED).question == "Who wrote the novel Dune?"
    assert rewritten_by_model(model, sample, NEED).question == "What is the author of Dune (novel)?"


def test_a_file_and_a_run_folder_are_rewritten(asked: EvaluateGraph, tiny: ModuleType, tmp_path: Path) -> None:
    questions = tmp_path / "q.jsonl"
    node = "http://x.example/"
    sparql = f"SELECT ?a {{ <{node}dune> <{node}author> ?a }}"
    write_samples(questions, [Sample("1", "Who wrote it?", sparql), Sample("2", "Huh?", "")])
    assert rewrite_file(questions, tmp_path / "gold.jsonl", asked) == 1
    assert [s.question for s in read_samples(tmp_path / "gold.jsonl")] == [
        "What is the author of Dune?",
        "Huh?",
    ]
    complex_ = f"SELECT ?a {{ <{node}dune> <{node}author> ?a . ?b <{node}author> ?a }}"
    write_samples(questions, [Sample("1", "Who is the author of Dune?", complex_)])
    options = EvaluateOptions(questions, tmp_path / "run", user="oracle")
    evaluate(options, lambda _: tiny.LabelStrategy(asked.graph), asked)
    assert rewrite_file(tmp_path / "run", tmp_path / "said.jsonl", asked) == 1
    found = read_samples(tmp_path / "said.jsonl")[0]
    assert found.question == "Who is the author of Dune (Dune; Dune (novel) [author]; author)?"
    assert found.sparql == complex_
