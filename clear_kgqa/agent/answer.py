"""From an executed query to the answer: labels resolved, one sentence around it, never a model's prose."""

from __future__ import annotations

import re
from typing import Any

from clear_kgqa.agent.literal_text import property_words, readable
from clear_kgqa.events import OPTION, Answered
from clear_kgqa_tools.execute import Execution
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.schema import Schema
from clear_kgqa_tools.terms import QueryResult, Term
from clear_kgqa_tools.text import cut

LISTED = 10
LONGEST_LABEL = 300  # of several, in the sentence; `values` and `rows` stay whole
LONGEST_TEXT = 2_000  # of a single one, which may be a description
_COUNT = re.compile(r"SELECT\s+(?:DISTINCT\s+)?\(\s*COUNT\s*\(", re.IGNORECASE)


def answered(execution: Execution, interpretation: str, nodes: dict[str, Node], schema: Schema) -> Answered:
    """The answer event of one execution; `nodes` gives labels for the IRIs in its rows."""
    result = execution.result
    form = answer_form(execution)
    words = property_words(execution.query.text, result.columns[0], schema) if result.columns else ""
    values = tuple(_value(t, nodes, words) for t in _first_column(result))
    rows = tuple(tuple(None if t is None else _cell(t, nodes) for t in row) for row in result.rows)
    told = by_option(result, nodes, words) if result.columns == ("x", OPTION) else sentence(form, result, values)
    return Answered(
        form,
        result.columns,
        rows,
        values,
        result.boolean,
        execution.query.text,
        interpretation,
        told,
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


def _value(term: Term, nodes: dict[str, Node], words: str) -> dict[str, str]:
    if term.kind == "iri":
        return {"iri": term.value, "label": nodes[term.value].label if term.value in nodes else term.value}
    return {"literal": term.value, "label": readable(term, words)}


def _cell(term: Term, nodes: dict[str, Node]) -> dict[str, str]:
    out = term.to_json()
    if term.kind == "iri" and term.value in nodes:
        out["label"] = nodes[term.value].label
    return out


def sentence(form: str, result: QueryResult, values: tuple[dict[str, str], ...]) -> str:
    """One sentence that gives the answer."""
    if form == "ask":
        return "Yes." if result.boolean else "No."
    if form == "count":
        return f"{values[0]['label']}." if values else "0."
    text = _listed(values)
    return text + (f" (incomplete: {result.reason})" if result.incomplete else "") + ("" if text.endswith(".") else ".")


def _listed(values: tuple[dict[str, str], ...]) -> str:
    """The first values by label, and how many more there are."""
    longest = LONGEST_LABEL if len(values) > 1 else LONGEST_TEXT
    more = len(values) - LISTED
    return ", ".join(cut(v["label"], longest) for v in values[:LISTED]) + (f" and {more:,} more" if more > 0 else "")


def by_option(result: QueryResult, nodes: dict[str, Node], words: str) -> str:
    """One sentence that gives each option's values after it."""
    groups: dict[str, list[dict[str, str]]] = {}
    for value, option in result.rows:
        if value is not None and option is not None:
            groups.setdefault(option.value, []).append(_value(value, nodes, words))
    told = (f"{cut(option, LONGEST_LABEL)}: {_listed(tuple(values))}" for option, values in groups.items())
    return "; ".join(told) + (f" (incomplete: {result.reason})." if result.incomplete else ".")


def interpretation_of(sparql: str, assessment: dict[str, Any] | None, labels: dict[str, str]) -> str:
    """The reading in one line: the assessed one where that query was run, else the query's terms in words."""
    best = (assessment or {}).get("best")
    if best and best["sparql"] == sparql:
        return str(best["interpretation"])
    names = [labels.get(iri, re.split(r"[/#]", iri)[-1]) for iri in dict.fromkeys(re.findall(r"<([^<>\s]+)>", sparql))]
    return "A query over " + ", ".join(names[:8]) if names else "A query without names"
