"""Why an answer is wrong, told by comparing the gold query's graph pattern with the one that was run.

predicate    a gold predicate is missing: what was asked for was not recognised
entity       predicates agree, a gold node is missing: another entity was taken
reasoning    nodes and predicates agree, but not how they are joined: direction, shape, answer form
constraint   the pattern is there, but a filter, order, limit, type or value of gold is not
gold         gold questionable: same pattern and constraints, or the stored answers differ from the graph's
no answer    nothing was run
other        the query cannot be compared
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from clear_kgqa.evaluation.query_shape import QueryShape, shape_of
from clear_kgqa.evaluation.transcripts import Record
from clear_kgqa.evaluation.values import Mode
from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.terms import RDF_TYPE

ErrorClass = Literal["predicate", "entity", "reasoning", "constraint", "gold", "no answer", "other"]
CLASSES: tuple[ErrorClass, ...] = (
    "predicate", "entity", "reasoning", "constraint", "gold", "no answer", "other",
)  # fmt: skip
_TYPES = {RDF_TYPE, "http://www.wikidata.org/prop/direct/P31"}


def error_class(gold: str, predicted: str, differs: bool = False) -> ErrorClass:
    """The class of a wrong answer; `differs`: the benchmark stores other answers than its query gives."""
    if not predicted.strip():
        return "no answer"
    try:
        wanted, got = shape_of(gold), shape_of(predicted)
    except QueryError:
        return "other"
    missing = set(wanted.predicates) - set(got.predicates)
    if missing and missing <= _TYPES:
        return "constraint"
    if missing:
        return "constraint" if _only_filters(wanted, missing) else "predicate"
    if lost := set(wanted.nodes) - set(got.nodes):
        return "constraint" if lost <= _constraint_nodes(wanted) else "entity"
    if wanted.form != got.form or _joins(wanted) - _joins(got):
        return "reasoning"
    if wanted.constraints - got.constraints or _literals(wanted) - _literals(got):
        return "constraint"
    extra = _joins(got) - _joins(wanted) or got.constraints - wanted.constraints
    return "gold" if differs or not extra else "reasoning"


def _only_filters(shape: QueryShape, predicates: set[str]) -> bool:
    """Whether the predicates serve a filter or an order alone: they end in a variable used nowhere else."""
    triples = [t for t in shape.triples if t[1] in predicates]
    uses = Counter(term for s, _, o in shape.triples for term in (s, o))
    narrowing = bool(shape.constraints & {"filter", "order", "minus"})
    rest = len(shape.triples) > len(triples)
    return narrowing and rest and all(o.startswith("?") and uses[o] == 1 for _, _, o in triples)


def _constraint_nodes(shape: QueryShape) -> set[str]:
    return {o for _, p, o in shape.triples if p in _TYPES}


def _joins(shape: QueryShape) -> set[tuple[str, str, str]]:
    """Triples with every variable written alike: which ends are bound, in which direction."""
    return {(_end(s), p, _end(o)) for s, p, o in shape.triples}


def _end(term: str) -> str:
    return "?" if term.startswith("?") else term


def _literals(shape: QueryShape) -> set[str]:
    return {o for _, _, o in shape.triples if not o.startswith("?") and o not in shape.nodes}


def error_classes(records: Iterable[Record], mode: Mode = "strict") -> dict[str, list[str]]:
    """The ids of wrongly answered questions per class, all classes present."""
    out: dict[str, list[str]] = {name: [] for name in CLASSES}
    for record in records:
        if record.get("metrics") and record["metrics"][mode]["f1"] < 1:
            gold = record["gold"]
            out[error_class(gold["sparql"], record["sparql"], gold["differs"])].append(record["id"])
    return out
