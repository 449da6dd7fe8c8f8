"""Every strategy that runs without a model on the question sets, MARS without each of its steps, and its topN and hops.

    python benchmarks/strategies.py DATA --out RUNS [--per-type 200] [--rows strategies,ablation,patterns]

DATA holds one folder per question set (kg.nt.gz, questions.jsonl). Each row is one run of `clear-kgqa evaluate` in a
folder of its own under RUNS, so the same command resumes; a finished row is not run again. Prints Markdown tables of
lenient scores and writes them to RUNS/strategies.md.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SETS = ("ck25", "wikidata_mini")
STEPS = ("rewriting", "enrichment", "counts", "classes", "verification")
METRICS = ("f1", "rhits1", "em", "match", "asks_per_question")


@dataclass(frozen=True)
class Row:
    """One run: its name in the table and the options it is made with."""

    name: str
    options: tuple[str, ...]


TABLES = {
    "strategies": [
        Row("clear, silent", ("--strategy", "clear", "--user", "silent")),
        Row("clear, oracle", ("--strategy", "clear", "--user", "oracle")),
        Row("interactive", ("--strategy", "interactive", "--user", "silent")),
        Row("mars, silent", ("--strategy", "mars", "--user", "silent")),
        Row("mars, oracle", ("--strategy", "mars", "--user", "oracle")),
    ],
    "ablation": [
        Row("mars, silent", ("--strategy", "mars", "--user", "silent")),
        *(Row(f"without {s}", ("--strategy", "mars", "--user", "silent", "--mars-without", s)) for s in STEPS),
        Row(
            "without all of them",
            ("--strategy", "mars", "--user", "silent", "--mars-without", ",".join(STEPS)),
        ),
    ],
    "patterns": [
        Row("topN 20, 10 hops", ("--strategy", "mars", "--user", "silent")),
        Row("topN 100, 1 hop", ("--strategy", "mars", "--user", "silent", "--top-n", "100", "--hops", "1")),
        Row("topN 20, 1 hop", ("--strategy", "mars", "--user", "silent", "--top-n", "20", "--hops", "1")),
        Row("topN 5, 10 hops", ("--strategy", "mars", "--user", "silent", "--top-n", "5", "--hops", "10")),
        Row("topN 5, 1 hop", ("--strategy", "mars", "--user", "silent", "--top-n", "5", "--hops", "1")),
    ],
}


def main() -> None:
    """Run what is missing and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--per-type", type=int)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--rows", default=",".join(TABLES))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    parts = []
    for table in given.rows.split(","):
        for name in given.sets.split(","):
            rows = [(row, run(given.data / name, given.out / name, row, given.per_type)) for row in TABLES[table]]
            parts.append(f"{table}, {name} ({rows[0][1]['done']} questions)\n\n{markdown(rows)}")
            (given.out / "strategies.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print("\n\n".join(parts))


def run(data: Path, out: Path, row: Row, per_type: int | None) -> dict[str, Any]:
    """The summary of one row, with the processor seconds that its questions took where it was run now."""
    folder = out / "_".join(o.strip("-").replace(",", "+") for o in row.options)
    finished = folder / "processor.json"
    if not finished.is_file():
        begun = spent()
        command = [
            sys.executable, "-c", "import sys; from clear_kgqa.cli import main; sys.exit(main())", "evaluate",
            "--kg", str(data / "kg.nt.gz"), "--questions", str(data / "questions.jsonl"), "--out", str(folder),
            "--mode", "lenient", *row.options, *(("--per-type", str(per_type)) if per_type else ()),
        ]  # fmt: skip
        done = subprocess.run(command, check=False, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path[1:])})
        if done.returncode:
            raise SystemExit(f"{row.name} on {data.name} ended with {done.returncode}; the same command goes on")
        finished.write_text(json.dumps({"seconds": spent() - begun}), encoding="utf-8")
    summary: dict[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return {**summary, "processor": json.loads(finished.read_text(encoding="utf-8"))["seconds"]}


def spent() -> float:
    """Processor seconds of all processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def markdown(rows: list[tuple[Row, dict[str, Any]]]) -> str:
    """One table; processor time per question includes starting up."""
    head = ["", "F1", "RHits@1", "EM", "match", "asks per question", "failed", "processor s per question"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for row, summary in rows:
        figures = [f"{summary[m]:.3f}" for m in METRICS]
        seconds = f"{summary['processor'] / max(summary['done'], 1):.2f}"
        lines.append(f"| {' | '.join([row.name, *figures, str(summary['failed']), seconds])} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
