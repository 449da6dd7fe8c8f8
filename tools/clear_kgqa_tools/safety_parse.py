"""The parse tree of a query, by rdflib, and what is wrong where there is none."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.safety_tokens import for_rdflib, significant
from clear_kgqa_tools.terms import Form
from clear_kgqa_tools.text import cut, one_line

# Frames of rdflib's parser: about 12 for a triple of a group and 55 for a bracket of an expression.
MAX_FRAMES = 5_000
STACK = 64 << 20  # bytes, for as many frames on systems whose threads have little
_FORMS: dict[str, Form] = {
    "SelectQuery": "select",
    "AskQuery": "ask",
    "ConstructQuery": "construct",
    "DescribeQuery": "describe",
}
PARSING = threading.Lock()  # neither rdflib's parser nor its first import is safe in two threads


def parsed_tree(text: str) -> tuple[Form, Any]:
    """The query's form and rdflib tree, raises QueryError. Parsed in a thread of its own, which has the stack for it."""
    outcome: list[Any] = []
    thread = threading.Thread(target=lambda: outcome.append(_parse(text)))
    with PARSING, _room():
        thread.start()
        thread.join()
    if isinstance(outcome[0], QueryError):
        raise outcome[0]
    return _FORMS[outcome[0][1].name], outcome[0]


@contextmanager
def _room() -> Iterator[None]:
    """Frames and stack for what the check lets through; Python's own limit would refuse 27 brackets."""
    limit, stack = sys.getrecursionlimit(), threading.stack_size(STACK)
    sys.setrecursionlimit(max(limit, MAX_FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(stack)


def _parse(text: str) -> Any:
    from pyparsing import ParseBaseException
    from rdflib.plugins.sparql.parser import parseQuery

    try:
        return parseQuery(for_rdflib(text))
    except ParseBaseException as error:
        return QueryError(_syntax_message(text, error.loc))
    except RecursionError:
        return QueryError("the query nests too deeply, or a group joins too many triples: split it with { }")
    except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        return QueryError(f"the query cannot be parsed: {one_line(cut(str(error), 200))}")


def _syntax_message(text: str, loc: int) -> str:
    line = text.count("\n", 0, loc) + 1
    column = loc - (text.rfind("\n", 0, loc) + 1) + 1
    near = one_line(text[loc : loc + 60]) or "the end"
    marks = [t.text for t in significant(text) if t.kind == "mark"]
    for opening, closing in ("{}", "()", "[]"):
        if marks.count(opening) != marks.count(closing):
            near += f" ({marks.count(opening)} {opening} but {marks.count(closing)} {closing})"
    return f"the query cannot be parsed at line {line}, column {column}, near: {near}"
