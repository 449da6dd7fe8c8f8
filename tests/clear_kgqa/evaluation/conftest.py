"""A small real graph in an Oxigraph store, and a strategy over it that asks which node was meant."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from clear_kgqa.evaluation.gold import GoldQueries
from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions
from clear_kgqa.evaluation.samples import Sample, write_samples
from clear_kgqa_tools.embedded import EmbeddedGraph
from clear_kgqa_tools.safety import check

TURTLE = """
@prefix : <http://x.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:author rdfs:label "author" . :pages rdfs:label "pages" . :filmed rdfs:label "filmed by" .
:dune rdfs:label "Dune" ; :kind "novel" ; :author :herbert ; :pages 412 .
:dune2 rdfs:label "Dune" ; :kind "film" ; :filmed :lynch ; :author :lynch .
:emma rdfs:label "Emma" ; :kind "novel" ; :author :austen ; :pages 412 .
:ivanhoe rdfs:label "Ivanhoe" ; :kind "novel" ; :author :scott ; :pages 300 .
:herbert rdfs:label "Frank Herbert" . :lynch rdfs:label "David Lynch" .
:austen rdfs:label "Jane Austen" . :scott rdfs:label "Walter Scott" .
"""


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import pyoxigraph

    path = tmp_path_factory.mktemp("evaluation") / "store"
    pyoxigraph.Store(path).load(TURTLE.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    return path


@pytest.fixture(scope="session")
def graph(store: Path) -> Iterator[EmbeddedGraph]:
    graph = EmbeddedGraph(store)
    yield graph
    graph.close()


@pytest.fixture
def gold(graph: EmbeddedGraph, tmp_path: Path) -> Iterator[GoldQueries]:
    queries = GoldQueries(graph, check, tmp_path / "gold.sqlite", "hash")
    yield queries
    queries.close()


@pytest.fixture(scope="session")
def tiny() -> ModuleType:
    """The module label_strategy.py beside this file."""
    spec = importlib.util.spec_from_file_location("label_strategy", Path(__file__).with_name("label_strategy.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def asked(graph: EmbeddedGraph, tiny: ModuleType) -> EvaluateGraph:
    found: EvaluateGraph = tiny.evaluate_graph(graph)
    return found


@pytest.fixture
def options(tmp_path: Path) -> EvaluateOptions:
    """Twelve questions about authors, ten of them to be answered, with a user who is wrong half of the time."""
    names = {"dune": "Dune", "dune2": "Dune", "emma": "Emma", "ivanhoe": "Ivanhoe"}
    samples = [
        Sample(
            f"q{at}",
            f"Who is the author of {name}?",
            f"PREFIX : <http://x.example/> SELECT ?a {{ :{node} :author ?a }}",
        )
        for at, (node, name) in enumerate([*names.items()] * 3)
    ]
    write_samples(tmp_path / "q.jsonl", samples)
    return EvaluateOptions(tmp_path / "q.jsonl", tmp_path / "run", user="noisy:0.5", limit=10)
