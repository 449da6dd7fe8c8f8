import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from clear_kgqa.evaluation.need import Need
from clear_kgqa.evaluation.rewrite import rewrite_all, rewritten, said_in
from clear_kgqa.evaluation.samples import Sample
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


def test_dialogues_are_used() -> None:
    said = said_in([{"id": "1", "clarifications": [{"chosen": ["Dune, the novel"]}]}, {"id": "2"}])
    assert said == {"1": ["Dune, the novel"], "2": []}
    assert rewritten(Sample("1", "Who?", ""), Need("?"), said["1"]).question == "Who (Dune, the novel)?"
    assert rewritten(Sample("1", "Who?", ""), Need("?")).question == "Who?"


def test_a_model_rewrites() -> None:
    sample = Sample("1", "Who?", P + "SELECT ?a { :dune :author ?a }")
    model = FakeListChatModel(responses=["Sure:\nWho wrote the novel Dune?", " "])
    assert rewrite_all([sample], {"1": NEED}, {}, model)[0].question == "Who wrote the novel Dune?"
    assert rewrite_all([sample], {"1": NEED}, {}, model)[0].question == "What is the author of Dune (novel)?"
