"""The posterior over readings, cross-validated: silent F1, AUROC of 1 - U, calibration, F1 against questions per item.

Usage: python benchmarks/posterior.py KG QUESTIONS [KG QUESTIONS ...] [--keep FOLDER]
KEEP holds the tables between runs (minutes for some hundred questions); delete it when features have changed.
The graph with injected names comes from `clear-kgqa homonyms`.
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
from collections.abc import Sequence
from pathlib import Path

from clear_kgqa.ambiguity.asking_curves import BUDGETS, AskedItem, at_budgets, by_recipe, curve, items_of, policies
from clear_kgqa.ambiguity.menus import menus
from clear_kgqa.ambiguity.policy import value_of_information
from clear_kgqa.ambiguity.recipes import make_recipe
from clear_kgqa.readings.fit import cross_validated, quality
from clear_kgqa.readings.fit_rows import FitRow, tabulate
from clear_kgqa_tools.open_bundle import open_bundle

PUBLISHED = ("paper", "published-code", "noise")


def rows_of(kg: str, questions: Path, keep: Path) -> list[FitRow]:
    """The tables of one set, from the folder where they are kept if they are there."""
    path = keep / f"{questions.parent.name}-{questions.stem}.pickle"
    if path.exists():
        rows: list[FitRow] = pickle.loads(path.read_bytes())
        return rows
    bundle = open_bundle(kg)
    rows = tabulate(bundle, questions, keep / "gold.sqlite")
    bundle.close()
    path.write_bytes(pickle.dumps(rows))
    return rows


def curve_rows(kg: str, items: Sequence[AskedItem], seed: int = 0) -> list[str]:
    """A line per policy and recipe with F1 at each number of questions per item."""
    found = {name: curve(items, plan, real, assumed) for name, plan, real, assumed in policies(seed, 0.3)}
    bundle = open_bundle(kg)
    for name in PUBLISHED:
        found[f"{name}, its own slot and menu"] = curve(items, by_recipe(make_recipe(name, bundle)))
    bundle.close()
    return [
        f"| {name} | " + " | ".join(f"{f:.3f}" for f in at_budgets(points).values()) + " |"
        for name, points in found.items()
    ]


def asking_figures(items: Sequence[AskedItem], share: float = 0.3) -> str:
    """What the questions of the VOI policy are worth, at a number of questions per item, answered by an oracle."""
    plans = []
    for item in items:
        valued = [(value_of_information(item.posterior, m), m) for m in menus(item.posterior, item.text)]
        plans.append(max(valued, key=lambda v: v[0], default=(0.0, None)))
    order = sorted((i for i, (_, m) in enumerate(plans) if m), key=lambda i: -plans[i][0])[: round(share * len(items))]
    changed = harmful = 0
    for i in order:
        menu = plans[i][1]
        gain = items[i].informed(menu) - items[i].silent if menu else 0.0
        changed += abs(gain) > 1e-9
        harmful += gain < -1e-9
    n = len(order) or 1
    return f"{len(order)} questions; changed F1 {changed / n:.3f}, harmful {harmful / n:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", nargs="+")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        keep = options.keep or Path(folder)
        keep.mkdir(parents=True, exist_ok=True)
        pairs = list(zip(options.pairs[::2], map(Path, options.pairs[1::2]), strict=True))
        sets = [rows_of(kg, questions, keep) for kg, questions in pairs]
    rows = [row for own in sets for row in own]
    posteriors = cross_validated(rows)
    at = 0
    for (kg, questions), own in zip(pairs, sets, strict=True):
        held = posteriors[at : at + len(own)]
        at += len(own)
        items = items_of(own, held)
        print(f"\n{questions.parent.name}: {quality(own, held).to_json()}\n")
        print("| policy | " + " | ".join(f"{b:g}" for b in BUDGETS) + " |\n|---|" + "---|" * len(BUDGETS))
        print("\n".join(curve_rows(kg, items)))
        print(f"\nVOI, oracle: {asking_figures(items)}", flush=True)


if __name__ == "__main__":
    main()
