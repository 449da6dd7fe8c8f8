"""`clear-kgqa score`: the metrics for anyone's predictions file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clear_kgqa.evaluation.metrics import Scores, average, score_answers
from clear_kgqa.evaluation.samples import json_lines, read_answers
from clear_kgqa.evaluation.values import Mode
from clear_kgqa_tools.errors import ConfigError


def score(gold_file: Path, predictions_file: Path, mode: Mode = "strict") -> dict[str, Any]:
    """The metrics of predictions against gold (both JSON Lines with `id` and `answers` or `boolean`).

    A question without a prediction counts as answered by nothing; `missing` counts those. `types` holds the
    same numbers per type where gold has one. Raises ConfigError for unreadable files and ids not in gold.
    """
    gold = _read(gold_file)
    predictions = {id_: answers for id_, (answers, _) in _read(predictions_file).items()}
    if unknown := [id_ for id_ in predictions if id_ not in gold]:
        raise ConfigError(f"{predictions_file}: the id {unknown[0]!r} is not in {gold_file} ({len(unknown)} such)")
    scored = [(kind, score_answers(answers, predictions.get(id_, ()), mode)) for id_, (answers, kind) in gold.items()]
    out = _numbers([s for _, s in scored]) | {"missing": len(gold) - len(predictions), "mode": mode}
    kinds = sorted({kind for kind, _ in scored if kind})
    if kinds:
        out["types"] = {k: _numbers([s for kind, s in scored if kind == k]) for k in kinds}
    return out


def _numbers(scores: list[Scores]) -> dict[str, Any]:
    return {"n": len(scores), **average(scores)}


def _read(path: Path) -> dict[str, tuple[tuple[str, ...], str]]:
    out: dict[str, tuple[tuple[str, ...], str]] = {}
    for where, data in json_lines(path):
        id_ = data.get("id")
        if not isinstance(id_, str | int):
            raise ConfigError(f"{where}: `id` is missing")
        answers = read_answers(data, where)
        if answers is None:
            raise ConfigError(f"{where}: `answers` or `boolean` is missing")
        if str(id_) in out:
            raise ConfigError(f"{where}: the id {str(id_)!r} stands twice")
        out[str(id_)] = answers, str(data.get("type") or "")
    return out
