"""Example selection over 20,000 examples: milliseconds per question once indexed, and embedding rate.

Usage: python benchmarks/selection.py [EXAMPLES] [--lexical] [--select-only]

Made questions; targets: 10 ms per question, 700 examples/s. Processor time stands beside wall time. With
--select-only the examples have random vectors, as embedding 20,000 of them takes minutes on a busy machine.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time

import numpy as np

from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.examples.index import ExampleIndex, build_index
from clear_kgqa.examples.selectors import STRATEGIES, Selector
from clear_kgqa_tools.similarity import Similarity, Vectors, load_similarity

SHAPES = (
    ("Who is the {p} of {e}?", "SELECT ?a {{ <http://e/{e}> <http://e/{p}> ?a }}"),
    ("Which {c} has the {p} {e}?", "SELECT ?a {{ ?a <http://e/{p}> <http://e/{e}> . ?a a <http://e/{c}> }}"),
    ("What is the {q} of the {p} of {e}?", "SELECT ?a {{ <http://e/{e}> <http://e/{p}>/<http://e/{q}> ?a }}"),
    ("Is {e} the {p} of a {c} called {c}?", "ASK {{ <http://e/{e}> <http://e/{p}> <http://e/{c}> }}"),
)
WORDS = [
    "author",
    "director",
    "founder",
    "capital",
    "mayor",
    "owner",
    "editor",
    "partner",
    "parent",
    "teacher",
]
CLASSES = ["book", "film", "city", "company", "river", "band", "school", "village"]


def examples(number: int) -> list[Sample]:
    """Questions that all differ, of four structural types; queries repeat, so each is parsed once."""
    found = []
    for i in range(number):
        question, query = SHAPES[i % len(SHAPES)]
        words = {"p": WORDS[i % 10], "q": WORDS[(i // 10) % 10], "c": CLASSES[i % 8]}
        text = question.format(e=f"{WORDS[(i // 7) % 10].title()} {CLASSES[(i // 3) % 8].title()} {i}", **words)
        found.append(Sample(str(i), text, query.format(e=f"e{i % 50}", **words)))
    return found


class Timed:
    """A similarity that adds up the wall and processor seconds of its encoding."""

    def __init__(self, inner: Similarity) -> None:
        self.inner, self.name, self.seconds, self.processor = inner, inner.name, 0.0, 0.0

    def encode(self, texts: list[str]) -> Vectors:
        started, processor = perf_counter(), process_time()
        vectors = self.inner.encode(texts)
        self.seconds += perf_counter() - started
        self.processor += process_time() - processor
        return vectors


def built(number: int, similarity: Timed) -> ExampleIndex:
    """The index of made examples, with what it costs to build and to load."""
    train = examples(number)
    with tempfile.TemporaryDirectory() as folder:
        started, processor = perf_counter(), process_time()
        build_index(train, similarity, cache=Path(folder))
        print(
            f"embedding: {number / similarity.seconds:,.0f} examples/s, {number / similarity.processor:,.0f} per "
            f"second of processor ({similarity.name})"
        )
        print(f"index built: {perf_counter() - started:.1f} s, {process_time() - processor:.1f} s of processor")
        started = perf_counter()
        index = build_index(train, similarity, cache=Path(folder))
        print(f"index from cache: {perf_counter() - started:.2f} s")
    return index


def with_random_vectors(number: int, similarity: Similarity) -> ExampleIndex:
    """An index of the same size and types whose vectors say nothing."""
    small, train = build_index(examples(800), similarity), examples(number)
    vectors = np.random.default_rng(0).standard_normal((number, small.vectors.shape[1]), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    types = tuple(small.types[i % len(SHAPES)] for i in range(number))
    return ExampleIndex(tuple(train), vectors, types, small.classifier)


def main(number: int, lexical: bool, select_only: bool) -> None:
    similarity = Timed(load_similarity(prefer_embedder=not lexical))
    similarity.inner.encode(["a first text loads the model"])
    index = with_random_vectors(number, similarity) if select_only else built(number, similarity)
    asked = [f"Who was the {WORDS[i % 10]} of the {CLASSES[i % 8]} number {i} in {1900 + i}?" for i in range(300)]
    for strategy in STRATEGIES:
        selector = Selector(strategy, 3, index, similarity)
        selector.select("What is this?")
        times, processor = [], process_time()
        for question in asked:
            started = perf_counter()
            selector.select(question)
            times.append(1000 * (perf_counter() - started))
        own = 1000 * (process_time() - processor) / len(asked)
        print(
            f"{strategy}:3 p50 {median(times):.1f} ms, p95 {quantiles(times, n=20)[-1]:.1f} ms per question; "
            f"processor {own:.1f} ms"
        )


if __name__ == "__main__":
    numbers = [int(a) for a in sys.argv[1:] if a.isdecimal()]
    main(numbers[0] if numbers else 20_000, "--lexical" in sys.argv, "--select-only" in sys.argv)
