"""How far the question's wording alone goes: the floor that a helper which reads the candidates must beat."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from clear_kgqa_finetune.ranking import auroc


def question_only_auroc(train: Sequence[dict[str, Any]], valid: Sequence[dict[str, Any]]) -> dict[str, float]:
    """AUROC of naive Bayes over words and word pairs of the question, fitted on the training rows."""
    labelled = [row for row in train if row.get("label") is not None]
    held_out = [row for row in valid if row.get("label") is not None]
    if not labelled or not held_out:
        return {}
    counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for row in labelled:
        counts[row["label"]].update(_terms(row["question"]))
    size = len(counts[0] | counts[1])
    totals = [sum(c.values()) + size for c in counts]

    def score(question: str) -> float:
        shares = [[(c[term] + 1) / total for c, total in zip(counts, totals, strict=True)] for term in _terms(question)]
        return sum(math.log(yes / no) for no, yes in shares)

    return {"auroc_question_only": auroc([r["label"] for r in held_out], [score(r["question"]) for r in held_out])}


def _terms(question: str) -> set[str]:
    words = re.findall(r"\w+", question.lower())
    return {*words, *map(" ".join, pairwise(words))}
