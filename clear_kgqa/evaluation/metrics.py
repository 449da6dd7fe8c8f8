"""The metrics of question answering over knowledge graphs, each under its own name.

Empty cases: gold and prediction empty count as right (1); gold alone empty has precision 0, recall 1, F1 0;
the prediction alone empty scores 0. GERBIL's QALD measure has its own rules, see `qald_f1`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from clear_kgqa.evaluation.values import Mode, Overlap, normalise, overlap


@dataclass(frozen=True, slots=True)
class Scores:
    """The metrics of one question, all 0..1; `qald_precision` and `qald_recall` feed `qald_f1`."""

    precision: float
    recall: float
    f1: float
    rhits1: float
    em: float
    match: float
    qald_precision: float
    qald_recall: float

    def to_json(self) -> dict[str, float]:
        return {name: round(value, 6) for name, value in asdict(self).items()}


def f1(precision: float, recall: float) -> float:
    """The harmonic mean, 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def answer_f1(gold: Iterable[str], predicted: Iterable[str], mode: Mode = "strict") -> float:
    """F1 of two answer sets."""
    return f1(*_precision_recall(overlap(gold, predicted, mode)))


def _precision_recall(sizes: Overlap) -> tuple[float, float]:
    if not sizes.gold and not sizes.predicted:
        return 1.0, 1.0
    precision = sizes.shared / sizes.predicted if sizes.predicted else 0.0
    return precision, sizes.shared / sizes.gold if sizes.gold else 1.0


def score_answers(gold: Sequence[str], predicted: Sequence[str], mode: Mode = "strict") -> Scores:
    """All metrics of one question."""
    sizes = overlap(gold, predicted, mode)
    if not sizes.gold and not sizes.predicted:
        return Scores(1, 1, 1, 1, 1, 1, 1, 1)
    precision, recall = _precision_recall(sizes)
    return Scores(
        precision,
        recall,
        f1(precision, recall),
        rhits1=precision,
        em=exact_match(gold, predicted),
        match=float(sizes.shared == sizes.gold == sizes.predicted),
        qald_precision=precision if sizes.predicted else 1.0,
        qald_recall=recall if sizes.gold else 0.0,
    )


_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def _loose(text: str) -> str:
    return " ".join(_ARTICLES.sub(" ", normalise(text, "lenient").lower().translate(_PUNCTUATION)).split())


def exact_match(gold: Iterable[str], predicted: Iterable[str]) -> float:
    """EM of ComplexWebQuestions: any predicted equals any gold answer without case, punctuation, articles.

    In both modes numbers are compared by value: without its point "1.0" would be 10.
    """
    wanted = {_loose(answer) for answer in gold}
    return float(any(_loose(answer) in wanted for answer in predicted))


def mean(values: Iterable[float]) -> float:
    """The arithmetic mean, 0 of nothing."""
    items = list(values)
    return sum(items) / len(items) if items else 0.0


def qald_f1(scores: Iterable[Scores]) -> float:
    """Macro F1 QALD: harmonic mean of macro precision and recall; empty answers have precision 1.

    GERBIL (dice-group/gerbil, issues 211 and 320): no answer is read as "the system knows that it does not
    know"; gold empty and something answered has precision and recall 0. That means are combined, not F1 of
    questions, shows in the QALD-9 table: macro F1 0.050 at recall 0.053 beside Macro F1 QALD 0.100.
    """
    items = list(scores)
    return f1(mean(s.qald_precision for s in items), mean(s.qald_recall for s in items))


def accuracy(scores: Iterable[Scores]) -> float:
    """The share of questions with F1 = 1."""
    return mean(float(s.f1 == 1) for s in scores)


def bleu(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Corpus BLEU of SPARQL texts by sacreBLEU (0..100), whitespace collapsed; 0 of nothing."""
    from sacrebleu.metrics.bleu import BLEU

    if not gold:
        return 0.0
    flat = [[" ".join(text.split()) for text in texts] for texts in (gold, predicted)]
    return float(BLEU().corpus_score(flat[1], [flat[0]]).score)


def average(scores: Sequence[Scores]) -> dict[str, float]:
    """The headline numbers over questions, rounded to six places."""
    out = {
        name: mean(getattr(s, name) for s in scores) for name in ("f1", "precision", "recall", "rhits1", "em", "match")
    }
    out |= {"accuracy": accuracy(scores), "qald_f1": qald_f1(scores)}
    return {name: round(value, 6) for name, value in out.items()}
