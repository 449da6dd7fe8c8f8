"""The table of simulated users: every question set of a folder, all users, with intervals; resumable.

Usage: python benchmarks/users.py [DATA OUT] [--limit N] [--sets NAME,...] [--mode strict|lenient]
DATA holds a folder per set with kg.nt.gz and questions.jsonl; without it the first questions over the demo graph are
run into a folder that is thrown away. The run folders stand in OUT, one per set and user (`clear-kgqa report` reads them).
"""

from __future__ import annotations

import argparse
import tempfile
from importlib.resources import files
from pathlib import Path

from clear_kgqa.cli.batch import evaluate_options, opened_run, shown_on
from clear_kgqa.evaluation.report import load_runs
from clear_kgqa.evaluation.report.markdown import table_text
from clear_kgqa.evaluation.run import Progress
from clear_kgqa.evaluation.tables import VARIANTS, tables
from clear_kgqa.evaluation.user_table import user_table
from clear_kgqa.settings import Settings

USERS = tuple(v for v in VARIANTS if not v.changes)
SETS = ("wikidata_mini", "ck25", "claqua")
DEMO_LIMIT = 20


def table_of(name: str, settings: Settings) -> str:
    """Run (or resume) all users over one set; the Markdown table of what they got."""
    options = evaluate_options(settings)
    with opened_run(settings) as opened:

        def told(run: str, now: Progress) -> None:
            shown_on(opened.bar, f"{name}, {run}")(now)

        tables(options, opened.strategies, opened.graph, told, USERS)
    runs = {v.name: load_runs([options.out / folder for folder in v.folders()], settings.mode) for v in USERS}
    return table_text(user_table(f"{name}, {settings.mode}", runs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--mode", choices=("strict", "lenient"), default="lenient")
    given = parser.parse_args()
    if given.data and not given.out:
        parser.error("give OUT, the folder for the runs")
    with tempfile.TemporaryDirectory() as folder:
        out = given.out or Path(folder)
        if given.data is None:
            questions = Path(str(files("clear_kgqa") / "data" / "demo_questions.jsonl"))
            limit = given.limit or DEMO_LIMIT
            print(table_of("demo", Settings(questions=questions, out=out, limit=limit, mode=given.mode)))
            return
        for name in given.sets.split(","):
            kg, questions = given.data / name / "kg.nt.gz", given.data / name / "questions.jsonl"
            settings = Settings(kg=str(kg), questions=questions, out=out / name, limit=given.limit, mode=given.mode)
            print(table_of(name, settings), flush=True)
            print()


if __name__ == "__main__":
    main()
