"""LC-QuAD 2.0: questions over Wikidata (and DBpedia 2018), some of them null."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from clear_kgqa.evaluation.importers.imported import Dropped, Imported, collect_objects, file_objects, text
from clear_kgqa.evaluation.importers.repair import repaired
from clear_kgqa.evaluation.samples import Sample


def read(path: Path, graph: Literal["wikidata", "dbpedia18"] = "wikidata") -> Imported:
    """The questions of an LC-QuAD 2.0 file with the query for one graph; null questions are paraphrased."""
    return collect_objects(file_objects(path, "questions"), lambda item: _question(item, graph))


def _question(item: dict[str, Any], graph: str) -> Sample | Dropped:
    id_ = str(item.get("uid", ""))
    question = text(item.get("question")) or text(item.get("paraphrased_question"))
    if not id_ or not question:
        return Dropped(id_ or "?", "no id or no question")
    sparql = repaired(item.get(f"sparql_{graph}") or "")
    if not sparql:
        return Dropped(id_, f"no query for {graph}")
    return Sample(id_, question, sparql, type=text(item.get("subgraph")), language="en")
