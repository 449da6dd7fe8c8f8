"""Likelihood by any causal language model in transformers, with an optional LoRA adapter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clear_kgqa.likelihood.adapter import AdapterCard, read_card, with_adapter
from clear_kgqa.likelihood.context import ContextStyle
from clear_kgqa.likelihood.prompt import NEUTRAL_SHARE, CorrectedScore, Pair
from clear_kgqa.likelihood.tokens import (
    accepts_logits_to_keep,
    fit_log_odds,
    padded_batch,
    prepare_head,
    question_log_likelihood,
    tokenize_pair,
    tokenize_verdict,
    verdict_ids,
)
from clear_kgqa.likelihood.weights import load_causal_lm, load_tokenizer, weights_source
from clear_kgqa_tools.errors import ConfigError

CONTEXT_TOKENS = 256
_ROWS = 128


class HuggingFaceLikelihood(CorrectedScore):
    """log P(question | context) by "MODEL" or "MODEL+ADAPTER" (hub id, folder or GGUF; adapter folder).

    All candidates go through one padded batch. An adapter's card sets how long contexts may be and how much
    of the neutral question is taken off, as it was trained; `context_style` says which contexts it knows.
    One that was trained for verdicts gives the log of the chance that the question fits the candidate instead.
    Raises ConfigError for wrong models, adapters or pairs of them.
    """

    def __init__(self, spec: str, cache: Path | None = None, neutral_share: float | None = None) -> None:
        base, adapter = split_spec(spec)
        source = weights_source(base, cache)
        card = read_card(adapter) if adapter else None
        self.context_style: ContextStyle = card.context_style if card else "full"
        self._context_tokens = card.context_tokens if card else CONTEXT_TOKENS
        self._tokenizer = load_tokenizer(source)
        self._model = _ready_model(source, adapter)
        self._pad = pad_id(self._tokenizer)
        self._verdict = verdict_ids(self._tokenizer) if card and card.verdict else None
        super().__init__(self._sums, 0.0 if self._verdict else _share(neutral_share, card))

    def _sums(self, pairs: Sequence[Pair]) -> list[float]:
        import torch

        with torch.inference_mode():
            starts = range(0, len(pairs), _ROWS)
            return [value for at in starts for value in self._one_batch(pairs[at : at + _ROWS])]

    def _one_batch(self, pairs: Sequence[Pair]) -> list[float]:
        tokenize = tokenize_verdict if self._verdict else tokenize_pair
        rows = [tokenize(self._tokenizer, context, question, self._context_tokens) for context, question in pairs]
        batch = padded_batch(rows, self._pad)
        if self._verdict:
            from torch.nn.functional import logsigmoid

            return list(logsigmoid(fit_log_odds(self._model, batch, self._verdict)).tolist())
        return list(question_log_likelihood(self._model, batch).tolist())


def split_spec(spec: str) -> tuple[str, Path | None]:
    """ "MODEL+ADAPTER" as its parts; a folder whose own name holds a plus is a model without adapter."""
    base, plus, adapter = spec.rpartition("+")
    if not plus or Path(spec).exists():
        return spec, None
    return base, Path(adapter).expanduser()


def pad_id(tokenizer: Any) -> int:
    """An id to pad with; masked everywhere, so any will do where the tokenizer names none."""
    pad = tokenizer.pad_token_id
    return int(pad if pad is not None else tokenizer.eos_token_id or 0)


def _share(given: float | None, card: AdapterCard | None) -> float:
    if given is not None:
        return given
    return card.neutral_share if card else NEUTRAL_SHARE


def _ready_model(source: str, adapter: Path | None) -> Any:
    import torch

    on_gpu = torch.cuda.is_available()
    model = load_causal_lm(source, "bfloat16" if on_gpu else "float32").to("cuda" if on_gpu else "cpu")
    if not accepts_logits_to_keep(model):
        raise ConfigError(f"{source}: {type(model).__name__} cannot leave out the logits of context tokens")
    if adapter:
        # Merged only where nothing is lost by it: small updates vanish in bf16 weights.
        model = with_adapter(model, adapter)
        model = model if on_gpu else model.merge_and_unload()
    prepare_head(model)
    return model.eval()
