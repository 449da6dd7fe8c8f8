"""F1 against questions per item on fitted rows: policies and recipes, with users who are right and who are not.

Every policy asks at most one question an item, in the order of its own score. The user picks the option that keeps
the reading with the best F1, "none of these" where none keeps anything right, and with `noise` any other outcome.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clear_kgqa.ambiguity.menus import Menu, entity_menus, menus, reading_menu
from clear_kgqa.ambiguity.policy import reply_model, value_of_information
from clear_kgqa.ambiguity.recipes import Recipe, recipe_scores
from clear_kgqa.evaluation.curves import Point, at_budget
from clear_kgqa.readings.fit import gains
from clear_kgqa.readings.fit_rows import FitRow
from clear_kgqa.readings.paths import Doubles
from clear_kgqa.readings.posterior import Posterior, entropy_score

BUDGETS = (0.0, 0.1, 0.3, 0.5, 0.7, 1.0)

Plan = tuple[float, Menu | None]
"""How much a policy wants to ask about an item, and with which menu."""


@dataclass(frozen=True)
class AskedItem:
    """A question with its posterior before anything is asked and the F1 of each of its readings."""

    text: str
    posterior: Posterior
    f1: tuple[float, ...]

    @cached_property
    def menus(self) -> list[Menu]:
        return menus(self.posterior, self.text)

    @property
    def silent(self) -> float:
        return self.answered(self.posterior.p)

    def answered(self, p: Doubles) -> float:
        """F1 of the answer with the highest expected F1 under p (not normalised), 0 without one."""
        expected = self.posterior.utilities(p).round(12)
        return self.f1[int(np.lexsort((-p, -expected))[0])] if len(p) and p.any() else 0.0

    def informed(self, menu: Menu, noise: float = 0.0, assumed: float = 0.0) -> float:
        """Expected F1 after the reply of a user who is wrong with chance `noise`, taken to be wrong with `assumed`."""
        pi, _ = reply_model(self.posterior, menu, assumed)
        after = [self.answered(row * self.posterior.p) for row in pi]
        fits = [max((self.f1[i] for i in group), default=0.0) for group in menu.groups]
        best = max(range(len(fits)), key=fits.__getitem__)
        true = best if fits[best] > 0 else len(fits)
        wrong = [f for o, f in enumerate(after) if o != true]
        return (1 - noise) * after[true] + noise * sum(wrong) / len(wrong)


def items_of(rows: Sequence[FitRow], posteriors: Sequence[Posterior]) -> list[AskedItem]:
    """Items for the curves, from posteriors that have not seen their rows."""
    return [AskedItem(r.sample.question, p, tuple(gains(r, p))) for r, p in zip(rows, posteriors, strict=True)]


def by_voi(item: AskedItem, noise: float = 0.0) -> Plan:
    """The menu with the highest value of information, where replies are wrong with chance `noise`."""
    valued = [(value_of_information(item.posterior, m, noise), m) for m in item.menus]
    return max(valued, key=lambda v: v[0], default=(0.0, None))


def by_margin(item: AskedItem) -> Plan:
    """The menu of complete readings, by how close the two most probable answer classes are."""
    mass: dict[int, float] = {}
    for p, cls in zip(item.posterior.p, item.posterior.classes, strict=True):
        mass[cls] = mass.get(cls, 0.0) + float(p)
    first, second, *_ = [*sorted(mass.values(), reverse=True), 0.0, 0.0]
    return second - first, _first(reading_menu(item.posterior))


def by_entity_entropy(item: AskedItem) -> Plan:
    """The menu of entities with the highest entropy."""
    found = [
        (entropy_score(np.array([o.share for o in m.options])), m) for m in entity_menus(item.posterior, item.text)
    ]
    return max(found, key=lambda f: f[0], default=(0.0, None))


def by_chance(seed: int) -> Callable[[AskedItem], Plan]:
    """The menu of complete readings, items in random order."""
    rng = random.Random(seed)
    return lambda item: (rng.random(), _first(reading_menu(item.posterior)))


def _first(found: list[Menu]) -> Menu | None:
    return found[0] if found else None


def curve(
    items: Sequence[AskedItem], plan: Callable[[AskedItem], Plan], noise: float = 0.0, assumed: float = 0.0
) -> list[Point]:
    """(questions per item, F1); a policy that has nothing to ask about an item leaves it as it is."""
    silent = [item.silent for item in items]
    plans = [plan(item) for item in items]
    order = sorted((i for i, (_, menu) in enumerate(plans) if menu), key=lambda i: (-plans[i][0], items[i].text))
    total, points = sum(silent), [(0.0, sum(silent) / len(items))]
    for done, i in enumerate(order, 1):
        menu = plans[i][1]
        total += (items[i].informed(menu, noise, assumed) if menu else silent[i]) - silent[i]
        points.append((done / len(items), total / len(items)))
    return [*points, (1.0, points[-1][1])]


def policies(seed: int, noise: float) -> Iterator[tuple[str, Callable[[AskedItem], Plan], float, float]]:
    """Name, plan, noise of the user and noise assumed, of every curve that needs no recipe."""
    yield "random items", by_chance(seed), 0.0, 0.0
    yield "entity entropy", by_entity_entropy, 0.0, 0.0
    yield "margin", by_margin, 0.0, 0.0
    yield "voi", by_voi, 0.0, 0.0
    yield f"voi, noisy:{noise:g}, ignored", by_voi, noise, 0.0
    yield f"voi, noisy:{noise:g}, modelled", lambda item: by_voi(item, noise), noise, noise


def curves_by_set(
    rows: Sequence[FitRow], posteriors: Sequence[Posterior], seed: int = 0, noise: float = 0.3
) -> dict[str, dict[str, dict[str, float]]]:
    """For each question set and policy, F1 at some numbers of questions per item (0 is never, 1 always)."""
    items = items_of(rows, posteriors)
    out: dict[str, dict[str, dict[str, float]]] = {}
    for name in dict.fromkeys(row.data for row in rows):
        own = [item for item, row in zip(items, rows, strict=True) if row.data == name]
        out[name] = {
            label: at_budgets(curve(own, plan, real, assumed)) for label, plan, real, assumed in policies(seed, noise)
        }
    return out


def at_budgets(points: Sequence[Point]) -> dict[str, float]:
    """F1 by number of questions per item."""
    return {f"{b:g}": round(at_budget(points, b), 4) for b in BUDGETS}


def by_recipe(recipe: Recipe) -> Callable[[AskedItem], Plan]:
    """The published way: the slot (entity or intent) with the highest score of a recipe, asked with its own menu."""

    def plan(item: AskedItem) -> Plan:
        entities, intents = recipe_scores(recipe, item.posterior, item.text, (0.0, 0.0))
        slots = {m.slot if m.kind == "entity" else m.kind: m for m in item.menus}
        found = [(s.score, slots[s.slot]) for s in [*entities, *intents] if s.slot in slots]
        return max(found, key=lambda f: f[0], default=(0.0, None))

    return plan
