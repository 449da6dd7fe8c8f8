"""Memory of `evaluate` against the number of questions: peak of a process that runs N of them, for growing N.

Usage: python benchmarks/evaluate_memory.py [N ...]     (default 500 1000 5000; PYTHONPATH=.:tools)
A generated graph of books and a strategy that always asks stand in for the agent, so that what grows with the
number of questions is the evaluation's own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions, evaluate
from clear_kgqa.evaluation.samples import Sample, write_samples
from clear_kgqa.events import Answered, Asked, Event
from clear_kgqa_tools.embedded import EmbeddedGraph
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.graph import trusted
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.safety import check

X = "http://x.example/"
BOOKS = 500


class Lookup:
    """Asks which of two books is meant, then answers with its author."""

    def __init__(self, graph: EmbeddedGraph) -> None:
        self._graph = graph
        self._book = ""

    def start(self, question: str) -> Iterator[Event]:
        self._book = question.rstrip("?").split()[-1]
        options = tuple(Option(f"{X}{name}", name) for name in (self._book, f"{self._book}x"))
        yield Asked(Clarification("c1", "entity", "entity", "Which book?", options))

    def resume(self, reply: str | None) -> Iterator[Event]:
        sparql = f"SELECT ?a {{ <{X}{self._book}> <{X}author> ?a }}"
        rows = self._graph.query(trusted(sparql)).rows
        cells = tuple(tuple(None if t is None else t.to_json() for t in row) for row in rows)
        yield Answered("select", ("a",), cells, (), None, sparql, "", "")

    def cancel(self) -> None:
        self._graph.cancel()


def build(folder: Path, number: int) -> None:
    """A store of books with their authors, and a questions file over it."""
    import pyoxigraph

    triples = "".join(f"<{X}b{at}> <{X}author> <{X}a{at}> .\n" for at in range(BOOKS))
    pyoxigraph.Store(folder / "store").load(triples.encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)
    samples = [
        Sample(str(at), f"Who wrote b{at % BOOKS}?", f"SELECT ?a {{ <{X}b{at % BOOKS}> <{X}author> ?a }}")
        for at in range(number)
    ]
    write_samples(folder / "questions.jsonl", samples)


def measure(number: int) -> None:
    """Run N questions in this process and print its peak memory and time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder, number)
        graph = EmbeddedGraph(folder / "store")

        def describe(iris: list[str]) -> dict[str, Node]:
            return {iri: Node(iri, iri.removeprefix(X)) for iri in iris}

        options = EvaluateOptions(folder / "questions.jsonl", folder / "run", user="oracle", concurrency=2)
        books = EvaluateGraph(graph, check, describe, "books")
        started = time.perf_counter()
        summary = evaluate(options, lambda _: Lookup(graph), books)
        seconds = time.perf_counter() - started
        graph.close()
        if summary["f1"] != 1:
            raise ConfigError(f"the benchmark's own questions should all be right, not F1 {summary['f1']}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    each = seconds / number * 1000
    print(f"{number:>7,} questions  {peak:7.1f} MB peak  {seconds:6.1f} s  {each:5.1f} ms each")


def main(numbers: list[str]) -> None:
    """One process for each N, so that peaks do not mix."""
    if len(numbers) == 1:
        measure(int(numbers[0]))
        return
    for number in numbers or ["500", "1000", "5000"]:
        subprocess.run([sys.executable, __file__, number], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
