"""`clear-kgqa query`: one checked, read-only SPARQL query."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clear_kgqa.cli import faults, options
from clear_kgqa.cli.output import complain, say, say_json, table
from clear_kgqa_tools.errors import ConfigError, EndpointError, LimitExceeded

if TYPE_CHECKING:
    from clear_kgqa_tools.bundle import GraphBundle
    from clear_kgqa_tools.graph import CheckedQuery
    from clear_kgqa_tools.terms import QueryResult, Term

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help="Run one checked, read-only SPARQL query.")
def query(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="A file, or - for standard input.")],
    kg: options.Kg = None,
    json_output: options.AsJson = None,
    timeout: options.Timeout = None,
    config: options.Config = None,
) -> int:
    """Exit codes: 0 also for an empty result, 2 refused or wrong, 4 stopped at a limit, 5 unreachable."""
    from clear_kgqa.cli.opening import opened_graph
    from clear_kgqa.settings import load_settings
    from clear_kgqa_tools.execute import ExecuteSPARQL

    settings = load_settings(config, kg=kg, json_output=json_output, query_timeout=timeout, timeout=timeout)
    text = _read(file)
    try:
        with opened_graph(settings) as bundle:
            checked = ExecuteSPARQL(bundle.graph, bundle.profile.prefixes).check(text)
            for warning in checked.warnings:
                complain(warning)
            result = _run(bundle, checked, settings.timeout)
    except (EndpointError, LimitExceeded) as error:
        if settings.json_output:
            say_json({"sparql": text, "reason": str(error)})
        raise
    if settings.json_output:
        say_json({"sparql": checked.text, **result.to_json()})
    else:
        _print(result)
    return faults.ANSWERED


def _read(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{file} is not UTF-8 text") from None


def _run(bundle: GraphBundle, checked: CheckedQuery, timeout: float) -> QueryResult:
    """The result, within what the first contact with an endpoint has left of the limit."""
    from clear_kgqa_tools.embedded import EmbeddedGraph

    if isinstance(bundle.graph, EmbeddedGraph):
        return bundle.graph.query(checked)
    from clear_kgqa_tools.endpoint import EndpointGraph

    if isinstance(bundle.graph, EndpointGraph):
        with bundle.graph.within(timeout - bundle.contact_seconds, timeout):
            return bundle.graph.query(checked)
    return bundle.graph.query(checked)


def _print(result: QueryResult) -> None:
    if result.boolean is not None:
        say("yes" if result.boolean else "no")
    elif result.columns:
        say(table(result.columns, [[_shown(term) for term in row] for row in result.rows]))
    if result.incomplete:
        complain(f"the result is incomplete: {result.reason}")


def _shown(term: Term | None) -> str:
    if term is None:
        return ""
    return term.value if term.kind == "literal" else term.n3()
