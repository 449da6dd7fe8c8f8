"""WebQSP: questions with one or more parses over Freebase; the best parse counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clear_kgqa.evaluation.importers.imported import Dropped, Imported, collect_objects, file_objects, text
from clear_kgqa.evaluation.importers.repair import PREFIXES, repaired
from clear_kgqa.evaluation.samples import Sample

_QUALITY = {"Complete": 0, "Partial": 1}


def read(path: Path) -> Imported:
    """The questions of a WebQSP file; the other usable parses of a question become its alternatives."""
    return collect_objects(file_objects(path, "Questions"), _question)


def _question(item: dict[str, Any]) -> Sample | Dropped:
    id_ = str(item.get("QuestionId") or "")
    question = text(item.get("RawQuestion")) or text(item.get("ProcessedQuestion"))
    if not id_ or not question:
        return Dropped(id_ or "?", "no id or no question")
    parses = sorted((p for p in item.get("Parses") or () if repaired(p.get("Sparql") or "")), key=_rank)
    if not parses:
        return Dropped(id_, "no parse with a query")
    queries = list(dict.fromkeys(repaired(p["Sparql"]) for p in parses))
    first = parses[0]
    hops = len(first.get("InferentialChain") or ())
    return Sample(
        id_,
        question,
        queries[0],
        tuple(dict.fromkeys(_answers(first))) or None,
        type=f"{hops}-hop" if hops else "",
        language="en",
        alternatives=tuple(queries[1:]),
    )


def _rank(parse: dict[str, Any]) -> tuple[int, bool]:
    """Complete parses first, then those with answers; the file's order decides among equals."""
    quality = str((parse.get("AnnotatorComment") or {}).get("ParseQuality"))
    return _QUALITY.get(quality, 2), not parse.get("Answers")


def _answers(parse: dict[str, Any]) -> Iterator[str]:
    for answer in parse.get("Answers") or ():
        value = text(answer.get("AnswerArgument"))
        if value:
            yield PREFIXES["ns"] + value if answer.get("AnswerType") == "Entity" else value
