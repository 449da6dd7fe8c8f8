"""Puts right the form of an answer without a model: yes or no by ASK, how many by COUNT, a comparison by its first."""

from __future__ import annotations

from clear_kgqa.agent.verify import form_fault
from clear_kgqa.mars.linking import Linked
from clear_kgqa.readings.cues import read_cues
from clear_kgqa_tools.execute import Execution
from clear_kgqa_tools.profile import Profile


def in_right_form(question: str, execution: Execution, linked: list[Linked], profile: Profile) -> str:
    """The query in the form that the question asks for; empty where it has it, or where no rule gives it.

    ASK: whether there is such an answer; where one linked node does not stand in the query, whether it is among
    the answers. COUNT: of the first column. A comparison: the first of an ordered list.
    """
    columns = execution.result.columns
    if execution.result.form != "select" or not columns or not form_fault(question, execution):
        return ""
    from clear_kgqa.nlkgq.query_text import query_text
    from clear_kgqa.nlkgq.query_tree import parse

    tree, cues = parse(execution.query.text, profile.prefixes), read_cues(question)
    inner = query_text(tree)
    if cues.count:
        return f"SELECT (COUNT(DISTINCT ?{columns[0]}) AS ?count) WHERE {{ {{ {inner} }} }}"
    if cues.ask and not cues.grades:
        return f"ASK {{ {{ {inner} }} {_among(columns[0], execution, linked)}}}"
    if cues.choice and cues.grades and tree.orderby and not tree.limitoffset:
        return f"{inner} LIMIT 1"
    return ""


def _among(column: str, execution: Execution, linked: list[Linked]) -> str:
    """The one node that the question names and the query does not, as the answer that is asked about."""
    left = [x for x in linked if x.ref not in execution.query.text]
    return f"VALUES ?{column} {{ {left[0].ref} }} " if len(left) == 1 else ""
