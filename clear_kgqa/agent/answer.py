"""From an executed query to the answer: labels resolved, one sentence around it, never a model's prose."""

from __future__ import annotations

import re
from typing import Any

from clear_kgqa.events import Answered
from clear_kgqa_tools.execute import Execution
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.terms import XSD, QueryResult, Term

LISTED = 10
_COUNT = re.compile(r"SELECT\s+(?:DISTINCT\s+)?\(\s*COUNT\s*\(", re.IGNORECASE)
_NUMBERS = {XSD + n for n in ("integer", "int", "long", "decimal", "double", "float", "nonNegativeInteger")}


def answered(execution: Execution, interpretation: str, nodes: dict[str, Node]) -> Answered:
    """The answer event of one execution; `nodes` gives labels for the IRIs in its rows."""
    result = execution.result
    form = answer_form(execution)
    values = tuple(_value(t, nodes) for t in _first_column(result))
    rows = tuple(tuple(None if t is None else _cell(t, nodes) for t in row) for row in result.rows)
    return Answered(
        form,
        result.columns,
        rows,
        values,
        result.boolean,
        execution.query.text,
        interpretation,
        sentence(form, result, values),
        result.incomplete,
        round(result.seconds, 4),
    )


def answer_form(execution: Execution) -> str:
    """ask, count or select (triples of CONSTRUCT and DESCRIBE are shown as rows)."""
    if execution.result.form == "ask":
        return "ask"
    one = len(execution.result.rows) == 1 and len(execution.result.columns) == 1
    return "count" if one and _COUNT.search(execution.query.text) else "select"


def is_empty(execution: Execution) -> bool:
    """No rows at all; a count of zero and a "no" are answers."""
    return execution.result.form != "ask" and not any(t is not None for row in execution.result.rows for t in row)


def _first_column(result: QueryResult) -> list[Term]:
    return list(dict.fromkeys(row[0] for row in result.rows if row and row[0] is not None))


def _value(term: Term, nodes: dict[str, Node]) -> dict[str, str]:
    if term.kind == "iri":
        return {"iri": term.value, "label": nodes[term.value].label if term.value in nodes else term.value}
    return {"literal": term.value, "label": readable(term)}


def _cell(term: Term, nodes: dict[str, Node]) -> dict[str, str]:
    out = term.to_json()
    if term.kind == "iri" and term.value in nodes:
        out["label"] = nodes[term.value].label
    return out


def readable(term: Term) -> str:
    """A literal as a person reads it: thousands separated, a date without a midnight."""
    if term.datatype in _NUMBERS:
        whole, dot, part = term.value.partition(".")
        sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole.lstrip("+"))
        if digits.isdigit() and "e" not in term.value.casefold():
            part = part.rstrip("0")
            return f"{sign}{int(digits):,}" + (f".{part}" if dot and part else "")
    return re.sub(r"T00:00:00(?:\.0+)?Z?$", "", term.value) if term.datatype == XSD + "dateTime" else term.value


def sentence(form: str, result: QueryResult, values: tuple[dict[str, str], ...]) -> str:
    """One sentence that gives the answer."""
    if form == "ask":
        return "Yes." if result.boolean else "No."
    if form == "count":
        return f"{values[0]['label']}." if values else "0."
    shown = ", ".join(v["label"] for v in values[:LISTED])
    more = len(values) - LISTED
    text = shown + (f" and {more:,} more" if more > 0 else "")
    return text + (f" (incomplete: {result.reason})" if result.incomplete else "") + ("" if text.endswith(".") else ".")


def interpretation_of(sparql: str, assessment: dict[str, Any] | None, labels: dict[str, str]) -> str:
    """The reading in one line: the assessed one where that query was run, else the query's terms in words."""
    best = (assessment or {}).get("best")
    if best and best["sparql"] == sparql:
        return str(best["interpretation"])
    names = [labels.get(iri, re.split(r"[/#]", iri)[-1]) for iri in dict.fromkeys(re.findall(r"<([^<>\s]+)>", sparql))]
    return "A query over " + ", ".join(names[:8]) if names else "A query without names"
