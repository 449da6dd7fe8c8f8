"""`clear-kgqa mcp`: the graph as an MCP server on standard input and output."""

from __future__ import annotations

import typer

from clear_kgqa.cli import options
from clear_kgqa_tools.errors import ConfigError

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help="Serve the graph to MCP clients, over standard input and output.")
def mcp(
    kg: options.Kg = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    strategy: options.Strategy = None,
    timeout: options.Timeout = None,
    language: options.Language = None,
    config: options.Config = None,
) -> None:
    """Tools: SearchNodes, SearchGraphPattern, ExecuteSPARQL, ask and reply. Nothing can be changed through them."""
    given = locals().copy()
    from clear_kgqa.cli.opening import opened_graph
    from clear_kgqa.settings import load_settings

    settings = load_settings(**given)
    try:
        from clear_kgqa.mcp_server import mcp_server
    except ImportError as error:
        raise ConfigError('mcp needs the extra "mcp": pip install "clear-kgqa[mcp]"') from error
    with opened_graph(settings) as bundle:
        mcp_server(bundle, settings).run("stdio")
