"""The published scores as the released code has them, faults included, for comparison (methods: known faults)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from clear_kgqa.ambiguity.contexts import Contexts
from clear_kgqa.ambiguity.paper import merged
from clear_kgqa.ambiguity.recipes import Ambiguity, Hops
from clear_kgqa.likelihood.protocol import LikelihoodScorer
from clear_kgqa.readings.paths import Doubles
from clear_kgqa.readings.posterior import entropy_score, softmax
from clear_kgqa_tools.folding import fold
from clear_kgqa_tools.nodes import Node

EXACT, PARTIAL = 0.7, 0.3
MOST_EXACT = 10


class PublishedCodeRecipe:
    """Two groups of candidates (names that several share, at most ten; names of one), each with its own prior,
    z-scores and entropy; 0.7 of the first and 0.3 of the second. A tie in one group alone scores its share only.

    The likelihood is PPL(text) / PPL(text and question). Intents are scored like one group, inverse pairs merged,
    since two names for one intent would say nothing about the scores.
    """

    def __init__(self, contexts: Contexts, likelihood: LikelihoodScorer) -> None:
        self._contexts = contexts
        self._likelihood = likelihood

    def entity(self, question: str, nodes: Sequence[Node]) -> Ambiguity:
        """See Recipe; candidates beyond the ten best known of the first group have no probability."""
        if not nodes:
            return Ambiguity(0.0, ())
        ratio = 1 / (1 + np.exp(-self._ratios(question, self._contexts.entities([n.iri for n in nodes]))))
        exact, partial = _groups(nodes)
        posterior, score, shares = np.zeros(len(nodes)), 0.0, 0.0
        for share, group in ((EXACT, exact), (PARTIAL, partial)):
            if group:
                prior = np.array([max(nodes[i].popularity, 0.0) + 1 for i in group])
                p = softmax(z_scores(prior / prior.sum() * ratio[group]))
                posterior[group] = share * p
                score += share * entropy_score(p)
                shares += share
        return Ambiguity(score, tuple(map(float, posterior / shares)))

    def intent(self, question: str, entity: str, paths: Sequence[Hops]) -> Ambiguity:
        """See Recipe."""
        if not paths:
            return Ambiguity(0.0, ())
        p = softmax(z_scores(self._ratios(question, self._contexts.paths(entity, paths))))
        same = np.array(self._contexts.same_intent(paths))
        return Ambiguity(entropy_score(merged(p, same)), tuple(map(float, p)))

    def _ratios(self, question: str, texts: list[str]) -> Doubles:
        """PPL(text) / PPL(text, question) per text, perplexities per word: (texts,)."""
        alone = np.array([self._likelihood.score(text, [""])[0] for text in texts])
        asked = np.array(self._likelihood.score(question, texts))
        words = np.array([max(len(text.split()), 1) for text in texts])
        together = (alone + asked) / (words + max(len(question.split()), 1))
        ratios: Doubles = np.exp(np.clip(together - alone / words, -50, 50))
        return ratios


def z_scores(values: Doubles) -> Doubles:
    """Values less their mean, over their standard deviation; zeros where all are equal."""
    spread = float(values.std())
    if spread <= 1e-12 * max(abs(float(values.mean())), math.ulp(1.0)):
        return np.zeros(len(values))
    scaled: Doubles = (values - values.mean()) / spread
    return scaled


def _groups(nodes: Sequence[Node]) -> tuple[list[int], list[int]]:
    """Indexes of the candidates whose name several share (the ten best known), and of the others."""
    shared = Counter(fold(n.label) for n in nodes)
    exact = [i for i, n in enumerate(nodes) if shared[fold(n.label)] > 1]
    exact.sort(key=lambda i: (-nodes[i].popularity, nodes[i].iri))
    return exact[:MOST_EXACT], [i for i, n in enumerate(nodes) if shared[fold(n.label)] == 1]
