"""An OpenAI-compatible chat model and its system prompt."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel


def chat_model(settings: Settings) -> BaseChatModel:
    """ChatOpenAI for the settings' model and server. A local server without a key gets a placeholder."""
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    key = settings.api_key or SecretStr("none")
    return ChatOpenAI(
        model=settings.model, base_url=settings.base_url or None, api_key=key, temperature=settings.temperature,
        timeout=settings.timeout, max_retries=2,
    )


def system_prompt(bundle: GraphBundle, most: int = 40) -> str:
    """Role, rules and what is particular to the graph: prefixes and its most used classes and properties."""
    profile, schema = bundle.profile, bundle.schema
    text = files("clear_kgqa").joinpath("data/system_prompt.md").read_text(encoding="utf-8")
    prefixes = "\n".join(f"PREFIX {p}: <{iri}>" for p, iri in profile.prefixes.items())
    classes = ", ".join(f"{c.label} <{c.iri}>" for c in schema.classes[:most])
    properties = ", ".join(f"{p.label} <{p.iri}>" for p in schema.properties[:most])
    filled = {"{prefixes}": prefixes, "{classes}": classes, "{properties}": properties, "{languages}": ", ".join(profile.languages)}
    for name, value in filled.items():
        text = text.replace(name, value)
    return text
