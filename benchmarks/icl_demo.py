"""Splits the questions over the demo graph for `clear-kgqa icl`: every fifth that has an answer is a test question.

Usage: python benchmarks/icl_demo.py OUT
       clear-kgqa icl --train OUT/train.jsonl --test OUT/test.jsonl --model smollm2-135m --readable --out OUT
"""

from __future__ import annotations

import sys
from importlib.resources import as_file, files
from pathlib import Path

from clear_kgqa.evaluation.samples import read_samples, write_samples


def main(out: Path) -> None:
    with as_file(files("clear_kgqa") / "data" / "demo_questions.jsonl") as path:
        answerable = [s for s in read_samples(path) if s.answers]
    out.mkdir(parents=True, exist_ok=True)
    write_samples(out / "test.jsonl", answerable[::5])
    write_samples(out / "train.jsonl", [s for i, s in enumerate(answerable) if i % 5])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
