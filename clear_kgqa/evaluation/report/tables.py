"""The tables of a report as rows of text, shared by Markdown and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clear_kgqa.evaluation.curves import POLICIES
from clear_kgqa.evaluation.report.runs import Run, compare
from clear_kgqa.evaluation.summary import Summary

ANSWERS = {
    "n": "questions",
    "done": "done",
    "failed": "failed",
    "excluded": "excluded",
    "f1": "F1",
    "interval": "95 %",
    "precision": "P",
    "recall": "R",
    "rhits1": "RHits@1",
    "em": "EM",
    "qald_f1": "QALD-F1",
    "match": "match",
    "accuracy": "F1 = 1",
    "choice": "choice",
}
ASKING = {
    "asks_per_question": "asks per question",
    "asked_share": "asked",
    "divergent_asks": "divergent",
    "changed_asks": "changed",
    "harmful_asks": "harmful",
    "missed_asks": "missed",
    "gain_per_ask": "gain per ask",
    "bits_per_ask": "bits per ask",
    "leaks": "leaks",
    "seconds_per_question": "seconds",
    "tokens": "tokens",
    "cost": "US$",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table of text cells, with a note under it."""

    title: str
    head: list[str]
    rows: list[list[str]]
    note: str = ""


def shown(value: Any) -> str:
    """A cell: fractions with three places, nothing for what is missing."""
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _cells(summary: Summary, columns: dict[str, str]) -> list[str]:
    bounds = {"interval": f"{shown(summary.get('f1_low'))}-{shown(summary.get('f1_high'))}"}
    return [shown({**summary, **bounds}.get(name)) for name in columns]


def main_tables(runs: Sequence[Run]) -> list[Table]:
    """Answers and asking, a row a run; ends of dialogues; comparisons; questions by type."""
    scored = f"Values compared in {runs[0].mode} mode. Intervals by bootstrap over gold entities."
    ends = sorted({end for run in runs for end in run.summary["ends"]})
    chosen = any("choice" in run.summary for run in runs)
    answers = {name: title for name, title in ANSWERS.items() if chosen or name != "choice"}
    tables = [
        Table("Answers", ["run", *answers.values()], [[r.name, *_cells(r.summary, answers)] for r in runs], scored),
        Table(
            "Clarifications",
            ["run", *ASKING.values()],
            [[r.name, *_cells(r.summary, ASKING)] for r in runs],
            "Divergent, changed and harmful are shares of asks, missed a share of scored questions.",
        ),
        Table("How dialogues ended", ["run", *ends], [_ends(run, ends) for run in runs]),
    ]
    return [*tables, *comparisons(runs), *type_tables(runs)]


def _ends(run: Run, ends: Sequence[str]) -> list[str]:
    return [run.name, *(shown(run.summary["ends"].get(end, 0)) for end in ends)]


def comparisons(runs: Sequence[Run]) -> list[Table]:
    """Every further run against the first."""
    rows = []
    for run in runs[1:]:
        found = compare(runs[0], run)
        d = found.difference
        rows.append([found.name, str(found.items), f"{d.mean:+.3f}", f"{d.low:+.3f} to {d.high:+.3f}"])
    note = "Paired bootstrap over gold entities, on questions that both runs scored."
    return [Table("Differences in F1", ["runs", "questions", "difference", "95 %"], rows, note)] if rows else []


def type_tables(runs: Sequence[Run]) -> list[Table]:
    """F1 and asks by question type, a column a run."""
    kinds = sorted({kind for run in runs for kind in run.summary.get("types", {})})
    if not kinds:
        return []
    head = ["type", "questions", *(f"{name} {r.name}" for r in runs for name in ("F1", "asks"))]
    rows = []
    for kind in kinds:
        found = [run.summary.get("types", {}).get(kind, {}) for run in runs]
        size = max(f.get("n", 0) for f in found)
        cells = [shown(f.get(name)) for f in found for name in ("f1", "asks_per_question")]
        rows.append([kind, str(size), *cells])
    return [Table("By type", head, rows)]


def curve_table(run: Run, curves: dict[str, Any]) -> Table:
    """F1 at some numbers of questions per item for each policy."""
    budgets = ["0.1", "0.3", "0.5", "0.7", "1"]
    rows = [[p, *(shown(curves["budgets"][p][b]) for b in budgets), shown(curves["areas"][p])] for p in POLICIES]
    ends = f"silent {shown(curves['silent'])}, always asked {shown(curves['always'])}"
    note = (
        f"Replayed over {curves['items']} questions without running any model: {ends}. "
        "Area: mean F1 over 0 to 0.5 questions."
    )
    return Table(f"F1 against questions per item: {run.name}", ["policy", *budgets, "area"], rows, note)


def threshold_table(run: Run, grid: dict[str, Any]) -> Table:
    """One threshold varied with the other at 0.5."""
    rows = []
    for entity, intent in zip(grid["entity"], grid["intent"], strict=True):
        cells = [cell[name] for cell in (entity, intent) for name in ("f1", "rounds")]
        rows.append([shown(entity["entity"]), *map(shown, cells)])
    chosen, test = grid["chosen"], grid["test"]
    note = (
        f"The other threshold is 0.5. Chosen on the development half ({chosen['items']} questions): entity "
        f"{chosen['entity']}, intent {chosen['intent']}, F1 {shown(chosen['f1'])}; on the other half "
        f"({test['items']} questions) these reach F1 {shown(test['f1'])} at {shown(test['rounds'])} rounds."
    )
    head = ["threshold", "F1 (entity)", "rounds (entity)", "F1 (intent)", "rounds (intent)"]
    return Table(f"Thresholds: {run.name}", head, rows, note)


def error_table(runs: Sequence[Run]) -> Table:
    """How many wrong answers fall in each error class."""
    found = [run.errors() for run in runs]
    rows = [[run.name, *(str(len(ids)) for ids in errors.values())] for run, errors in zip(runs, found, strict=True)]
    note = "By comparing the gold query's graph pattern with the one that was run; no model was used."
    return Table("Error classes", ["run", *found[0]], rows, note)


def gold_table(runs: Sequence[Run]) -> Table:
    """What is to be known about the gold: excluded, drifted, cut by ties."""
    rows = []
    for run in runs:
        excluded = [r.id for r in run.rows if r.scores is None]
        for what, ids in (
            ("excluded: broken or empty on this graph", excluded),
            ("stored answers differ from the graph's", run.summary["gold_differs"]),
            ("LIMIT cuts through a tie (any of it accepted)", run.summary["gold_ties"]),
        ):
            listed = ", ".join(ids[:20]) + (f" and {len(ids) - 20} more" if len(ids) > 20 else "")
            rows.append([run.name, what, str(len(ids)), listed])
    return Table("Gold", ["run", "what", "number", "questions"], rows)
