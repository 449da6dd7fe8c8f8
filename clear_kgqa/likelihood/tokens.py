"""Question tokens in a padded batch, and their log-likelihood under a causal language model; used to score
and to train.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clear_kgqa.likelihood.prompt import QUESTION_CUE, VERDICT_CUE, VERDICT_WORDS
from clear_kgqa_tools.errors import ConfigError

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class TokenPair:
    """What stands before a question, and the question, as token ids."""

    before: list[int]
    question: list[int]


@dataclass(frozen=True, slots=True)
class Batch:
    """Left-padded rows of shape (rows, width); `question` marks with 1 which of the last `tail` tokens are
    the question's.
    """

    ids: torch.Tensor
    attention: torch.Tensor
    question: torch.Tensor

    @property
    def tail(self) -> int:
        return int(self.question.shape[1])


def tokenize_pair(tokenizer: Any, context: str, question: str, context_tokens: int) -> TokenPair:
    """Context, cue and question, each tokenized by itself, so that every candidate sees the same question
    tokens.

    One BOS stands in front where the tokenizer uses one; the context is cut to `context_tokens`.
    """
    start = tokenizer("", add_special_tokens=True)["input_ids"][:1]
    bos = start if start and start[0] == tokenizer.bos_token_id else []
    cut = _plain(tokenizer, context)[:context_tokens]
    return TokenPair([*bos, *cut, *_plain(tokenizer, QUESTION_CUE)], _plain(tokenizer, f" {question}"))


def tokenize_verdict(tokenizer: Any, context: str, question: str, context_tokens: int) -> TokenPair:
    """The same with the verdict's cue at the end: what comes next says whether the question fits the context."""
    pair = tokenize_pair(tokenizer, context, question, context_tokens)
    return TokenPair(pair.before, [*pair.question, *_plain(tokenizer, VERDICT_CUE)])


def verdict_ids(tokenizer: Any) -> list[int]:
    """The tokens of "yes" and "no". Raises ConfigError where the vocabulary does not tell them apart by their first."""
    yes, no = (_plain(tokenizer, word)[-1] for word in VERDICT_WORDS)
    if yes == no:
        raise ConfigError("this tokenizer writes both verdicts with the same last token")
    return [yes, no]


def _plain(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def padded_batch(pairs: Sequence[TokenPair], pad_id: int) -> Batch:
    """All pairs in one batch, padded on the left, so that every question stands at its row's right edge."""
    import torch

    width = max(len(p.before) + len(p.question) for p in pairs)
    tail = max(len(p.question) for p in pairs)
    ids = torch.full((len(pairs), width), pad_id)
    attention = torch.zeros((len(pairs), width), dtype=torch.long)
    question = torch.zeros((len(pairs), tail))
    for row, pair in enumerate(pairs):
        tokens = pair.before + pair.question
        ids[row, width - len(tokens) :] = torch.tensor(tokens)
        attention[row, width - len(tokens) :] = 1
        question[row, tail - len(pair.question) :] = 1
    return Batch(ids, attention, question)


def question_log_likelihood(model: Any, batch: Batch) -> torch.Tensor:
    """For each row the sum of its question tokens' log-probabilities in nats, float32, differentiable."""
    import torch

    ids = batch.ids.to(model.device)
    logits = _last_logits(model, batch, batch.tail + 1)[:, -batch.tail - 1 : -1]
    losses = torch.nn.functional.cross_entropy(
        logits.float().flatten(0, 1), ids[:, -batch.tail :].flatten(), reduction="none"
    )
    return -(losses.view(batch.question.shape) * batch.question.to(model.device)).sum(1)


def fit_log_odds(model: Any, batch: Batch, verdict: Sequence[int]) -> torch.Tensor:
    """For each row of `tokenize_verdict` the log-odds of "yes" against "no", float32, differentiable."""
    logits = _last_logits(model, batch, 1)[:, -1].float()
    return logits[:, verdict[0]] - logits[:, verdict[1]]


def _last_logits(model: Any, batch: Batch, count: int) -> torch.Tensor:
    attention = batch.attention.to(model.device)
    logits: torch.Tensor = model(
        input_ids=batch.ids.to(model.device), attention_mask=attention,
        position_ids=(attention.cumsum(1) - 1).clamp(min=0), use_cache=False, logits_to_keep=count,
    ).logits  # fmt: skip
    return logits


def prepare_head(model: Any) -> None:
    """Make the output layer see contiguous rows: on a slice of positions torch's CPU kernel copies the whole
    vocabulary matrix once per row otherwise, which doubles the time of a forward pass (measured on
    SmolLM2).
    """
    model.get_output_embeddings().register_forward_pre_hook(lambda _, inputs: (inputs[0].contiguous(),))


def accepts_logits_to_keep(model: Any) -> bool:
    """Whether the model can leave out the logits of context tokens, which scoring relies on."""
    return "logits_to_keep" in inspect.signature(model.forward).parameters
