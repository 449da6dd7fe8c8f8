"""What a language model adds to the scores of labelled items, untuned and tuned, on items that its adapter has not seen.

Usage: python benchmarks/helper.py BASE+ADAPTER KG ITEMS DATA_FOLDER [SAMPLE]      (PYTHONPATH=.:tools:finetune)

ITEMS is what `finetune data --items` was given and DATA_FOLDER what it made; only items of its validation split count.
The trained scorer is cross-validated on them by candidates and template; the recipes are run on the first SAMPLE (100).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from clear_kgqa.ambiguity.labelled import LabelledItem, candidates_of, figures, read_items, scored
from clear_kgqa.ambiguity.labelled_fit import trained_scores, wording_alone
from clear_kgqa.ambiguity.recipes import make_likelihood, make_recipe
from clear_kgqa.evaluation.calibration import auroc
from clear_kgqa_finetune.sources import read_jsonl
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.open_bundle import open_bundle


def unseen(items: list[LabelledItem], data: Path) -> list[LabelledItem]:
    """The items of the validation split, found again by their candidates and question."""
    kept = {(tuple(r["keys"][:-1]), r["question"]) for r in read_jsonl(data / "helper.valid.jsonl")}
    return [i for i in items if (i.candidates, " ".join([*i.history, i.question])) in kept]


def row(name: str, items: list[LabelledItem], scores: list[float]) -> str:
    f = figures(items, scores)
    return f"| {name} | {f['auroc']:.3f} ({f['auroc_low']:.3f}-{f['auroc_high']:.3f}) | {f['n']} |"


def rows(bundle: GraphBundle, items: list[LabelledItem], spec: str, sample: int) -> Iterator[str]:
    models = {"tuned": f"hf:{spec}", "untuned": f"hf:{spec.rpartition('+')[0]}"}
    nodes = candidates_of(bundle, items)
    labels = [item.label for item in items]
    yield f"| question only | {auroc(labels, wording_alone(items, nodes, by_template=True)):.3f} | {len(items)} |"
    yield row("trained scorer, no model", items, trained_scores(bundle, items, nodes))
    model = make_likelihood(models["tuned"], bundle)
    yield row("trained scorer, tuned", items, trained_scores(bundle, items, nodes, likelihood=model))
    few = items[:sample]
    for scorer in ("paper", "published-code", "calibrated"):
        for name, likelihood in {"offline": "offline", **models}.items():
            yield row(f"{scorer}, {name}", few, scored(make_recipe(scorer, bundle, likelihood), few, nodes[:sample]))
    model = make_likelihood(models["untuned"], bundle)
    yield row("trained scorer, untuned", items, trained_scores(bundle, items, nodes, likelihood=model))


def main(spec: str, kg: str, items: str, data: str, sample: str = "100") -> None:
    bundle = open_bundle(kg)
    try:
        for line in rows(bundle, unseen(read_items(Path(items)), Path(data)), spec, int(sample)):
            print(line, flush=True)
    finally:
        bundle.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
