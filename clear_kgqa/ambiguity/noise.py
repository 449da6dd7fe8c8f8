"""Noise in the place of scores: what every other recipe has to beat."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from clear_kgqa.ambiguity.recipes import Ambiguity, Hops
from clear_kgqa.readings.posterior import entropy_score, softmax
from clear_kgqa_tools.nodes import Node


class NoiseRecipe:
    """The entropy of a softmax over standard normal noise that depends on seed, question and candidate alone."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def entity(self, question: str, nodes: Sequence[Node]) -> Ambiguity:
        """See Recipe."""
        return self._ambiguity(question, [n.iri for n in nodes])

    def intent(self, question: str, entity: str, paths: Sequence[Hops]) -> Ambiguity:
        """See Recipe."""
        return self._ambiguity(f"{question}\0{entity}", [" ".join(h.direction + h.property for h in p) for p in paths])

    def _ambiguity(self, question: str, names: list[str]) -> Ambiguity:
        p = softmax(np.array([self._normal(question, name) for name in names]))
        return Ambiguity(entropy_score(p), tuple(map(float, p)))

    def _normal(self, question: str, name: str) -> float:
        digest = hashlib.sha256(f"{self._seed}\0{question}\0{name}".encode("utf-8", "replace")).digest()
        return float(np.random.default_rng(int.from_bytes(digest[:8])).standard_normal())
