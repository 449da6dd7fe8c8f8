"""`clear-kgqa kg`: the graphs that `--kg` can name."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clear_kgqa.cli import options
from clear_kgqa.cli.output import complain, say, say_json, table
from clear_kgqa.cli.stage_bar import StageBar

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
def info(name: Name, json_output: options.AsJson = None) -> None:
    """`--json` prints everything that is known of it."""
    from clear_kgqa_tools.catalog import kg_info

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


@app.command("remove", help="Remove a graph that was added.")
def remove(name: Name) -> None:
    """Its store and index are deleted; the source is not touched."""
    from clear_kgqa_tools.catalog import kg_remove

    kg_remove(name)
    say(f"{name} removed")


def _shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
