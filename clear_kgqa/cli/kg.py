"""`clear-kgqa kg`: the graphs that `--kg` can name."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from clear_kgqa.cli import options
from clear_kgqa.cli.output import complain, say, say_json, table
from clear_kgqa.cli.stage_bar import StageBar
from clear_kgqa_tools.errors import ConfigError

app = typer.Typer(add_completion=False, rich_markup_mode=None, help="Add, list, inspect and remove knowledge graphs.")

Name = Annotated[str, typer.Argument(metavar="NAME")]


@app.command("add", help="Build a graph from a file or an endpoint, for --kg NAME.")
def add(
    name: Name,
    source: Annotated[str, typer.Argument(metavar="SOURCE")],
    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="NAME", help="How to read its vocabulary; detected when not given."),
    ] = None,
) -> None:
    """Lines that cannot be read are skipped, counted and listed."""
    from clear_kgqa_tools.catalog import kg_add

    with StageBar() as progress:
        report = kg_add(name, source, profile, progress)
    say(f"{name}: {report.triples:,} triples, {report.records:,} names, profile {report.profile}")
    if report.bad_lines:
        complain(f"{report.bad_lines:,} lines could not be read and were skipped:")
        for line in report.bad_listed:
            complain(line)


@app.command("list", help="List the graphs that were added.")
def list_graphs(json_output: options.AsJson = None) -> None:
    """The demo graph is among them once it is built."""
    from clear_kgqa_tools.catalog import kg_list

    graphs = kg_list()
    if json_output:
        say_json(graphs)
    elif graphs:
        rows = [(g["name"], f"{g['triples']:,}", f"{g['records']:,}", g["source"]) for g in graphs]
        say(table(("name", "triples", "names", "source"), rows))
    else:
        say("None yet. `clear-kgqa kg add NAME SOURCE` adds one; the demo graph is built when first asked.")


@app.command("info", help="Counts, languages, classes and properties of a graph, and how ambiguous its names are.")
def info(
    name: Name,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Where --ontology or --wrapper writes to.")
    ] = None,
    ontology: Annotated[
        bool, typer.Option("--ontology", help="Its OWL ontology as Turtle, as nlkgq is shown.")
    ] = False,
    wrapper: Annotated[
        bool, typer.Option("--wrapper", help="Readable terms for its own, to edit and give to nlkgq (YAML or .tsv).")
    ] = False,
    json_output: options.AsJson = None,
) -> None:
    """`--json` prints everything that is known of it."""
    from clear_kgqa_tools.catalog import DEMO, kg_info

    if ontology and wrapper:
        raise ConfigError("--ontology and --wrapper exclude each other; give one of them")
    if ontology or wrapper:
        _write(file, _derived(name, ontology, file))
        return
    if file is not None:
        raise ConfigError(f"{file} is written by --ontology or --wrapper; give one of them")
    if name == DEMO:
        from clear_kgqa_tools.open_bundle import ensure_demo

        with StageBar() as progress:
            ensure_demo(progress)
    data = kg_info(name)
    if json_output:
        say_json(data)
        return
    for key, value in data.items():
        if not isinstance(value, list | dict):
            say(f"{key.replace('_', ' '):14} {_shown(value)}")
    for key in ("top_classes", "top_properties"):
        say(f"\n{key.removeprefix('top_')}")
        say(table(("count", "label", "iri"), [(f"{e['count']:,}", e["label"], e["iri"]) for e in data[key]]))


def _derived(name: str, ontology: bool, file: Path | None) -> str:
    """The graph's ontology or its wrapper, as text."""
    from clear_kgqa.cli.opening import opened_graph
    from clear_kgqa.nlkgq.ontology import whole_ontology
    from clear_kgqa.nlkgq.wrapper import wrapper_of, wrapper_text
    from clear_kgqa.settings import load_settings

    with opened_graph(load_settings(kg=name)) as bundle:
        if ontology:
            return whole_ontology(bundle.schema, bundle.profile.prefixes)
        return wrapper_text(
            wrapper_of(bundle.schema, bundle.profile.prefixes), tsv=bool(file and file.suffix == ".tsv")
        )


def _write(file: Path | None, text: str) -> None:
    if file is None:
        say(text.rstrip("\n"))
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot write {file}: {error.strerror}") from error
    say(f"written to {file}")


@app.command("remove", help="Remove a graph that was added.")
def remove(
    name: Name, yes: Annotated[bool, typer.Option("--yes", help="On a terminal, remove without a question.")] = False
) -> None:
    """Its store and index are deleted; the source is not touched."""
    from clear_kgqa_tools.catalog import kg_again, kg_remove

    again = kg_again(name)
    if sys.stdin.isatty() and not yes and not typer.confirm(f"Remove the graph {name}?", err=True):
        say(f"{name} stays")
        return
    kg_remove(name)
    say(f"{name} removed; {again}")


def _shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
