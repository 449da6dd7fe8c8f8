"""The helper as a judge: the chance that a question fits a candidate, read off one token after both."""

from __future__ import annotations

from typing import Any

from clear_kgqa.likelihood.prompt import VERDICT_WORDS
from clear_kgqa.likelihood.tokens import Batch, TokenPair, fit_log_odds, tokenize_verdict, verdict_ids
from clear_kgqa_finetune.frozen_layers import FrozenLayers
from clear_kgqa_finetune.scoring import NONE, Scoring

_LEAST = 1e-6  # chances are kept that far from 1 before the log of their complement is taken


def verdict_scoring(tokenizer: Any, top_layers: int | None) -> Scoring:
    """Scores are log-odds of "yes"; with `top_layers` what lies below the adapter is computed once per row."""
    verdict = verdict_ids(tokenizer)
    frozen = FrozenLayers(top_layers) if top_layers else None

    def scores(model: Any, batch: Batch) -> Any:
        return frozen.fit_log_odds(model, batch, verdict) if frozen else fit_log_odds(model, batch, verdict)

    return Scoring(tokenize_verdict, scores, verdict_loss, two_fit, _shown)


def _shown(tokenizer: Any, pair: TokenPair) -> str:
    return f"{tokenizer.decode([*pair.before, *pair.question])}⟦{' or'.join(VERDICT_WORDS)}⟧"


def two_fit(odds: Any) -> float:
    """The log-odds that two candidates or more fit rather than one alone: the need of a clarification."""
    one, more = _log_chances(odds)
    return float(more - one)


def verdict_loss(odds: Any, gold: int, need: int, length: Any) -> Any:
    """Negative log-likelihood of "exactly one fits" or, where a clarification is needed, "two or more fit"; with a gold
    candidate, that it fits and is the likeliest.

    "Exactly one" and not "less than two": a judge that lets nothing fit would satisfy that.
    """
    import torch

    total = torch.zeros((), device=odds.device)
    if gold != NONE:
        total = total - odds.log_softmax(0)[gold] - torch.nn.functional.logsigmoid(odds[gold])
    if need != NONE:
        total = total - _log_chances(odds)[need]
    return total


def _log_chances(odds: Any) -> tuple[Any, Any]:
    """The log of the chances that exactly one of independent candidates fits, and that two or more do."""
    import torch

    none = -torch.nn.functional.softplus(odds).sum()
    one = none + odds.logsumexp(0)
    if len(odds) == 2:
        return one, torch.nn.functional.logsigmoid(odds).sum()
    below_two = torch.logaddexp(none, one).clamp(max=-_LEAST)
    return one, torch.log(-torch.expm1(below_two))
