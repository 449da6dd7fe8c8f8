"""`clear-kgqa homonyms`: a labelled clarification benchmark from a graph and its questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, cast

import typer

from clear_kgqa.cli import options
from clear_kgqa.cli.output import say
from clear_kgqa_tools.errors import ConfigError

if TYPE_CHECKING:
    from clear_kgqa.ambiguity.homonyms import Injected
    from clear_kgqa_tools.bundle import GraphBundle

app = typer.Typer(add_completion=False, rich_markup_mode=None)

KINDS = ("same", "different", "both")


@app.command(help="Give other nodes the names that questions use: a labelled clarification benchmark.")
def homonyms(
    kg: options.Kg = None,
    questions: Annotated[
        Path | None, typer.Option("--questions", metavar="FILE", help="JSON Lines: id, question, sparql.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where the graph and the questions go.")
    ] = None,
    kind: Annotated[
        str, typer.Option("--kind", metavar="same|different|both", help="Type of the node that gets the name.")
    ] = "both",
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="For all that is random.")] = None,
    config: options.Config = None,
) -> None:
    """Writes kg.nq.gz (the graph with shared names), questions.jsonl, items.jsonl (labelled) and labels.jsonl."""
    from clear_kgqa.ambiguity.homonyms import inject
    from clear_kgqa.cli.opening import opened_graph
    from clear_kgqa.evaluation.samples import read_samples
    from clear_kgqa.settings import load_settings, needed
    from clear_kgqa_tools.execute import ExecuteSPARQL

    if kind not in KINDS:
        raise ConfigError(f"--kind {kind}: write {', '.join(KINDS)}")
    settings = load_settings(config, kg=kg, questions=questions, out=out, seed=seed)
    folder, samples = needed(settings, "out"), read_samples(needed(settings, "questions"))
    with opened_graph(settings) as bundle:
        check = ExecuteSPARQL(bundle.graph, bundle.profile.prefixes).check
        made = inject(bundle, samples, check, kind, settings.seed)  # type: ignore[arg-type]
        folder.mkdir(parents=True, exist_ok=True)
        _write_graph(folder / "kg.nq.gz", bundle, made)
    _write_questions(folder, made)
    labelled = [s for s in made.samples if s.candidates]
    needs = sum(bool(s.needs_clarification) for s in labelled)
    say(f"{len(made.homonyms)} names shared, {len(labelled)} of {len(samples)} questions hold one, {needs} need a "
        f"clarification; written to {folder}")  # fmt: skip


def _write_graph(path: Path, bundle: GraphBundle, made: Injected) -> None:
    import gzip

    import pyoxigraph as ox

    from clear_kgqa.ambiguity.homonyms import quads_with

    if bundle.folder is None or not (bundle.folder / "store").is_dir():
        raise ConfigError("names can only be shared in a graph that is held here, not in an endpoint's")
    store = ox.Store.read_only(str(bundle.folder / "store"))
    with gzip.open(path, "wb", compresslevel=4) as file:
        ox.serialize(
            quads_with(store, made.homonyms, bundle.profile.labels), cast(IO[bytes], file), ox.RdfFormat.N_QUADS
        )


def _write_questions(folder: Path, made: Injected) -> None:
    from clear_kgqa.evaluation.samples import write_samples

    write_samples(folder / "questions.jsonl", made.samples)
    items = [
        {"id": s.id, "question": s.question, "candidates": list(s.candidates), "label": int(bool(s.needs_clarification))}
        for s in made.samples if s.candidates
    ]  # fmt: skip
    _write_lines(folder / "items.jsonl", items)
    labels = [{"iri": h.iri, "label": h.label, "entity": h.entity, "same_type": h.same_type} for h in made.homonyms]
    _write_lines(folder / "labels.jsonl", labels)


def _write_lines(path: Path, objects: Sequence[dict[str, Any]]) -> None:
    text = "".join(json.dumps(o, ensure_ascii=False) + "\n" for o in objects)
    path.write_text(text, encoding="utf-8")
