"""A graph ready to be asked: the store or endpoint, its name search, schema, profile and embedder in one place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from clear_kgqa_tools.graph import KnowledgeGraph
from clear_kgqa_tools.nodes import NodeSearch
from clear_kgqa_tools.profile import Profile
from clear_kgqa_tools.schema import Schema
from clear_kgqa_tools.similarity import Similarity


@dataclass(frozen=True)
class GraphBundle:
    """Everything that tools, planner and plugin need of one graph.

    `name` is what the user typed for --kg, `data_hash` a sha256 of the data (empty for endpoints), `folder` where
    its index and caches live (None when nothing is kept), `attribution` a line to show with answers; `contact_seconds`
    is what the first questions to an endpoint took.
    """

    name: str
    graph: KnowledgeGraph
    nodes: NodeSearch
    schema: Schema
    profile: Profile
    similarity: Similarity
    data_hash: str = ""
    folder: Path | None = None
    attribution: str = ""
    contact_seconds: float = 0.0

    def close(self) -> None:
        self.graph.close()
