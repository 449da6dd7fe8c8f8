"""What a helper's score is: how a candidate becomes tokens, tokens a score, and scores a loss and a need to ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from clear_kgqa.likelihood.tokens import Batch, TokenPair, question_log_likelihood, tokenize_pair
from clear_kgqa_finetune.recipe import HelperLoss

NONE = -1


@dataclass(frozen=True, slots=True)
class Scoring:
    """`tokenize(tokenizer, context, question, context_tokens)`; `scores(model, batch)` one number per row.

    `loss(scores, gold, need, question_tokens)` and `need(scores)` (higher: ask) take the scores of one item's
    candidates; `gold` is the right one's place and `need` the label, -1 where unknown. `shown(tokenizer, pair)` is a row
    as text with its supervised part marked. `telling` says whether contexts teach anything.
    """

    tokenize: Callable[[Any, str, str, int], TokenPair]
    scores: Callable[[Any, Batch], Any]
    loss: Callable[[Any, int, int, Any], Any]
    need: Callable[[Any], float]
    shown: Callable[[Any, TokenPair], str]
    telling: Callable[[Sequence[str]], bool] = lambda contexts: True


def likelihood_scoring(weights: HelperLoss) -> Scoring:
    """Scores are question log-likelihoods; their entropy says when to ask."""

    def loss(sums: Any, gold: int, need: int, length: Any) -> Any:
        total = -weights.likelihood * _explained(sums, gold, need) / length
        if gold != NONE:
            total = total - weights.listwise * (sums / weights.temperature).log_softmax(0)[gold]
        if need != NONE:
            total = total + weights.need * need_loss(sums, need, weights.margin)
        return total

    def need(sums: Any) -> float:
        return float(normalised_entropy((sums / weights.temperature).log_softmax(0)))

    def shown(tokenizer: Any, pair: TokenPair) -> str:
        return f"{tokenizer.decode(pair.before)}⟦{tokenizer.decode(pair.question)}⟧"

    # The same text twice explains a question equally well whatever the model does.
    return Scoring(tokenize_pair, question_log_likelihood, loss, need, shown, lambda contexts: len(set(contexts)) > 1)


def need_loss(sums: Any, need: int, margin: float) -> Any:
    """Logistic loss of "the best candidate is less than `margin` nats ahead" for the label "needs clarification".

    Its slope is bounded. Cross-entropy of the entropy itself is not: items whose candidates are nearly equal then
    drown all others, and nothing is learnt (seen on CLAQUA).
    """
    import torch

    best, second = sums.topk(2).values
    ahead = best - second - margin
    return torch.nn.functional.softplus(ahead if need else -ahead)


def _explained(sums: Any, gold: int, need: int) -> Any:
    """The log-likelihood to raise: the gold candidate's; all of them where all fit; else the best."""
    if gold != NONE:
        return sums[gold]
    return sums.mean() if need else sums.max()


def normalised_entropy(log_p: Any) -> Any:
    """Entropy of a distribution over its maximum, 0 to 1 (methods.md, Ambiguity_E)."""
    import math

    return -(log_p.exp() * log_p).sum() / math.log(len(log_p))
