"""Mentions as JSON for the agent's state, and from what SearchNodes returned for a name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clear_kgqa.readings.mentions import NODES_PER_SPAN, Mention
from clear_kgqa.readings.reading import Span
from clear_kgqa_tools.nodes import Node

FUZZY_KEPT = 3


def to_json(mention: Mention) -> dict[str, Any]:
    """A JSON object; the inverse of `from_json`."""
    return {
        "span": list(mention.span),
        "name": mention.name,
        "nodes": [n.to_json() for n in mention.nodes],
        "variant": mention.variant,
        "words": mention.words,
    }


def node_from_json(data: dict[str, Any]) -> Node:
    return Node(**{**data, "types": tuple(data["types"]), "type_iris": tuple(data["type_iris"])})


def from_json(data: dict[str, Any]) -> Mention:
    nodes = tuple(node_from_json(n) for n in data["nodes"])
    return Mention((data["span"][0], data["span"][1]), data["name"], nodes, data["variant"], data["words"])


def locate(name: str, question: str) -> Span:
    """Where a searched name stands in the question: as written, else the most similar stretch; (0, 0) if nowhere."""
    at = question.casefold().find(name.casefold())
    if at >= 0:
        return at, at + len(name)
    from rapidfuzz import fuzz

    near = fuzz.partial_ratio_alignment(name.casefold(), question.casefold(), score_cutoff=75)
    return (near.dest_start, near.dest_end) if near else (0, 0)


def searched(name: str, nodes: list[Node], question: str, known: tuple[Mention, ...]) -> Mention | None:
    """The mention that a search stands for. Exact hits displace fuzzy ones, but not the
    country of an adjective ("French"), which no search finds; `known` are the spans found by rule."""
    if not nodes:
        return None
    exact = [n for n in nodes if n.match in ("label", "alias")]
    kept = tuple((exact or nodes[:FUZZY_KEPT])[:NODES_PER_SPAN])
    found = next((m for m in known if m.name == name), None)
    if found is not None and found.variant == "within":
        return found
    if found is not None:
        merged = (
            {n.iri: n for n in (*found.nodes, *kept)}
            if found.variant == "part" or exact == []
            else {n.iri: n for n in (*kept, *(n for n in found.nodes if n.match == "demonym"))}
        )
        return replace(found, nodes=tuple(merged.values())[:NODES_PER_SPAN])
    return Mention(locate(name, question), name, kept, "", len(name.split()))
