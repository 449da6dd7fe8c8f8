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
from clear_kgqa_tools.similarity import load_similarity

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
        text = question.format(
            e=f"{WORDS[(i // 7) % 10].title()} {CLASSES[(i // 3) % 8].title()} {i}", **words
        )
        found.append(Sample(str(i), text, query.format(e=f"e{i % 50}", **words)))
    return found


def main(number: int) -> None:
    similarity = load_similarity()
    similarity.encode(["a first text loads the model"])
    train = examples(number)
    started = perf_counter()
    similarity.encode([s.question for s in train])
    print(f"embedding: {number / (perf_counter() - started):,.0f} examples/s ({similarity.name})")
    with tempfile.TemporaryDirectory() as folder:
        for state in ("index built", "index from cache"):
            started = perf_counter()
            index = build_index(train, similarity, cache=Path(folder))
            print(f"{state}: {perf_counter() - started:.1f} s")
    asked = [
        f"Who was the {WORDS[i % 10]} of the {CLASSES[i % 8]} number {i} in {1900 + i}?" for i in range(300)
    ]
    for strategy in STRATEGIES:
        selector = Selector(strategy, 3, index, similarity)
        selector.select("What is this?")
        times = []
        for question in asked:
            started = perf_counter()
            selector.select(question)
            times.append(1000 * (perf_counter() - started))
        print(
            f"{strategy}:3 p50 {median(times):.1f} ms, p95 {quantiles(times, n=20)[-1]:.1f} ms per question"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
