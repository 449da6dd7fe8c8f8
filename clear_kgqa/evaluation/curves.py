"""F1 against questions per item for several ask policies, replayed from recorded readings without any model.

Every policy asks at most one question an item. Items are ranked by the policy's own score and asked in that
order; the replayed user is an oracle who picks the offered option that scores best against gold, or "none of
these" where nothing offered is right at all.

silent          never asks
always          asks every item with the menu of complete readings
random          the same menu, items in random order (its expectation: a straight line)
margin          the same menu, items by how close the two most probable answer classes are
entity-entropy  a menu of entities, items by the entropy over entities
voi             the menu with the highest value of information, items by that value
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from clear_kgqa.evaluation.evidence import Doubles, Recorded, agreement, best_answer, steps_of
from clear_kgqa.evaluation.metrics import mean
from clear_kgqa.evaluation.transcripts import Record

POLICIES = ("random", "margin", "entity-entropy", "voi")
MOST_OPTIONS = 5

Point = tuple[float, float]
Menu = list[list[int]]


@dataclass(frozen=True)
class Item:
    """What was known of one question before anything was asked: readings, and the F1 of each against gold."""

    id: str
    readings: list[Recorded]
    f1: list[float]

    @cached_property
    def p(self) -> Doubles:
        return np.array([r.p for r in self.readings])

    @cached_property
    def agreement(self) -> Doubles:
        return agreement(self.readings)

    def kept(self, group: Sequence[int]) -> Doubles:
        """The probabilities with all other readings ruled out (not normalised)."""
        out = np.zeros(len(self.readings))
        out[list(group)] = self.p[list(group)]
        return out

    def answered(self, p: Doubles | None = None) -> float:
        """F1 of the best answer under p (none: before any question), 0 where there is none."""
        best = best_answer(self.agreement, self.p if p is None else p)
        return 0.0 if best is None else self.f1[best]

    def utility(self, p: Doubles) -> float:
        """U(p): the expected F1 of the best answer; what is missing to a sum of 1 is NULL."""
        return float((self.agreement @ p).max(initial=0.0))


def item_of(record: Record) -> Item | None:
    """The item of a transcript record; None where nothing can be scored."""
    if not record.get("metrics"):
        return None
    _, first = steps_of(record["events"])
    return Item(record["id"], first, record["asking"]["readings_f1"])


def reading_menu(item: Item) -> Menu:
    """The most probable readings of the five heaviest answer classes."""
    return _grouped(item, lambda r: r.answer_class)


def entity_menu(item: Item) -> Menu:
    """The heaviest entities, each with all its readings."""
    return _grouped(item, lambda r: r.entity)


def intent_menu(item: Item) -> Menu:
    """The paths of the best reading's entity."""
    best = best_answer(item.agreement, item.p)
    entity = item.readings[best].entity if best is not None else ""
    return _grouped(item, lambda r: r.path, lambda r: r.entity == entity)


def _grouped(item: Item, key: Callable[[Recorded], str], keep: Callable[[Recorded], bool] = bool) -> Menu:
    groups: dict[str, list[int]] = {}
    for at, reading in enumerate(item.readings):
        if keep(reading):
            groups.setdefault(key(reading), []).append(at)
    heavy = sorted(groups.values(), key=lambda g: -sum(item.readings[at].p for at in g))
    return heavy[:MOST_OPTIONS]


def chosen(item: Item, menu: Menu) -> list[int]:
    """The readings that an oracle's reply leaves: those of the fitting option, else those not offered."""
    fits = [max((item.f1[at] for at in group), default=0.0) for group in menu]
    best = max(range(len(fits)), key=fits.__getitem__, default=None)
    return menu[best] if best is not None and fits[best] > 0 else _rest(item, menu)


def informed(item: Item, menu: Menu) -> float:
    """F1 after an oracle's reply to the menu."""
    return item.answered(item.kept(chosen(item, menu)))


def _rest(item: Item, menu: Menu) -> list[int]:
    offered = {at for group in menu for at in group}
    return [at for at in range(len(item.readings)) if at not in offered]


def value(item: Item, menu: Menu) -> float:
    """VOI of a menu without noise: the sum of P(o) U(P|o) over its outcomes, minus U(P)."""
    if len(menu) < 2:
        return 0.0
    total = sum(item.utility(item.kept(group)) for group in [*menu, _rest(item, menu)])
    return max(0.0, total - item.utility(item.p))


def entropy(masses: Iterable[float]) -> float:
    """H / log N over normalised masses, 0 for fewer than two."""
    found = [m for m in masses if m > 0]
    total = sum(found)
    if len(found) < 2:
        return 0.0
    return -sum(m / total * math.log(m / total) for m in found) / math.log(len(found))


def _masses(item: Item, menu: Menu) -> list[float]:
    return [float(item.p[group].sum()) for group in menu]


def _plan(policy: str, item: Item) -> tuple[float, Menu]:
    """How much a policy wants to ask about an item, and with which menu."""
    if policy == "voi":
        menus = [entity_menu(item), intent_menu(item), reading_menu(item)]
        values = [value(item, menu) for menu in menus]
        best = max(range(3), key=values.__getitem__)
        return values[best], menus[best]
    if policy == "entity-entropy":
        menu = entity_menu(item)
        return entropy(_masses(item, menu)), menu
    menu = reading_menu(item)
    masses = [*_masses(item, menu), 0.0, 0.0]
    return (-(masses[0] - masses[1]) if policy == "margin" else 0.0), menu


def curve(items: Sequence[Item], policy: str) -> list[Point]:
    """(questions per item, F1) from nobody asked to every item asked; items in the policy's order."""
    silent = [item.answered() for item in items]
    plans = [_plan(policy, item) for item in items]
    after = [informed(item, menu) for item, (_, menu) in zip(items, plans, strict=True)]
    if not items:
        return []
    if policy == "random":
        return [(0.0, mean(silent)), (1.0, mean(after))]
    total, points = sum(silent), [(0.0, mean(silent))]
    for done, at in enumerate(sorted(range(len(items)), key=lambda at: (-plans[at][0], items[at].id)), 1):
        total += after[at] - silent[at]
        points.append((done / len(items), total / len(items)))
    return points


def at_budget(points: Sequence[Point], asks: float) -> float:
    """F1 at a number of questions per item, on the straight line between neighbouring points."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= asks <= x1:
            return y0 + (y1 - y0) * (asks - x0) / (x1 - x0)
    return points[-1][1] if points else 0.0


def area(points: Sequence[Point], most: float = 0.5) -> float:
    """Mean F1 from no question to `most` questions per item: the area under the curve over that range."""
    inner = [x for x, _ in points if x < most] + [most]
    ys = [at_budget(points, x) for x in inner]
    steps = pairwise(zip(inner, ys, strict=True))
    return sum((b - a) * (y + z) / 2 for (a, y), (b, z) in steps) / most if points else 0.0


def curves(records: Iterable[Record]) -> dict[str, Any]:
    """All curves of a run: points per policy, F1 at some numbers of questions per item, areas."""
    items = [item for record in records if (item := item_of(record)) is not None]
    points = {policy: curve(items, policy) for policy in POLICIES}
    always = points["random"][-1][1] if items else 0.0
    return {
        "items": len(items),
        "silent": round(points["random"][0][1], 6) if items else 0.0,
        "always": round(always, 6),
        "budgets": {p: {str(b): round(at_budget(c, b), 6) for b in (0.1, 0.3, 0.5, 0.7, 1)} for p, c in points.items()},
        "areas": {p: round(area(c), 6) for p, c in points.items()},
        "points": points,
    }
