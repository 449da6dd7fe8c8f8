"""DBLP-QuAD 1.0 (nested texts, answers in a file of their own) and 2.0 (flat)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clear_kgqa.evaluation.importers.imported import (
    Dropped,
    Imported,
    collect_objects,
    file_objects,
    result_answers,
    text,
)
from clear_kgqa.evaluation.importers.repair import repaired
from clear_kgqa.evaluation.samples import Sample

ANSWERS = "answers.json"


def read(path: Path) -> Imported:
    """The questions of a DBLP-QuAD file, with the answers of an `answers.json` beside it if there is one."""
    beside = path.with_name(ANSWERS)
    found = file_objects(beside, "answers") if beside.is_file() and beside != path else ()
    answers = {str(item.get("id", "")): result_answers(item.get("answer")) for item in found if isinstance(item, dict)}
    return collect_objects(file_objects(path, "questions"), lambda item: _question(item, answers))


def _question(item: dict[str, Any], answers: dict[str, tuple[str, ...] | None]) -> Sample | Dropped:
    id_ = str(item.get("id") or "")
    question = _string(item.get("question")) or _string(item.get("paraphrased_question"))
    query = item.get("query")
    sparql = repaired((query.get("sparql") if isinstance(query, dict) else item.get("sparql")) or "")
    if not id_ or not question or not sparql:
        return Dropped(id_ or "?", "no id, question or query")
    return Sample(id_, question, sparql, answers.get(id_), type=text(item.get("query_type")), language="en")


def _string(value: Any) -> str:
    return text(value.get("string")) if isinstance(value, dict) else text(value)
