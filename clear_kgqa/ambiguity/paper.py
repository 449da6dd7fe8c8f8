"""The published formula, read soundly: question tokens only, smoothed prior, posterior in log space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clear_kgqa.ambiguity.contexts import Contexts
from clear_kgqa.ambiguity.recipes import Ambiguity, Hops
from clear_kgqa.likelihood.protocol import LikelihoodScorer
from clear_kgqa.readings.paths import Doubles
from clear_kgqa.readings.posterior import entropy_score, softmax
from clear_kgqa_tools.nodes import Node


class PaperRecipe:
    """P(e|Q) from P(e) = u / sum u and P(Q|e) = 1 / PPL(Q | e); the score is H / log N (methods: the published scores).

    Perplexity is taken per word of the question, since a likelihood tells sums and not its own number of tokens.
    """

    def __init__(self, contexts: Contexts, likelihood: LikelihoodScorer) -> None:
        self._contexts = contexts
        self._likelihood = likelihood

    def entity(self, question: str, nodes: Sequence[Node]) -> Ambiguity:
        """See Recipe; every popularity counts one more, so that none is zero."""
        if not nodes:
            return Ambiguity(0.0, ())
        prior = np.log1p([max(n.popularity, 0.0) for n in nodes])
        return _ambiguity(prior + self._inverse_perplexity(question, self._contexts.entities([n.iri for n in nodes])))

    def intent(self, question: str, entity: str, paths: Sequence[Hops]) -> Ambiguity:
        """See Recipe; uniform prior, a predicate and its inverse are one intent."""
        if not paths:
            return Ambiguity(0.0, ())
        same = np.array(self._contexts.same_intent(paths))
        p = softmax(self._inverse_perplexity(question, self._contexts.paths(entity, paths)))
        return Ambiguity(entropy_score(merged(p, same)), tuple(map(float, p)))

    def _inverse_perplexity(self, question: str, contexts: list[str]) -> Doubles:
        """log(1 / PPL) per context: (contexts,)."""
        return np.array(self._likelihood.score(question, contexts)) / max(len(question.split()), 1)


def merged(p: Doubles, same: NDArray[np.intp]) -> Doubles:
    """The best probability of each group of candidates that are one and the same: (groups,), normalised."""
    best = np.zeros(int(same.max()) + 1)
    np.maximum.at(best, same, p)
    total: Doubles = best / best.sum()
    return total


def _ambiguity(scores: Doubles) -> Ambiguity:
    p = softmax(scores)
    return Ambiguity(entropy_score(p), tuple(map(float, p)))
