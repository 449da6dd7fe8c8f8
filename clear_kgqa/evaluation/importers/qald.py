"""QALD 7 to 10: multilingual questions with SPARQL and SPARQL JSON results."""

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


def read(path: Path, language: str = "en") -> Imported:
    """The questions of a QALD file in one language, or in their first where that one is missing."""
    return collect_objects(file_objects(path, "questions"), lambda item: _question(item, language))


def _question(item: dict[str, Any], language: str) -> Sample | Dropped:
    id_ = str(item.get("id", ""))
    texts = {q.get("language", ""): text(q.get("string")) for q in item.get("question") or () if isinstance(q, dict)}
    told = {lang: question for lang, question in texts.items() if question}
    if not id_ or not told:
        return Dropped(id_ or "?", "no id or no question")
    spoken = language if language in told else next(iter(told))
    raw = (item.get("query") or {}).get("sparql") or ""
    sparql = "" if raw.strip().upper() == "OUT OF SCOPE" else repaired(raw)
    answers = result_answers(next(iter(item.get("answers") or ()), None))
    if not sparql and answers is None:
        return Dropped(id_, "neither query nor answers (out of scope)")
    return Sample(id_, told[spoken], sparql, answers, type=text(item.get("answertype")), language=spoken)
