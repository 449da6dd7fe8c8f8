"""The plainest queries, known by their grammar alone: full IRIs, variables, literals without escapes, single spaces.

What matches holds no SERVICE, no dataset clause, no update and no prefix, and every parser reads it alike, so that a
parse tree has nothing to add. Most of what the offline planner composes is of this kind; parsing takes ten times longer.
"""

from __future__ import annotations

import re

from clear_kgqa_tools.terms import Form

LONGEST = 3_000  # characters: fewer words and signs than the check allows, whatever they are

_ODD = r"\x00-\x1f\x7f\ufeff\ud800-\udfff"
_IRI = rf"<(?!bif:)[A-Za-z][^<>\"{{}}|^`\\ {_ODD}]*+>"
_VAR = r"\?[A-Za-z][A-Za-z0-9]*+"
_LITERAL = rf'"[^"\\{_ODD}]*+"(?:\^\^{_IRI}|@[A-Za-z]++(?:-[A-Za-z0-9]++)*+)?+'
_PATH = rf"(?:{_VAR}|{_IRI}(?:/{_IRI}\*)?+)"
_TRIPLE = rf"(?:{_IRI}|{_VAR}) {_PATH} (?:{_IRI}|{_VAR}|{_LITERAL}) \. "
_VALUES = rf"VALUES {_VAR} \{{ (?:(?:{_IRI}|{_LITERAL}) )*+\}} "
_OPERAND = rf"(?:{_VAR}|YEAR\({_VAR}\)|{_LITERAL})"
_FILTER = rf"FILTER\({_OPERAND} (?:[<>]=?|!?=) {_OPERAND}\) "
_GROUP = rf"\{{ (?>{_TRIPLE}|{_VALUES}|{_FILTER})*+\}}"
_COUNT = rf"COUNT\((?:DISTINCT )?{_VAR}\)"
_KEY = rf"(?:ASC|DESC)\((?:{_VAR}|{_COUNT}|(?:MAX|MIN)\({_VAR}\))\)"
_PAGE = rf"(?: GROUP BY {_VAR})?(?: ORDER BY (?:{_KEY}|{_VAR})(?: {_VAR})?)?(?: LIMIT [0-9]{{1,9}})?(?: OFFSET [0-9]{{1,9}})?"
_SELECT = re.compile(
    rf"SELECT (?:DISTINCT )?(?:{_VAR}(?: {_VAR})*|\({_COUNT} AS {_VAR}\)) WHERE {_GROUP}{_PAGE}", re.ASCII
)
_ASK = re.compile(rf"ASK {_GROUP}", re.ASCII)


def plain_form(query: str) -> Form | None:
    """The form of a query of the plainest kind; None for every other text, which has to be parsed."""
    if len(query) > LONGEST:
        return None
    if _SELECT.fullmatch(query):
        return "select"
    return "ask" if _ASK.fullmatch(query) else None
