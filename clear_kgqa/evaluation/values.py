"""When two answers are the same: strict and lenient comparison of answer sets.

Answers are strings, as in questions and predictions files: an IRI or a lexical form, several columns joined
by " | ". In both modes the names and order of columns, the order of rows and duplicates do not matter.

strict   lexical forms must be equal.
lenient  numbers are compared by value ("1", "1.0", "1e0"), a dateTime at midnight equals its date; quotes,
         language tags and datatypes around a value and angle brackets around an IRI are dropped; strings are
         compared after Unicode normalisation and with collapsed spaces; a column of labels that only one side
         has is left out (one per column of IRIs that stays).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import permutations
from typing import Literal

from clear_kgqa_tools.terms import QueryResult, Row

Mode = Literal["strict", "lenient"]
SEPARATOR = " | "
_MOST_COLUMNS = 6

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?")
_DATE = re.compile(r"([+-]?\d{4,}-\d\d-\d\d)(?:T00:00:00(?:\.0+)?)?(?:Z|[+-]00:00)?")
_QUOTED = re.compile(r'"(.*)"(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^\S+)?', re.DOTALL)
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")


def row_answer(row: Row) -> str:
    """One row as an answer string; unbound cells are left out."""
    return SEPARATOR.join(term.value for term in row if term is not None)


def answers_of(result: QueryResult) -> tuple[str, ...]:
    """The distinct answers of a result in row order; ASK gives "true" or "false"."""
    if result.boolean is not None:
        return ("true" if result.boolean else "false",)
    return tuple(dict.fromkeys(row_answer(r) for r in result.rows if any(term is not None for term in r)))


@lru_cache(maxsize=65536)
def normalise(value: str, mode: Mode) -> str:
    """The form under which a single value is compared."""
    if mode == "strict":
        return value
    value = value.strip()
    if quoted := _QUOTED.fullmatch(value):
        value = quoted[1]
    elif value.startswith("<") and value.endswith(">"):
        value = value[1:-1]
    if _NUMBER.fullmatch(value):
        return _number(value)
    if date := _DATE.fullmatch(value):
        return date[1].lstrip("+")
    return " ".join(unicodedata.normalize("NFC", value).split())


def _number(value: str) -> str:
    try:
        number = Decimal(value)
    except InvalidOperation:
        return value
    return "0" if not number else str(number.normalize())


def is_iri(value: str) -> bool:
    """Whether the value reads as an absolute IRI (not a date or a time)."""
    return bool(_IRI.fullmatch(value))


Cells = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Overlap:
    """Sizes of two answer sets and of what they share."""

    gold: int
    predicted: int
    shared: int


def overlap(gold: Iterable[str], predicted: Iterable[str], mode: Mode = "strict") -> Overlap:
    """Compare two answer sets under the order of columns (lenient: without label columns) that fits best."""
    left, right = _table(gold, mode), _table(predicted, mode)
    if not left or not right:
        return Overlap(len(set(left)), len(set(right)), 0)
    if any(len({len(row) for row in table}) > 1 for table in (left, right)):
        return _ragged(left, right)
    wide, narrow = (left, right) if len(left[0]) >= len(right[0]) else (right, left)
    best = max(_projections(wide, narrow, mode), key=lambda pair: len(pair[0] & pair[1]))
    shared = len(best[0] & best[1])
    return Overlap(*((len(best[0]), len(best[1])) if wide is left else (len(best[1]), len(best[0]))), shared)


def _table(answers: Iterable[str], mode: Mode) -> list[Cells]:
    return [tuple(normalise(cell, mode) for cell in answer.split(SEPARATOR)) for answer in answers]


def _ragged(left: list[Cells], right: list[Cells]) -> Overlap:
    """Rows of different lengths (unbound cells were left out): compared as bags of cells."""
    bags = [{tuple(sorted(cell for cell in row if cell)) for row in table} for table in (left, right)]
    return Overlap(len(bags[0]), len(bags[1]), len(bags[0] & bags[1]))


def _projections(wide: list[Cells], narrow: list[Cells], mode: Mode) -> list[tuple[set[Cells], set[Cells]]]:
    width, other = len(wide[0]), set(narrow)
    keep = len(narrow[0])
    whole = (set(wide), other)
    if width == 1 or width > _MOST_COLUMNS or (width > keep and mode == "strict"):
        return [whole]
    orders = [order for order in permutations(range(width), keep) if width == keep or _drops_labels(wide, order)]
    return [whole] + [({tuple(row[at] for at in order) for row in wide}, other) for order in orders]


def _drops_labels(rows: list[Cells], kept: Sequence[int]) -> bool:
    dropped = [at for at in range(len(rows[0])) if at not in kept]
    labels = all(_is_text(row[at]) for row in rows for at in dropped)
    return labels and len(dropped) <= sum(all(is_iri(row[at]) for row in rows) for at in kept)


def _is_text(value: str) -> bool:
    return not (is_iri(value) or _NUMBER.fullmatch(value) or _DATE.fullmatch(value))
