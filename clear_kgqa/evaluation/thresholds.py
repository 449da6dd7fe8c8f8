"""The published ask policy over a grid of thresholds, replayed from recorded readings without any model.

An item is asked about its entity when the entity score passes its threshold, then about its intent when the
intent score does; the replayed user is the oracle of `curves`. The best pair is chosen on a development split
(half of the items, by a hash of their ids) and reported on the other half, which had no say in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from clear_kgqa.evaluation.curves import Item, chosen, entity_menu, intent_menu, item_of
from clear_kgqa.evaluation.metrics import mean
from clear_kgqa.evaluation.transcripts import Record

GRID = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
FIXED = 0.5


@dataclass(frozen=True)
class Scored:
    """An item with its recorded entity and intent scores (0 where none was recorded)."""

    item: Item
    entity: float
    intent: float

    @cached_property
    def outcomes(self) -> dict[tuple[bool, bool], tuple[float, int]]:
        """F1 and questions put, by whether the entity score and the intent score passed."""
        flags = (False, True)
        return {(e, i): _replay(self.item, e, i) for e in flags for i in flags}


@dataclass(frozen=True, slots=True)
class Cell:
    """F1 and questions per item (rounds) at one pair of thresholds."""

    entity: float
    intent: float
    f1: float
    rounds: float


def scored_of(record: Record) -> Scored | None:
    """The item of a record with the scores known before the first question, if it can be scored."""
    item = item_of(record)
    if item is None:
        return None
    first: dict[str, float] = {}
    for event in record["events"]:
        if event["event"] == "asked":
            break
        if event["event"] == "scored":
            first = {s["kind"]: 0.0 for s in event["scores"]}
            for score in event["scores"]:
                first[score["kind"]] = max(first[score["kind"]], score["score"])
    return Scored(item, first.get("entity", 0.0), first.get("intent", 0.0))


def cell(items: Sequence[Scored], entity: float, intent: float) -> Cell:
    """F1 and rounds when asking at these thresholds; menus with a single option are not put."""
    outcomes = [s.outcomes[s.entity > entity, s.intent > intent] for s in items]
    return Cell(entity, intent, round(mean(f for f, _ in outcomes), 6), round(mean(n for _, n in outcomes), 6))


def _replay(item: Item, entity: bool, intent: bool) -> tuple[float, int]:
    asks = 0
    for passed, menu_of in ((entity, entity_menu), (intent, intent_menu)):
        menu = menu_of(item)
        if passed and len(menu) > 1:
            kept, asks = chosen(item, menu), asks + 1
            item = Item(item.id, [item.readings[at] for at in kept], [item.f1[at] for at in kept])
    return item.answered(), asks


def in_development(id_: str) -> bool:
    """Whether an item belongs to the half on which thresholds are chosen."""
    return hashlib.sha256(id_.encode()).digest()[0] % 2 == 0


def grid(records: Iterable[Record]) -> dict[str, Any]:
    """The grid over all items: one threshold varied with the other at 0.5, both ways, and in full.

    `chosen` is the best cell of the development half, `test` the same thresholds on the other half.
    """
    items = [s for record in records if (s := scored_of(record)) is not None]
    development = [s for s in items if in_development(s.item.id)]
    test = [s for s in items if not in_development(s.item.id)]
    pairs = [(entity, intent) for entity in GRID for intent in GRID]
    full = [cell(items, *pair) for pair in pairs]
    best = max((cell(development, *pair) for pair in pairs), key=lambda c: (c.f1, -c.rounds))
    return {
        "items": len(items),
        "entity": [asdict(c) for c in full if c.intent == FIXED],
        "intent": [asdict(c) for c in full if c.entity == FIXED],
        "full": [asdict(c) for c in full],
        "chosen": {**asdict(best), "items": len(development)},
        "test": {**asdict(cell(test, best.entity, best.intent)), "items": len(test)},
    }
