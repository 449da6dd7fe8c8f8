"""Names that the name after them tells apart: "Paris, Texas", "Springfield (Illinois)", "London in Canada"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from clear_kgqa.readings.mentions import Mention
from clear_kgqa_tools.graph import KnowledgeGraph, Limits, trusted
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.terms import iri_ref

_APPOSED = re.compile(r"\s*,\s*|\s*\(\s*|\s+")
_IN = re.compile(r"\s+in\s+(?:the\s+)?", re.I)
_LIMITS = Limits(seconds=2.0, rows=200)


def qualified(question: str, asks: bool, mentions: Sequence[Mention], graph: KnowledgeGraph) -> tuple[Mention, ...]:
    """The mentions, each narrowed to the nodes that the graph joins to the name after it, and stretched over that name.

    "in" narrows only a shared name, and nothing where yes or no is asked: there it is what is asked about.
    """
    out = []
    for mention in mentions:
        narrowed = (_narrowed(question, asks, mention, other, graph) for other in mentions)
        out.append(max((m for m in narrowed if m), key=lambda m: m.span[1], default=mention))
    return tuple(out)


def _narrowed(question: str, asks: bool, mention: Mention, other: Mention, graph: KnowledgeGraph) -> Mention | None:
    between = question[mention.span[1] : other.span[0]]
    apposed = bool(_APPOSED.fullmatch(between)) and question[other.span[0]].isupper()
    if mention.variant or other.span[0] <= mention.span[0] or not (apposed or (_IN.fullmatch(between) and not asks)):
        return None
    nodes, whole = _exact(mention), _exact(other)
    kept = _joined(nodes, whole, graph) if nodes and whole else ()
    if not kept or (not apposed and len(kept) == len(nodes)):
        return None
    end = other.span[1] + (question[other.span[1] : other.span[1] + 1] == ")")
    return replace(mention, span=(mention.span[0], end), nodes=kept, variant="within")


def _exact(mention: Mention) -> list[Node]:
    return [n for n in mention.nodes if n.match in ("label", "alias")]


def _joined(nodes: list[Node], whole: list[Node], graph: KnowledgeGraph) -> tuple[Node, ...]:
    """The nodes that point at one of `whole`."""
    parts, ends = (" ".join(iri_ref(n.iri) for n in side) for side in (nodes, whole))
    query = f"SELECT DISTINCT ?n WHERE {{ VALUES ?n {{ {parts} }} VALUES ?w {{ {ends} }} ?n ?p ?w }}"
    found = {row[0].value for row in graph.query(trusted(query), _LIMITS).rows if row[0] is not None}
    return tuple(n for n in nodes if n.iri in found)
