"""LC-QuAD 1.0: template questions over DBpedia, without answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clear_kgqa.evaluation.importers.imported import Dropped, Imported, collect_objects, file_objects, text
from clear_kgqa.evaluation.importers.repair import repaired
from clear_kgqa.evaluation.samples import Sample


def read(path: Path) -> Imported:
    """The questions of an LC-QuAD 1.0 file; the type is its template number."""
    return collect_objects(file_objects(path, "questions"), _question)


def _question(item: dict[str, Any]) -> Sample | Dropped:
    id_ = str(item.get("_id") or "")
    question = text(item.get("corrected_question")) or text(item.get("intermediary_question"))
    sparql = repaired(item.get("sparql_query") or item.get("query") or "")
    if not id_ or not question or not sparql:
        return Dropped(id_ or "?", "no id, question or query")
    template = item.get("sparql_template_id") or item.get("id") or ""
    return Sample(id_, question, sparql, type=f"template {template}" if template else "", language="en")
