"""The helper as a judge: the chance that a question fits a candidate, read off one token after both."""

from __future__ import annotations

from typing import Any

from clear_kgqa.likelihood.prompt import VERDICT_WORDS
from clear_kgqa.likelihood.tokens import Batch, TokenPair, fit_log_odds, tokenize_verdict, verdict_ids
from clear_kgqa_finetune.frozen_layers import FrozenLayers
from clear_kgqa_finetune.scoring import NONE, Scoring


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
    """The log of the chance that at least the two likeliest candidates fit: the need of a clarification."""
    import torch

    return float(torch.nn.functional.logsigmoid(odds.topk(2).values).sum())


def verdict_loss(odds: Any, gold: int, need: int, length: Any) -> Any:
    """Negative log-likelihood of the label "two candidates fit", and of the gold candidate among all by log-odds."""
    import torch

    total = torch.zeros((), device=odds.device)
    if gold != NONE:
        total = total - odds.log_softmax(0)[gold] - torch.nn.functional.logsigmoid(odds[gold])
    if need != NONE:
        both = torch.nn.functional.logsigmoid(odds.topk(2).values).sum()
        # log(1 - e^both), without the loss of digits near both = 0
        total = total - (both if need else torch.log(-torch.expm1(both.clamp(max=-1e-6))))
    return total
