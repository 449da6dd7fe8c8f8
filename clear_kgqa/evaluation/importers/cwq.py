"""ComplexWebQuestions 1.1: compositional questions over Freebase."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from clear_kgqa.evaluation.importers.imported import Dropped, Imported, collect_objects, file_objects, text
from clear_kgqa.evaluation.importers.repair import PREFIXES, repaired
from clear_kgqa.evaluation.samples import Sample

_MID = re.compile(r"[mg]\.\w+")


def read(path: Path) -> Imported:
    """The questions of a CWQ file; the published test file carries no answers."""
    return collect_objects(file_objects(path, "questions"), _question)


def _question(item: dict[str, Any]) -> Sample | Dropped:
    id_, question = (
        str(item.get("ID") or ""),
        text(item.get("question")) or text(item.get("machine_question")),
    )
    sparql = repaired(item.get("sparql") or "")
    if not id_ or not question or not sparql:
        return Dropped(id_ or "?", "no id, question or query")
    answers = tuple(dict.fromkeys(a for a in map(_answer, item.get("answers") or ()) if a))
    return Sample(id_, question, sparql, answers or None, type=text(item.get("compositionality_type")), language="en")


def _answer(answer: dict[str, Any]) -> str:
    id_ = text(answer.get("answer_id"))
    return PREFIXES["ns"] + id_ if _MID.fullmatch(id_) else id_ or text(answer.get("answer"))
