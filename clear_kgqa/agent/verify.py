"""Whether a query's answer has the form that the question asks for, and one check by the model before it counts."""

from __future__ import annotations

import re
from typing import Any

from clear_kgqa.agent.answer import answer_form
from clear_kgqa.readings.cues import Cues, read_cues
from clear_kgqa_tools.execute import Execution
from clear_kgqa_tools.terms import XSD

_NUMBERS = {XSD + n for n in ("integer", "int", "long", "decimal", "double", "float", "nonNegativeInteger")}
_OPEN = re.compile(r"\b(?:who|whom|whose|what|which|where|when|how|why|name|list|show|tell|give)\b", re.I)


def form_fault(question: str, execution: Execution) -> str:
    """What is wrong with the form of an answer, told to the model; empty where nothing is (methods.md, section 3)."""
    cues, result = read_cues(question), execution.result
    form, rows = answer_form(execution), len(execution.result.rows)
    comparing = cues.choice and any(g.comparative for g in cues.grades)
    if _yes_no(question, cues) and not comparing and form != "ask":
        return "The question wants yes or no: use ASK."
    if form == "ask" and _OPEN.match(question.strip()):
        return "The question does not want yes or no: SELECT what it asks for."
    if cues.count and form == "select" and not (rows == 1 and _is_number(result.rows[0])):
        return "The question asks how many: use SELECT (COUNT(DISTINCT ?x) AS ?n)."
    if comparing and form == "select" and rows > 1:
        return "The question compares: give the one item, by ORDER BY and LIMIT 1."
    return ""


def _yes_no(question: str, cues: Cues) -> bool:
    """ "Can you tell me who ..." begins like a yes-or-no question and is none."""
    return cues.ask and not _OPEN.search(question.partition(",")[0][:40])


def _is_number(row: Any) -> bool:
    return any(term is not None and term.datatype in _NUMBERS for term in row)


def verification(question: str, execution: Execution) -> str:
    """What the model is asked before a query counts: "no change", or the better query."""
    from clear_kgqa.agent.prompts import text  # the offline planner has none

    fault = form_fault(question, execution)
    filled = text("verify.md").replace("{fault}", f"\n{fault}" if fault else "")
    return filled.replace("{query}", execution.query.text).replace("{question}", question).strip()


def counted(executed: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The query that is the answer: the last that ran, but no empty one that only the check brought up."""
    ran = [e for e in executed if not e["failed"]]
    if len(ran) > 1 and ran[-1].get("checking") and ran[-1].get("empty"):
        return ran[-2]
    return ran[-1] if ran else None
