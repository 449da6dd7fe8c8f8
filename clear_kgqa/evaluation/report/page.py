"""A report as one self-contained HTML page: tables, charts, and every dialogue to unfold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from clear_kgqa.evaluation.report.runs import Run
from clear_kgqa.evaluation.report.svg import bar_chart, histogram, line_chart, threshold_series
from clear_kgqa.evaluation.report.tables import (
    Table,
    curve_table,
    error_table,
    gold_table,
    main_tables,
    threshold_table,
)  # fmt: skip
from clear_kgqa.evaluation.transcripts import Record
from clear_kgqa_tools.text import cut, visible

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 90em; padding: 0 1em; }
table { border-collapse: collapse; margin: .6em 0; font-variant-numeric: tabular-nums; }
th, td { border: 1px solid #d0d7de; padding: .25em .6em; text-align: left; vertical-align: top; }
th { background: #f6f8fa; } td:first-child, .n { white-space: nowrap; } .n { text-align: right; } .note { color: #57606a; } .wrong { color: #d1242f; } .right { color: #1a7f37; }
details { margin: .2em 0; } summary { cursor: pointer; }
nav { columns: 22em auto; } nav a { display: block; } svg { max-width: 100%; height: auto; }
pre { white-space: pre-wrap; background: #f6f8fa; padding: .6em; }
.wide { overflow-x: auto; }
"""
_NUMBER = re.compile(r"[+-]?\d[\d.,]*(?:(?:-| to )[+-]?\d[\d.]*)?")


def write_page(runs: Sequence[Run], out: Path) -> None:
    """Write the page piece by piece, so that long runs need no memory."""
    part = out.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        file.writelines(_page(runs))
    part.replace(out)


def _text(value: Any) -> str:
    return escape(visible(str(value)))


def _page(runs: Sequence[Run]) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Evaluation report</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>{_STYLE}</style></head><body><h1>Evaluation report</h1>"
    yield from _contents(runs)
    yield from map(_table, main_tables(runs))
    yield _table(error_table(runs))
    yield _table(gold_table(runs))
    for at, run in enumerate(runs):
        yield f'<section id="run{at}"><h1>{_text(run.name)}</h1>'
        yield from _charts(run)
        yield from _made_of(run)
        yield f'<h2 id="dialogues{at}">Dialogues: {_text(run.name)}</h2>'
        for record in run.records():
            yield _dialogue(record, run.mode)
        yield "</section>"
    yield "</body></html>\n"


def _contents(runs: Sequence[Run]) -> Iterator[str]:
    """Links to the charts and the dialogues of every run, which stand below the tables."""
    yield "<nav>"
    for at, run in enumerate(runs):
        yield f'<a href="#run{at}">{_text(run.name)}: charts</a><a href="#dialogues{at}">{_text(run.name)}: dialogues</a>'
    yield "</nav>"


def _table(table: Table) -> str:
    head = "".join(f"<th>{_text(cell)}</th>" for cell in table.head)
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    note = f'<p class="note">{_text(table.note)}</p>' if table.note else ""
    return f'<h2>{_text(table.title)}</h2><div class="wide"><table><tr>{head}</tr>{rows}</table></div>{note}'


def _cell(cell: str) -> str:
    """A cell, numbers and intervals to the right."""
    return f'<td class="n">{cell}</td>' if _NUMBER.fullmatch(cell) else f"<td>{_text(cell)}</td>"


def _charts(run: Run) -> Iterator[str]:
    found = run.curves()
    if found["points"]["voi"] and found["silent"] + found["always"]:
        yield _table(curve_table(run, found))
        yield line_chart(found["points"], "questions per item", "F1")
    if (grid := run.thresholds()) is not None:
        yield f"<h2>Score distributions: {_text(run.name)}</h2>"
        yield histogram(run.distributions(), "score")
        yield _table(threshold_table(run, grid))
        yield line_chart(threshold_series(grid), "threshold", "F1 and rounds")
    if kinds := run.summary.get("types"):
        yield f"<h2>F1 by type: {_text(run.name)}</h2>"
        yield bar_chart({visible(kind): numbers["f1"] for kind, numbers in kinds.items()}, "type", "F1")


def _made_of(run: Run) -> Iterator[str]:
    yield f"<details><summary>Made of: {_text(run.name)}</summary><table>"
    for name, value in run.manifest.items():
        held = value.items() if isinstance(value, dict) else [("", value)]
        yield from (f"<tr><th>{_text(name)}</th><td>{_text(part)}</td><td>{_text(v)}</td></tr>" for part, v in held)
    yield "</table></details>"


def _dialogue(record: Record, mode: str) -> str:
    metrics = (record.get("metrics") or {}).get(mode)
    score = f"F1 {metrics['f1']:.2f}" if metrics else record["end"]
    colour = "right" if metrics and metrics["f1"] == 1 else "wrong"
    head = f'<span class="{colour}">{_text(score)}</span> {_text(record["id"])}: {_text(record["question"])}'
    parts = [_clarification(c) for c in record.get("clarifications") or ()]
    gold = record.get("gold") or {}
    for title, value in (
        (
            "scores",
            "\n".join(f"{s['slot']} {s['score']:.2f} (threshold {s['threshold']:.2f})" for s in record["scores"]),
        ),
        ("query", record.get("sparql")),
        ("answers", _listed(record.get("answers") or ())),
        ("gold query", gold.get("sparql")),
        ("gold answers", _listed(gold.get("answers") or ())),
        ("ended", f"{record['end']}: {record.get('error', '')}" if record.get("error") else ""),
    ):
        parts.append(f"<p>{title}</p><pre>{_text(value)}</pre>" if value else "")
    return f"<details><summary>{head}</summary>{''.join(parts)}</details>\n"


def _clarification(clarification: dict[str, Any]) -> str:
    options = "".join(map(_option, clarification["options"]))
    reply, leaks = clarification["reply"], ", ".join(clarification["leaks"])
    leaked = f' <b class="wrong">leak: {_text(leaks)}</b>' if leaks else ""
    said = "no reply" if reply is None else f"reply: {reply}"
    return f"<p>{_text(clarification['question'])}</p><ol>{options}</ol><p>{_text(said)}{leaked}</p>"


def _option(option: dict[str, Any]) -> str:
    told = ", ".join(filter(None, (option["type"], option["description"], option["fact"])))
    return f'<li>{_text(option["label"])} <span class="note">{_text(told)}</span></li>'


def _listed(answers: Sequence[str], most: int = 20) -> str:
    more = f"\n… {len(answers) - most} more" if len(answers) > most else ""
    return "\n".join(cut(a, 300) for a in answers[:most]) + more
