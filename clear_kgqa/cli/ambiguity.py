"""`clear-kgqa ambiguity`: a scorer against items labelled "needs a clarification or not"."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clear_kgqa.cli import options
from clear_kgqa.cli.output import say, say_json
from clear_kgqa.cli.stage_bar import StageBar
from clear_kgqa_tools.errors import ConfigError

if TYPE_CHECKING:
    from clear_kgqa.ambiguity.labelled import LabelledItem
    from clear_kgqa.settings import Settings
    from clear_kgqa_tools.bundle import GraphBundle

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help='Score a scorer against items labelled "needs a clarification or not".')
def ambiguity(
    items: Annotated[
        Path | None, typer.Option("--items", metavar="FILE", help="JSON Lines: question, candidates, label.")
    ] = None,
    kg: options.Kg = None,
    scorer: Annotated[
        str | None,
        typer.Option("--scorer", metavar="NAME", help="paper, published-code, calibrated (default) or noise."),
    ] = None,
    likelihood: options.Likelihood = None,
    trained: Annotated[
        bool,
        typer.Option("--trained", help="Fit on these items, folds kept apart by candidates and wording."),
    ] = False,
    base_url: options.BaseUrl = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="For all that is random.")] = None,
    as_json: options.AsJson = None,
    config: options.Config = None,
) -> None:
    """The floor (`question_only`) is what the wording of the questions tells without any candidate."""
    from clear_kgqa.cli.opening import opened_graph
    from clear_kgqa.settings import load_settings

    if items is None:
        raise ConfigError("--items is missing")
    settings = load_settings(
        config, kg=kg, scorer=scorer, likelihood=likelihood, base_url=base_url, seed=seed, json_output=as_json
    )
    from clear_kgqa.ambiguity.labelled import read_items

    read = read_items(items)
    with opened_graph(settings) as bundle:
        found = _figures(settings, bundle, read, trained)
    if settings.json_output:
        say_json(found)
    else:
        say("\n".join(f"{name.replace('_', ' '):28} {value}" for name, value in found.items()))


def _figures(settings: Settings, bundle: GraphBundle, items: list[LabelledItem], trained: bool) -> dict[str, Any]:
    from clear_kgqa.ambiguity.labelled import candidates_of, figures, scored, templates
    from clear_kgqa.ambiguity.labelled_fit import trained_scores, wording_alone
    from clear_kgqa.ambiguity.recipes import make_likelihood, make_recipe
    from clear_kgqa.evaluation.calibration import auroc, auroc_within

    nodes = candidates_of(bundle, items)
    if trained:
        helper = None
        if settings.likelihood != "offline":
            helper = make_likelihood(settings.likelihood, bundle, settings.base_url)
        scores = trained_scores(bundle, items, nodes, likelihood=helper)
    else:
        recipe = make_recipe(settings.scorer, bundle, settings.likelihood, settings.base_url, settings.seed)
        with StageBar() as bar:
            scores = scored(
                recipe, items, nodes, lambda done: bar("scoring", done / len(items), f"{done}/{len(items)}")
            )
    labels = [item.label for item in items]
    floors = {name: wording_alone(items, nodes, by) for name, by in (("by_pair", False), ("by_template", True))}
    return {
        **figures(items, scores), "scorer": "trained" if trained else settings.scorer,
        "likelihood": settings.likelihood,
        "within_template": round(auroc_within(labels, scores, templates(items, nodes)), 4),
        **{f"question_only_{name}": round(auroc(labels, floor), 4) for name, floor in floors.items()},
    }  # fmt: skip
