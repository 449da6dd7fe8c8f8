"""A report in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from clear_kgqa.evaluation.report.runs import Run
from clear_kgqa.evaluation.report.tables import (
    Table,
    curve_table,
    error_table,
    gold_table,
    main_tables,
    threshold_table,
)  # fmt: skip
from clear_kgqa_tools.text import one_line


def markdown_text(runs: Sequence[Run]) -> str:
    """All tables of the runs, with what each run was made of."""
    tables = main_tables(runs)
    for run in runs:
        curves = run.curves()
        if any(curves["points"]["voi"]) and curves["silent"] + curves["always"]:
            tables.append(curve_table(run, curves))
        if (grid := run.thresholds()) is not None:
            tables.append(threshold_table(run, grid))
    tables += [error_table(runs), gold_table(runs)]
    return "\n\n".join(["# Evaluation report", *map(table_text, tables), *map(_made_of, runs)]) + "\n"


def table_text(table: Table) -> str:
    """One table under its title."""
    lines = [
        f"## {table.title}",
        "",
        _row(table.head),
        _row(["---"] * len(table.head)),
        *map(_row, table.rows),
    ]
    return "\n".join([*lines, "", table.note] if table.note else lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(one_line(cell).replace("|", "\\|") for cell in cells) + " |"


def _made_of(run: Run) -> str:
    graph, versions = run.manifest.get("graph", {}), run.manifest.get("versions", {})
    told = [f"- graph {graph.get('name')} (sha256 {str(graph.get('sha256'))[:12] or '-'})"]
    told.append(f"- seed {run.manifest.get('seed')}, user {run.manifest.get('user')}")
    told += [f"- {name}: {value}" for name, value in run.manifest.get("settings", {}).items()]
    told.append("- " + ", ".join(f"{name} {number}" for name, number in versions.items()))
    return "\n".join([f"## Made of: {run.name}", "", *map(one_line, told)])
