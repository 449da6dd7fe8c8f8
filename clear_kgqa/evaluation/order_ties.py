"""LIMIT at the end of a query, and the query that shows which rows share the last rank."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TAIL = re.compile(
    r"(?P<group>(?:(?!\bORDER\b|\bLIMIT\b|\bOFFSET\b).)*)"
    r"(?:\bORDER\s+BY\b(?P<order>(?:(?!\bLIMIT\b|\bOFFSET\b).)*))?"
    r"(?P<slice>(?:\s*\b(?:LIMIT|OFFSET)\s+\d+)*)\s*",
    re.IGNORECASE | re.DOTALL,
)
_STEP = re.compile(r"\s*(?:(?P<variable>[?$]\w+)|(?P<direction>ASC|DESC)?\s*(?P<call>[\w.-]*:?[\w.-]*)\s*(?=\())", re.I)
_SELECT = re.compile(r"\bSELECT\b(?P<projection>[^{}]*?)(?P<rest>\bWHERE\b|\{)", re.IGNORECASE)
_STAR = re.compile(r"\s*(?:DISTINCT|REDUCED)?\s*\*\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cut:
    """A top-level LIMIT: the query before its modifiers, GROUP BY and HAVING, the ranks, limit and offset."""

    body: str
    group: str
    order: tuple[tuple[str, str], ...]  # (expression, "" | ASC | DESC)
    limit: int
    offset: int


def cut_of(sparql: str) -> Cut | None:
    """The query's LIMIT with its order, or None where it has none (or an order this cannot read)."""
    at = sparql.rfind("}") + 1
    tail = _TAIL.fullmatch(sparql[at:])
    if not tail:
        return None
    slices = {k.upper(): int(n) for k, n in re.findall(r"\b(LIMIT|OFFSET)\s+(\d+)", tail["slice"], re.I)}
    order = _order(tail["order"] or "")
    if order is None or not slices.get("LIMIT"):
        return None
    return Cut(sparql[:at], tail["group"].strip(), order, slices["LIMIT"], slices.get("OFFSET", 0))


def ranked_query(cut: Cut) -> tuple[str, tuple[str, ...]] | None:
    """The query without its LIMIT, and the columns that hold its ranks; None for the projection `*`."""
    select = _SELECT.search(cut.body)
    if select is None or _STAR.fullmatch(select["projection"]):
        return None
    projected = re.findall(r"[?$](\w+)\s*(?=\)|\s[?$(]|$)", select["projection"])
    names, columns = [], ""
    for at, (expression, _) in enumerate(cut.order):
        known = expression[1:] if expression[1:] in projected else ""
        names.append(known or f"rank_{at}")
        columns += "" if known else f" ({expression} AS ?rank_{at})"
    ranks = " ".join(f"{direction}({expression})" for expression, direction in cut.order)
    body = cut.body[: select.end("projection")].rstrip() + columns + " " + cut.body[select.start("rest") :]
    order = f"ORDER BY {ranks}" if ranks else ""
    return " ".join(part for part in (body, cut.group, order) if part), tuple(names)


def _order(text: str) -> tuple[tuple[str, str], ...] | None:
    out: list[tuple[str, str]] = []
    at = 0
    while text[at:].strip():
        step = _STEP.match(text, at)
        if step is None:
            return None
        if step["variable"]:
            out.append((step["variable"], ""))
            at = step.end()
            continue
        end = _closing(text, text.index("(", step.end()))
        if end is None:
            return None
        call, inner = step["call"], text[text.index("(", step.end()) : end]
        direction = (step["direction"] or "").upper()
        if not direction and call.upper() in ("ASC", "DESC"):
            call, direction = "", call.upper()
        out.append((call + inner if call else inner[1:-1].strip(), direction or "ASC"))
        at = end
    return tuple(out)


def _closing(text: str, start: int) -> int | None:
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return None
