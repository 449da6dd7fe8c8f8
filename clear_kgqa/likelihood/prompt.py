"""The text that question tokens are scored after, and the cache and neutral-question correction around every
model.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

QUESTION_CUE = "\nQuestion:"
VERDICT_CUE = "\nFits:"
VERDICT_WORDS = (" yes", " no")
"""What a model trained for verdicts is asked after the question, and the words it chooses from."""
NEUTRAL_QUESTION = "What can you tell me about it?"
NEUTRAL_SHARE = 0.5
_CACHED_PAIRS = 100_000

Pair = tuple[str, str]


class CorrectedScore:
    """log P(question | context) - share * log P(neutral question | context), cached per (context, question).

    The neutral question takes out how talkative a context is whatever is asked (models.md: half of it works
    best). `log_likelihoods` maps (context, question) pairs to sums over question tokens, all missing pairs in
    one call.
    """

    def __init__(
        self,
        log_likelihoods: Callable[[Sequence[Pair]], list[float]],
        neutral_share: float = NEUTRAL_SHARE,
        neutral_question: str = NEUTRAL_QUESTION,
    ) -> None:
        self._log_likelihoods = log_likelihoods
        self._share = neutral_share
        self._neutral = neutral_question
        self._cache: OrderedDict[Pair, float] = OrderedDict()
        self._lock = threading.Lock()

    def score(self, question: str, contexts: list[str]) -> list[float]:
        """See LikelihoodScorer; one call to the model for all that is not cached."""
        asked = [(context, question) for context in contexts]
        neutral = [(context, self._neutral) for context in contexts] if self._share else []
        with self._lock:
            known = self._look_up(dict.fromkeys(asked + neutral))
        return [known[a] - (self._share * known[(a[0], self._neutral)] if self._share else 0.0) for a in asked]

    def _look_up(self, pairs: dict[Pair, None]) -> dict[Pair, float]:
        missing = [pair for pair in pairs if pair not in self._cache]
        if missing:
            self._cache.update(zip(missing, self._log_likelihoods(missing), strict=True))
        for pair in pairs:
            self._cache.move_to_end(pair)
        known = {pair: self._cache[pair] for pair in pairs}
        while len(self._cache) > _CACHED_PAIRS:
            self._cache.popitem(last=False)
        return known
