"""The four tools as models see them: names, what they take, and the checks on what a model sends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

SEARCH_NODES = "SearchNodes"
SEARCH_GRAPH_PATTERN = "SearchGraphPattern"
EXECUTE_SPARQL = "ExecuteSPARQL"
ASK_FOR_CLARIFICATION = "AskForClarification"


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class SearchNodes(_Arguments):
    """Find nodes of the graph by name: IRI, label, types, description and popularity of at most ten."""

    name: str = Field(
        description="the name as it stands in the question, without articles", min_length=1, max_length=5000
    )


class SearchGraphPattern(_Arguments):
    """See which properties lead from and to nodes: one hop, and two hops through mediators, ranked by meaning."""

    sparql: str = Field(
        description="the body of a SPARQL pattern that binds ?e, e.g. VALUES ?e { <IRI> }", min_length=1
    )
    semantic: str = Field(description="in a few words, what is looked for", default="", max_length=2000)


class ExecuteSPARQL(_Arguments):
    """Run one read-only SPARQL query. The last one that runs is the answer."""

    sparql: str = Field(description="the complete query, with IRIs in angle brackets", min_length=1)


class AskForClarification(_Arguments):
    """Ask the user what is meant. Only when the answer depends on it; the options shown come from the graph."""

    text: str = Field(description="one short question to the user", min_length=1, max_length=2000)
    options: list[str] = Field(description="IRIs or labels of the choices", default_factory=list)


TOOLS: dict[str, type[_Arguments]] = {
    SEARCH_NODES: SearchNodes,
    SEARCH_GRAPH_PATTERN: SearchGraphPattern,
    EXECUTE_SPARQL: ExecuteSPARQL,
    ASK_FOR_CLARIFICATION: AskForClarification,
}


def reply_told(text: str, kind: str, chosen: Sequence[tuple[str, str]]) -> tuple[str, dict[str, Any]]:
    """What a model is told of the user's reply, and the same as data; `chosen` are (IRI, label)."""
    told = {"reply": text, "understood_as": kind, "chosen": [{"iri": iri, "label": label} for iri, label in chosen]}
    return "The user's reply, as data: " + json.dumps(told, ensure_ascii=False), told


def _without_longest(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without the greatest lengths of its texts: llama.cpp writes them out as a grammar of as many rules, which
    its server does not survive. They are checked when the call comes."""
    properties = {n: {k: v for k, v in p.items() if k != "maxLength"} for n, p in schema["properties"].items()}
    return {**schema, "properties": properties}


@cache
def tool_schemas(asking: bool = True) -> list[dict[str, Any]]:
    """The tools in the form that `bind_tools` takes; without AskForClarification for strategies that never ask."""
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": " ".join((model.__doc__ or "").split()),
                "parameters": _without_longest(model.model_json_schema()),
            },
        }
        for name, model in TOOLS.items()
        if asking or name != ASK_FOR_CLARIFICATION
    ]


def checked(name: str, arguments: object) -> _Arguments | str:
    """The arguments of a call, or a line that tells the model what is wrong with them."""
    model = TOOLS.get(name)
    if model is None:
        near = next((t for t in TOOLS if t.casefold() == name.casefold().replace("_", "")), None)
        hint = f" Did you mean {near}?" if near else ""
        return f"There is no tool {name!r}.{hint} The tools are: {', '.join(TOOLS)}."
    try:
        return model.model_validate(arguments)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors(include_url=False)
        )
        takes = ", ".join(model.model_fields)
        return f"{name} was not called: {faults}. It takes a JSON object with: {takes}."
