"""Scorers against CLAQUA's labelled items, and the choice of an option from the recorded replies.

Usage: python benchmarks/ambiguity.py CLAQUA_FOLDER        (kg.nt.gz, clarification_need.jsonl, questions.jsonl)
Targets: single-turn AUROC 0.87 untrained and 0.91 trained, multi-turn 0.75 and 0.80; replies 0.97 and 0.90.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from clear_kgqa.ambiguity.labelled import LabelledItem, candidates_of, figures, read_items, scored, templates
from clear_kgqa.ambiguity.labelled_fit import trained_scores, wording_alone
from clear_kgqa.ambiguity.recipes import RECIPES, make_recipe
from clear_kgqa.ambiguity.replies import interpret
from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.evaluation.calibration import auroc, auroc_within
from clear_kgqa.evaluation.samples import json_lines
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.open_bundle import open_bundle

_PLACE = re.compile(r"\b(first|second)\b", re.I)


def scorer_rows(bundle: GraphBundle, items: list[LabelledItem]) -> Iterator[str]:
    nodes = candidates_of(bundle, items)
    told = templates(items, nodes)
    labels = [item.label for item in items]
    runs: dict[str, Callable[[], list[float]]] = {
        name: partial(lambda name: scored(make_recipe(name, bundle), items, nodes), name) for name in RECIPES
    }
    runs["trained (5 folds by candidates and template)"] = lambda: trained_scores(bundle, items, nodes)
    for name, run in runs.items():
        scores = run()
        f = figures(items, scores)
        within = auroc_within(labels, scores, told)
        yield (
            f"| {name} | {f['auroc']:.3f} ({f['auroc_low']:.3f}-{f['auroc_high']:.3f}) | {within:.3f} | "
            f"{f['brier']:.3f} | {f['ece']:.3f} | {f['accuracy']:.3f} |"
        )
    for by_template, folds in ((False, "candidates"), (True, "candidates and template")):
        floor = auroc(labels, wording_alone(items, nodes, by_template))
        yield f"| question only (5 folds by {folds}) | {floor:.3f} | | | | |"


def choice(bundle: GraphBundle, questions: list[dict[str, Any]], seed: int = 0) -> dict[str, tuple[int, int]]:
    """Right choices of all, by kind of reply; descriptive ones see their options shuffled."""
    nodes = bundle.nodes.describe(list({c for q in questions for c in q["candidates"]}))
    rng, found = (
        random.Random(seed),
        dict.fromkeys(("by place", "descriptive", "descriptive, options from the graph"), (0, 0)),
    )
    for q in questions:
        by_place = bool(_PLACE.search(q["user_response"]))
        order = [0, 1] if by_place else rng.sample([0, 1], 2)
        phrased = [_option(q, i, nodes, q["option_phrases"][i]) for i in order]
        plain = [_option(q, i, nodes, q["candidate_names"][i]) for i in order]
        asked = (
            [("by place", phrased)]
            if by_place
            else [("descriptive", phrased), ("descriptive, options from the graph", plain)]
        )
        for kind, options in asked:
            ask = Clarification("c", "s", "entity", q["clarification_question"], tuple(options))
            reply = interpret(q["user_response"], ask)
            right = len(reply.chosen) == 1 and options[reply.chosen[0]].iri == q["intended"]
            found[kind] = found[kind][0] + right, found[kind][1] + 1
    return found


def _option(question: dict[str, Any], at: int, nodes: dict[str, Node], label: str) -> Option:
    iri = question["candidates"][at]
    node = nodes.get(iri, Node(iri, label))
    return Option(iri, label, ", ".join(node.types), node.description)


def main() -> None:
    folder = Path(sys.argv[1])
    bundle = open_bundle(str(folder / "kg.nt.gz"))
    items = read_items(folder / "clarification_need.jsonl")
    for title, own in (
        ("single-turn", [i for i in items if not i.history]),
        ("multi-turn", [i for i in items if i.history]),
    ):
        print(f"\n{title}, {len(own)} items\n\n| scorer | AUROC | within template | Brier | ECE | accuracy |")
        print("|---|---|---|---|---|---|")
        for row in scorer_rows(bundle, own):
            print(row, flush=True)
    print("\n| replies | right | of | share |\n|---|---|---|---|")
    for kind, (right, of) in choice(bundle, [q for _, q in json_lines(folder / "questions.jsonl")]).items():
        print(f"| {kind} | {right} | {of} | {right / (of or 1):.3f} |")
    bundle.close()


if __name__ == "__main__":
    main()
