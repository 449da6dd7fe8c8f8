"""A likelihood without a language model: how near a question is to what a context says, by the embedder."""

from __future__ import annotations

import re

import numpy as np

from clear_kgqa_tools.similarity import Similarity

NATS_PER_WORD = 5.0
NATS_PER_COSINE = 10.0
"""Weight of the cosine against log-likelihoods in nats (models.md: which likelihood tells entities apart)."""

_PARTS = re.compile(r"\. (?:has )?|, ")


class OfflineLikelihood:
    """Log-likelihood-like scores: the cosine of the question with a context and with the part of it that fits best.

    Parts are what `entity_contexts` puts together: name with types, each fact, the sentences of the description.
    """

    def __init__(self, similarity: Similarity) -> None:
        self._similarity = similarity

    def score(self, question: str, contexts: list[str]) -> list[float]:
        """Nats per context (see LikelihoodScorer): a constant per word of the question plus what the cosine gives."""
        if not contexts:
            return []
        parts = [[c, *(p for p in _PARTS.split(c) if p)] for c in contexts]
        texts = list(dict.fromkeys(p for own in parts for p in own))
        asked = self._similarity.encode([question])[0]
        near = dict(zip(texts, (self._similarity.encode(texts) @ asked).tolist(), strict=True))
        floor = -NATS_PER_WORD * max(len(question.split()), 1)
        return [
            floor + NATS_PER_COSINE * float(np.mean([near[own[0]], max(map(near.__getitem__, own))])) for own in parts
        ]
