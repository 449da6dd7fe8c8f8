"""Selectors: what each picks, from the question's text alone, and the cached index behind them."""

from __future__ import annotations

import os
from dataclasses import replace
from inspect import signature
from pathlib import Path

import numpy as np
import pytest

from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.examples.index import build_index
from clear_kgqa.examples.selectors import Selector, make_selector
from clear_kgqa.examples.structure import structural_type
from clear_kgqa.examples.type_classifier import cross_validated_accuracy
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.lexical import LexicalSimilarity

PEOPLE = ["Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida", "Jo", "Kim", "Lee"]
TEMPLATES = {
    "Who wrote the book {0}?": "SELECT ?a {{ <http://e/{0}> <http://e/author> ?a }}",
    "Where was the writer of {0} born?": "SELECT ?a {{ <http://e/{0}> <http://e/by>/<http://e/born> ?a }}",
    "Did {0} write Dune?": "ASK {{ <http://e/Dune> <http://e/author> <http://e/{0}> }}",
}


def training_set() -> list[Sample]:
    return [
        Sample(f"{number}-{name}", question.format(name), query.format(name))
        for number, (question, query) in enumerate(TEMPLATES.items())
        for name in PEOPLE
    ]


TRAIN = training_set()
TYPES = {question: structural_type(query.format("X")) for question, query in TEMPLATES.items()}
NEW = {question: question.format("Zed") for question in TEMPLATES}


@pytest.mark.parametrize("shots", [0, 1, 3, 7])
@pytest.mark.parametrize("strategy", ["fr", "ss", "str", "stss"])
def test_each_strategy_picks_k_different_examples(strategy: str, shots: int) -> None:
    selector = make_selector(f"{strategy}:{shots}", TRAIN, LexicalSimilarity())
    picked = selector.select("Who wrote the book Zed?")
    assert len({s.id for s in picked}) == len(picked) == shots


def test_the_nearest_example_stands_last() -> None:
    near = [
        *TRAIN,
        Sample("near", "Who wrote the book Zedd?", "SELECT ?a { <http://e/Zedd> <http://e/author> ?a }"),
    ]
    for strategy in ("ss:3", "stss:3"):
        assert make_selector(strategy, near, LexicalSimilarity()).select("Who wrote the book Zed?")[-1].id == "near"


@pytest.mark.parametrize("question", TEMPLATES)
@pytest.mark.parametrize("strategy", ["str:3", "stss:3"])
def test_typed_strategies_stay_within_the_predicted_type(strategy: str, question: str) -> None:
    selector = make_selector(strategy, TRAIN, LexicalSimilarity())
    assert selector.question_type(NEW[question]) == TYPES[question]
    assert {structural_type(s.sparql) for s in selector.select(NEW[question])} == {TYPES[question]}


def test_random_picks_depend_on_the_seed_and_on_nothing_else() -> None:
    first, again = (make_selector("fr:3", TRAIN, LexicalSimilarity(), seed=1) for _ in range(2))
    other = make_selector("fr:3", TRAIN, LexicalSimilarity(), seed=2)
    questions = [f"Question {i}?" for i in range(20)]
    assert [first.select(q) for q in questions] == [again.select(q) for q in reversed(questions)][::-1]
    assert [first.select(q) for q in questions] != [other.select(q) for q in questions]


@pytest.mark.parametrize("strategy", ["fr", "ss", "str", "stss"])
def test_the_gold_query_of_the_new_question_plays_no_part(strategy: str) -> None:
    """A selector sees a question's text alone: another gold query picks the same examples."""
    assert list(signature(Selector.select).parameters) == ["self", "question"]
    selector = make_selector(f"{strategy}:3", TRAIN, LexicalSimilarity())
    sample = Sample("new", NEW["Who wrote the book {0}?"], "ASK { <http://e/1> <http://e/2> <http://e/3> }")
    for gold in ("not a query", "SELECT ?a { ?a <http://e/p> ?b . ?b <http://e/q> ?c }"):
        assert selector.select(sample.question) == selector.select(replace(sample, sparql=gold).question)
    if strategy in ("str", "stss"):
        assert {structural_type(s.sparql) for s in selector.select(sample.question)} != {structural_type(sample.sparql)}


@pytest.mark.parametrize("strategy", ["fr", "ss", "str", "stss"])
def test_an_example_that_asks_the_same_is_never_picked(strategy: str) -> None:
    selector = make_selector(f"{strategy}:36", TRAIN, LexicalSimilarity())
    assert "0-Ada" not in {s.id for s in selector.select("who wrote  the book Ada")}


def test_a_gold_type_must_be_given_on_purpose() -> None:
    index = build_index(TRAIN, LexicalSimilarity())
    ask = TYPES["Did {0} write Dune?"]
    selector = Selector("str", 3, index, LexicalSimilarity(), type_of=lambda question: ask)
    assert {structural_type(s.sparql) for s in selector.select("Who wrote the book Zed?")} == {ask}


def test_queries_that_cannot_be_parsed_are_counted_and_never_picked_by_type() -> None:
    broken = [*TRAIN, Sample("broken", "Who wrote the book Zed now?", "SELECT oops")]
    selector = make_selector("stss:36", broken, LexicalSimilarity())
    assert selector.index.unparsed == 1
    assert "broken" not in {s.id for s in selector.select("Who wrote the book Zed?")}


def test_the_index_is_read_back_from_the_cache(tmp_path: Path) -> None:
    fresh = make_selector("stss:3", TRAIN, LexicalSimilarity(), cache=tmp_path)
    [stored] = tmp_path.iterdir()
    os.utime(stored, (1, 1))
    again = make_selector("stss:3", TRAIN, LexicalSimilarity(), cache=tmp_path)
    assert stored.stat().st_mtime == 1
    assert np.array_equal(fresh.index.vectors, again.index.vectors)
    assert fresh.index.types == again.index.types
    assert [fresh.select(q) for q in NEW.values()] == [again.select(q) for q in NEW.values()]
    make_selector("stss:3", TRAIN[1:], LexicalSimilarity(), cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_cache_file_cut_short_is_built_again(tmp_path: Path) -> None:
    make_selector("ss:3", TRAIN, LexicalSimilarity(), cache=tmp_path)
    [stored] = tmp_path.iterdir()
    stored.write_bytes(stored.read_bytes()[:100])
    assert len(make_selector("ss:3", TRAIN, LexicalSimilarity(), cache=tmp_path).select("Who?")) == 3


@pytest.mark.parametrize("spec", ["best:3", "ss:-1", "ss:x", "", "ss:3:4"])
def test_unknown_selectors_are_configuration_errors(spec: str) -> None:
    with pytest.raises(ConfigError, match="stss:3"):
        make_selector(spec, TRAIN, LexicalSimilarity())


def test_a_training_set_without_readable_queries_gives_no_typed_example() -> None:
    selector = make_selector("stss:3", [Sample("1", "Who?", "")], LexicalSimilarity())
    assert selector.select("Where?") == []


def test_cross_validation_keeps_equal_questions_in_one_fold() -> None:
    types = [structural_type(s.sparql) for s in TRAIN]
    accuracy, floor = cross_validated_accuracy([s.question for s in TRAIN], types, LexicalSimilarity())
    assert accuracy > 0.9
    assert floor == pytest.approx(1 / 3)
    same = ["What is it?"] * 10
    assert cross_validated_accuracy(same, ["a", "b"] * 5, LexicalSimilarity())[0] == 0
