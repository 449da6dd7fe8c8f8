"""`clear-kgqa fit`: fit the weights of the posterior on questions with gold."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clear_kgqa.cli import options
from clear_kgqa.cli.output import say, say_json, table
from clear_kgqa.cli.stage_bar import StageBar
from clear_kgqa_tools.errors import ConfigError

if TYPE_CHECKING:
    from clear_kgqa.readings.fit_rows import FitRow

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help="Fit the weights of the posterior on questions with gold; figures are cross-validated.")
def fit(
    kg: Annotated[
        list[str] | None, typer.Option("--kg", metavar="SPEC", help="A graph; once for each --questions.")
    ] = None,
    questions: Annotated[
        list[Path] | None, typer.Option("--questions", metavar="FILE", help="Questions with gold on that graph.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where the weights go; without it nowhere.")
    ] = None,
    folds: Annotated[int, typer.Option("--folds", metavar="K", min=2, help="Folds, by entity and template.")] = 5,
    reg: Annotated[float, typer.Option("--reg", metavar="R", min=0, help="Weight of ||w||^2 / 2.")] = 1.0,
    curves: Annotated[bool, typer.Option("--curves", help="Also F1 against questions per item.")] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="For folds, noise and intervals.")] = 0,
    as_json: options.AsJson = None,
    config: options.Config = None,
) -> None:
    """Minimises -sum log[sum_r P(r) F1 + P(NULL)(1 - max F1)] + reg ||w||^2 / 2."""
    from clear_kgqa.readings import fit as fitting
    from clear_kgqa.settings import load_settings

    if not kg or not questions or len(kg) != len(questions):
        raise ConfigError("give --kg and --questions, as often the one as the other")
    settings = load_settings(config, json_output=as_json)
    with ExitStack() as stack:
        sets = [_tabulated(spec, path, stack, settings.query_timeout) for spec, path in zip(kg, questions, strict=True)]
        rows = [row for own, _ in sets for row in own]
        if len(rows) < folds:
            raise ConfigError(f"{len(rows)} questions with usable gold are too few for {folds} folds")
        posteriors = fitting.cross_validated(rows, folds, reg, seed)
        figures = fitting.by_set(rows, posteriors)
        report: dict[str, Any] = {"sets": figures}
        if curves:
            from clear_kgqa.ambiguity.asking_curves import curves_by_set

            report["curves"] = curves_by_set(rows, posteriors, seed=seed)
        if out is not None:
            weights = fitting.with_provenance(fitting.fit(rows, reg), [told for _, told in sets], figures, folds, reg)
            out.write_text(json.dumps(weights.to_json(), indent=1) + "\n", encoding="utf-8")
    if settings.json_output:
        say_json(report)
    else:
        say(_told(report))


def _tabulated(spec: str, path: Path, stack: ExitStack, seconds: float) -> tuple[list[FitRow], dict[str, Any]]:
    """The rows of one question set, and where they come from."""
    import tempfile

    from clear_kgqa.cli.opening import opened_graph
    from clear_kgqa.readings.fit_rows import tabulate
    from clear_kgqa.settings import load_settings
    from clear_kgqa_tools.build_read import file_hash

    cache = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "gold.sqlite"
    with opened_graph(load_settings(kg=spec, query_timeout=seconds)) as bundle, StageBar() as bar:
        rows = tabulate(bundle, path, cache, lambda done, of: bar(f"reading {path.name}", done / of, f"{done}/{of}"))
        told = {
            "data": rows[0].data if rows else path.name, "questions": len(rows), "questions_sha256": file_hash(path),
            "graph_sha256": bundle.data_hash, "similarity": bundle.similarity.name,
        }  # fmt: skip
    return rows, told


def _told(report: dict[str, Any]) -> str:
    columns = ("set", "n", "silent F1", "AUROC of 1 - U", "ECE", "ceiling")
    lines = [
        (name, str(f["n"]), _span(f["silent"]), _span(f["auroc"]), f"{f['ece']:.3f}", f"{f['ceiling']:.3f}")
        for name, f in report["sets"].items()
    ]
    parts = ["Cross-validated by gold entity and template, 95 % intervals over gold entities:", table(columns, lines)]
    for name, found in report.get("curves", {}).items():
        budgets = list(next(iter(found.values()), {}))
        rows = [(policy, *(f"{at[b]:.3f}" for b in budgets)) for policy, at in found.items()]
        parts += ["", f"{name}: F1 at questions per item", table(("policy", *budgets), rows)]
    return "\n".join(parts)


def _span(value: list[float]) -> str:
    mean, low, high = value
    return f"{mean:.3f} ({low:.3f}-{high:.3f})"
