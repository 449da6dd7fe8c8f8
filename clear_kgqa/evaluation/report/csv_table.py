"""A report as CSV: a row for each run and each question type of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from clear_kgqa.evaluation.report.runs import Run
from clear_kgqa.evaluation.report.tables import ANSWERS, ASKING

_NAMES = [name for name in ("f1_low", "f1_high", *ANSWERS, *ASKING) if name != "interval"]


def csv_text(runs: Sequence[Run]) -> str:
    """The numbers of every run (type empty) and of its types, in full precision."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["run", "type", *_NAMES])
    for run in runs:
        for kind, numbers in (("", run.summary), *run.summary.get("types", {}).items()):
            writer.writerow([run.name, kind, *(numbers.get(name, "") for name in _NAMES)])
    return out.getvalue()
