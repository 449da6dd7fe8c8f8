"""Example selection over 20,000 examples: milliseconds per question once indexed, and embedding rate.

Usage: python benchmarks/selection.py [EXAMPLES]        (made questions; targets: 10 ms per question, 700
examples/s)
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.examples.index import build_index
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
    """A similarity that adds up the seconds of its encoding."""

    def __init__(self, inner: Similarity) -> None:
        self.inner, self.name, self.seconds = inner, inner.name, 0.0

    def encode(self, texts: list[str]) -> Vectors:
        started = perf_counter()
        vectors = self.inner.encode(texts)
        self.seconds += perf_counter() - started
        return vectors


def main(number: int, lexical: bool) -> None:
    similarity = Timed(load_similarity(prefer_embedder=not lexical))
    similarity.inner.encode(["a first text loads the model"])
    train = examples(number)
    with tempfile.TemporaryDirectory() as folder:
        started = perf_counter()
        build_index(train, similarity, cache=Path(folder))
        rate = number / similarity.seconds
        print(f"embedding: {rate:,.0f} examples/s ({similarity.name}, {similarity.seconds:.1f} s)")
        print(f"index built: {perf_counter() - started:.1f} s, embedding included")
        started = perf_counter()
        index = build_index(train, similarity, cache=Path(folder))
        print(f"index from cache: {perf_counter() - started:.2f} s")
    asked = [f"Who was the {WORDS[i % 10]} of the {CLASSES[i % 8]} number {i} in {1900 + i}?" for i in range(300)]
    for strategy in STRATEGIES:
        selector = Selector(strategy, 3, index, similarity)
        selector.select("What is this?")
        times = []
        for question in asked:
            started = perf_counter()
            selector.select(question)
            times.append(1000 * (perf_counter() - started))
        print(f"{strategy}:3 p50 {median(times):.1f} ms, p95 {quantiles(times, n=20)[-1]:.1f} ms per question")


if __name__ == "__main__":
    numbers = [int(a) for a in sys.argv[1:] if a.isdecimal()]
    main(numbers[0] if numbers else 20_000, "--lexical" in sys.argv)
