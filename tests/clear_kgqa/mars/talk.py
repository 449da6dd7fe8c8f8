"""A MARS strategy over a graph with a scripted model, and what to look at in its events."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.messages import AIMessage

from clear_kgqa.events import Event, Observation
from clear_kgqa.mars.pipeline import Mars
from clear_kgqa.readings.reader import Reader
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from tests.clear_kgqa.agent.scripted import ScriptedModel

EX = "http://ex.org/"
NO_CHANGE = '{"verdict": "no change"}'


def mars(bundle: GraphBundle, reader: Reader, *said: str, **settings: Any) -> tuple[Mars, ScriptedModel]:
    """The strategy with a model that says one reply after the other."""
    model = ScriptedModel(script=[AIMessage(text) for text in said])
    return Mars(bundle, Settings(strategy="mars", **settings), reader, model), model


def query(sparql: str, thought: str = "") -> str:
    return json.dumps({"thought": thought, "expand": [], "sparql": sparql})


def expand(*numbers: int) -> str:
    return json.dumps({"thought": "", "expand": list(numbers), "sparql": ""})


def rewritten(text: str = "as it was") -> str:
    return json.dumps({"rewritten": text})


def offered(events: list[Event]) -> list[list[dict[str, Any]]]:
    """The patterns of every SearchGraphPattern, in order."""
    return [e.data["patterns"] for e in events if isinstance(e, Observation) and e.name == "SearchGraphPattern"]


def last_request(model: ScriptedModel, at: int = -1) -> str:
    """The last message of the request of a turn."""
    return str(model.seen[at][-1].content)
