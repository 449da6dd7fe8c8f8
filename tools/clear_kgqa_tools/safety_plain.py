"""The plainest queries, known by their grammar alone: triples, VALUES, comparisons, one count or order, prefixes.

What matches holds no SERVICE, no dataset clause, no update, no escape and no comment, and every parser reads it alike,
so that a parse tree has nothing to add. Most of what the offline planner composes is of this kind, and most gold
queries; parsing takes fifty times longer.
"""

from __future__ import annotations

import re
from functools import cache

from clear_kgqa_tools.terms import Form

LONGEST = 3_000  # characters: fewer words and signs than the check allows, whatever they are

_ODD = r"\x00-\x08\x0b-\x1f\x7f\ufeff\ud800-\udfff"
_S = r"[ \n\t]++"
_O = r"[ \n\t]*+"
_IRI = rf"<(?!bif:)[A-Za-z][^<>\"{{}}|^`\\ \n\t{_ODD}]*+>"
_PREFIX = r"(?!bif:)[A-Za-z][A-Za-z0-9]*+:"
_NAME = rf"{_PREFIX}[A-Za-z0-9_]++"
_NODE = rf"(?:{_IRI}|{_NAME})"
_VAR = r"\?[A-Za-z][A-Za-z0-9]*+"
_LITERAL = rf'"[^"\\\n\t{_ODD}]*+"(?:\^\^{_NODE}|@[A-Za-z]++(?:-[A-Za-z0-9]++)*+)?+'
_STEP = rf"{_NODE}\*?+"
_PATH = rf"(?:{_VAR}|{_STEP}(?:/{_STEP})*+)"
_TRIPLE = rf"(?:{_NODE}|{_VAR}){_S}{_PATH}{_S}(?:{_NODE}|{_VAR}|{_LITERAL}){_S}"
_VALUES = rf"VALUES{_S}{_VAR}{_S}\{{{_S}(?:(?:{_NODE}|{_LITERAL}){_S})*+\}}{_S}"
_OPERAND = rf"(?:{_VAR}|YEAR\({_VAR}\)|{_LITERAL})"
_FILTER = rf"FILTER{_O}\({_O}{_OPERAND} (?:[<>]=?|!?=) {_OPERAND}{_O}\){_S}"
_GROUP = rf"\{{{_S}(?>(?:{_TRIPLE}\.{_S}|{_VALUES}|{_FILTER})*+)(?:{_TRIPLE})?+\}}"
_COUNT = rf"COUNT\((?:DISTINCT{_S})?{_VAR}\)"
_KEY = rf"(?:ASC|DESC){_O}\({_O}(?:{_VAR}|{_COUNT}|(?:MAX|MIN)\({_VAR}\)){_O}\)"
_PAGE = (
    rf"(?:{_S}GROUP BY {_VAR})?+(?:{_S}ORDER BY (?:{_KEY}|{_VAR})(?:{_S}{_VAR})?+)?+"
    rf"(?:{_S}LIMIT [0-9]{{1,9}}+)?+(?:{_S}OFFSET [0-9]{{1,9}}+)?+"
)
_PROLOGUE = rf"(?>(?:PREFIX {_PREFIX} {_IRI}{_S})*+)"
_SELECT = (
    rf"{_PROLOGUE}SELECT{_S}(?:DISTINCT{_S})?+(?:{_VAR}(?:{_S}{_VAR})*+|\({_O}{_COUNT}{_S}AS{_S}{_VAR}{_O}\))"
    rf"{_S}WHERE{_S}{_GROUP}{_PAGE}"
)
_ASK = rf"{_PROLOGUE}ASK{_S}(?:WHERE{_S})?+{_GROUP}"


@cache
def _grammar(form: str) -> re.Pattern[str]:
    """Compiled when a query first needs it, which takes some milliseconds."""
    return re.compile(_SELECT if form == "select" else _ASK, re.ASCII)


def plain_form(query: str) -> Form | None:
    """The form of a query of the plainest kind; None for every other text, which has to be parsed.

    Its prefixes need not be declared.
    """
    if len(query) > LONGEST:
        return None
    form: Form = "ask" if "ASK" in query and "SELECT" not in query else "select"
    return form if _grammar(form).fullmatch(query) else None
