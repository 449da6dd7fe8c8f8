"""A sequence model that writes the query, here a small table of what it has learned."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.events import Answered, Failed
from clear_kgqa.examples.selectors import make_selector
from clear_kgqa.settings import Settings
from clear_kgqa.strategies.direct import Direct
from clear_kgqa_tools.bundle import GraphBundle


class Learned:
    def __init__(self, text: str) -> None:
        self.text = text
        self.prompts: list[str] = []

    def generate(self, prompts: list[str], stopped: Callable[[], bool] = lambda: False) -> list[str]:
        self.prompts += prompts
        return [self.text for _ in prompts]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?a { <http://ex.org/france> <http://ex.org/capital> ?a }",
        "<http://ex.org/france> [SEP] <http://ex.org/capital> [SEP] [ROOT] [END]",
    ],
)
def test_sparql_and_linearised_triples_are_run(bundle: GraphBundle, text: str) -> None:
    model = Learned(text)
    answer = list(Direct(bundle, Settings(), model).start("What is the capital of France?"))[-1]
    assert isinstance(answer, Answered)
    assert answer.values == ({"iri": "http://ex.org/paris", "label": "Paris"},)
    assert model.prompts == ["What is the capital of France?"]


@pytest.mark.parametrize("text", ["", "Paris", "a [SEP] b", "DROP ALL"])
def test_what_is_no_query_is_the_models_failure(bundle: GraphBundle, text: str) -> None:
    failed = list(Direct(bundle, Settings(), Learned(text)).start("What is the capital of France?"))[-1]
    assert isinstance(failed, Failed)
    assert failed.kind == "model"


def test_examples_stand_before_the_question(bundle: GraphBundle) -> None:
    train = [Sample("1", "Capital of Spain?", "SELECT ?a { <http://ex.org/spain> <http://ex.org/capital> ?a }")]
    model = Learned("ASK { }")
    selector = make_selector("ss:1", train, bundle.similarity)
    list(Direct(bundle, Settings(), model, selector).start("Capital of France?"))
    assert "Question: Capital of Spain?\nQuery: SELECT ?a" in model.prompts[0]


def test_a_question_that_is_cancelled_while_the_model_writes_runs_no_query(bundle: GraphBundle) -> None:
    class Slow(Learned):
        def generate(self, prompts: list[str], stopped: Callable[[], bool] = lambda: False) -> list[str]:
            strategy.cancel()
            return ["ASK { }" if not stopped() else "ASK {"]

    strategy = Direct(bundle, Settings(), Slow(""))
    assert list(strategy.start("?")) == [Failed("cancelled", "Stopped.")]
