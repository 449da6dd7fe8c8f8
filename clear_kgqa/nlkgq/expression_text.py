"""Prints the expressions of a parse tree: operators, built-in calls, aggregates and functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.terms import string_literal

_JOINED = {"ConditionalOrExpression": " || ", "ConditionalAndExpression": " && "}
_UNARY = {"UnaryNot": "!", "UnaryPlus": "+", "UnaryMinus": "-"}


def expression(node: Any, term: Callable[[Any], str], group: Callable[[Any], str]) -> str:
    """The expression as text; `term` prints RDF terms and `group` the patterns of EXISTS."""
    name = getattr(node, "name", None)

    def sub(child: Any) -> str:
        return expression(child, term, group)

    def operand(child: Any) -> str:
        text = sub(child)
        return f"({text})" if _is_operation(child) else text

    if name is None:
        return term(node)
    if name in _JOINED:
        return _JOINED[name].join(operand(c) if node.other else sub(c) for c in [node.expr, *(node.other or [])])
    if name in ("AdditiveExpression", "MultiplicativeExpression"):
        tail = zip(node.op or [], node.other or [], strict=True)
        return " ".join([operand(node.expr) if node.op else sub(node.expr), *(f"{op} {operand(c)}" for op, c in tail)])
    if name == "RelationalExpression":
        return _relation(node, sub, operand)
    if name in _UNARY:
        return f"{_UNARY[name]}{operand(node.expr)}"
    return _call(node, term, group, sub)


def _is_operation(node: Any) -> bool:
    """True where a node prints as an operation, so that it needs brackets inside another one."""
    name = getattr(node, "name", "")
    if name in _UNARY:
        return True
    if name.endswith("Expression"):
        return bool(node.other) or _is_operation(node.expr)
    return False


def _relation(node: Any, sub: Callable[[Any], str], operand: Callable[[Any], str]) -> str:
    if not node.op:
        return sub(node.expr)
    if node.op in ("IN", "NOT IN"):
        items = ", ".join(sub(c) for c in node.other) if isinstance(node.other, list) else ""
        return f"{operand(node.expr)} {node.op} ({items})"
    return f"{operand(node.expr)} {node.op} {operand(node.other)}"


def _call(node: Any, term: Callable[[Any], str], group: Callable[[Any], str], sub: Callable[[Any], str]) -> str:
    kind, _, name = node.name.partition("_")
    if name in ("EXISTS", "NOTEXISTS"):
        return f"{'NOT ' if name == 'NOTEXISTS' else ''}EXISTS {group(node.graph)}"
    if kind == "Builtin":
        return f"{name}({_arguments(list(node.values()), sub)})"
    distinct = "DISTINCT " if node.distinct else ""
    if kind == "Function":
        return f"{term(node.iri)}({distinct}{_arguments(node.expr or [], sub)})"
    if kind == "Aggregate":
        inner = "*" if isinstance(node.vars, str) and node.vars == "*" else sub(node.vars)
        separator = f"; SEPARATOR={string_literal(str(node.separator))}" if node.separator is not None else ""
        return f"{'GROUP_CONCAT' if name == 'GroupConcat' else name.upper()}({distinct}{inner}{separator})"
    raise QueryError(f"{node.name} cannot stand in an expression")


def _arguments(values: list[Any], sub: Callable[[Any], str]) -> str:
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return ", ".join(sub(item) for item in flat)
