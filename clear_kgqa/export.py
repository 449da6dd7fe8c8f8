"""Answers and conversations as files: CSV, JSON, Markdown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from clear_kgqa.answer_json import answer_json
from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.events import Answered, Asked, Failed, Replied
from clear_kgqa.session_store import Turn
from clear_kgqa_tools.text import one_line, visible

Cell = dict[str, str] | None
# What Excel, LibreOffice and Google Sheets take for the beginning of a formula, full-width forms among it.
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def plain(cell: Cell) -> str:
    """The value of a cell: an IRI, a literal's text, or nothing."""
    return "" if cell is None else next(cell[k] for k in ("iri", "literal", "bnode", "triple") if k in cell)


def answer_csv(answer: Answered) -> str:
    """All rows with a column of labels beside each column of IRIs; ASK as one cell.

    Text that a spreadsheet would run as a formula gets an apostrophe before it; numbers stay as they are.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if answer.form == "ask":
        writer.writerows([["answer"], ["yes" if answer.boolean else "no"]])
        return out.getvalue()
    labelled = [any(row[i] and "iri" in row[i] for row in answer.rows) for i in range(len(answer.columns))]  # type: ignore[operator]
    writer.writerow(_beside(answer.columns, [f"{c} label" for c in answer.columns], labelled))
    for row in answer.rows:
        labels = ["" if c is None else c.get("label", "") for c in row]
        writer.writerow(map(_harmless, _beside([plain(c) for c in row], labels, labelled)))
    return visible(out.getvalue())


def _harmless(cell: str) -> str:
    """The cell with an apostrophe before what begins a formula, even after spaces; a number is none."""
    if not cell.lstrip().startswith(_FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def _beside(values: Sequence[str], labels: Sequence[str], labelled: Sequence[bool]) -> list[str]:
    return [
        text for v, label, both in zip(values, labels, labelled, strict=True) for text in ([v, label] if both else [v])
    ]


def turn_json(turn: Turn) -> dict[str, Any]:
    """The turn as `ask --json` prints it; the seconds are those of the answering query."""
    answer = turn.last(Answered)
    return answer_json(turn.question, turn.events, answer.seconds if answer else 0.0)


def transcript_json(turns: Sequence[Turn]) -> str:
    """The conversation as a JSON list; other than ASCII is escaped, so that no terminal acts on it."""
    return json.dumps([turn_json(t) for t in turns], indent=1) + "\n"


def turn_markdown(turn: Turn) -> str:
    """Question, reading, questions back with their replies, answer and query."""
    lines = [f"## {_escaped(turn.question)}", ""]
    if turn.asked != turn.question:
        lines += [f"Asked as: {_escaped(turn.asked)}", ""]
    asked: Clarification | None = None
    for event in turn.told():
        match event:
            case str():
                lines += [f"- {_escaped(event.strip())}"]
            case Asked():
                asked = event.clarification
                lines += [
                    f"- {_escaped(asked.question)}",
                    *(f"    {i}. {_escaped(o.line())}" for i, o in enumerate(asked.options, 1)),
                ]
            case Replied():
                said = "; ".join(o.line() for o in chosen_options(asked, event)) or event.text
                lines += [f"- Reply: {_escaped(said)}", ""]
            case Answered():
                lines += _answer_markdown(event)
            case Failed():
                lines += [f"No answer: {_escaped(event.reason)}", ""]
            case _:
                pass
    return visible("\n".join(lines).rstrip() + "\n")


def _answer_markdown(answer: Answered) -> list[str]:
    lines = [f"**{_escaped(answer.text)}**", "", f"Read as: {_escaped(answer.interpretation)}", ""]
    if answer.rows and answer.form == "select":
        lines += [
            "| " + " | ".join(map(_escaped, answer.columns)) + " |",
            "|" + " --- |" * len(answer.columns),
        ]
        lines += ["| " + " | ".join(_cell(c) for c in row) + " |" for row in answer.rows]
        lines += [""]
    if answer.incomplete:
        lines += ["Incomplete: the source left rows out.", ""]
    fence = "`" * (
        max((len(run) for run in answer.sparql.replace("\n", " ").split() if set(run) == {"`"}), default=2) + 1
    )
    return [*lines, f"{fence}sparql", answer.sparql, fence, ""]


def _cell(cell: Cell) -> str:
    value = plain(cell)
    label = cell.get("label", "") if cell else ""
    return f"{_escaped(label)} `<{one_line(value)}>`" if cell and "iri" in cell and label else _escaped(value)


def _escaped(text: str) -> str:
    """One line in which no character acts as Markdown or HTML."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in one_line(text))


def transcript_markdown(turns: Sequence[Turn]) -> str:
    """The conversation as a Markdown document."""
    return "# Conversation\n\n" + "\n".join(turn_markdown(t) for t in turns)


def chosen_options(asked: Clarification | None, reply: Replied) -> list[Option]:
    """The options that a reply picked; labels alone do not tell two of one name apart."""
    from clear_kgqa.ambiguity.replies import interpret

    if asked is None or reply.kind != "options":
        return []
    return [asked.options[i] for i in reply.options or interpret(reply.text, asked).chosen]
