"""Noise is seeded, depends on the candidate alone, and behaves as noise does."""

from __future__ import annotations

import numpy as np

from clear_kgqa.ambiguity.noise import NoiseRecipe
from clear_kgqa_tools.nodes import Node

NODES = [Node("http://ex.org/a", "A"), Node("http://ex.org/b", "B"), Node("http://ex.org/c", "C")]


def test_the_seed_decides() -> None:
    assert NoiseRecipe(1).entity("q", NODES) == NoiseRecipe(1).entity("q", NODES)
    assert NoiseRecipe(1).entity("q", NODES) != NoiseRecipe(2).entity("q", NODES)
    assert NoiseRecipe(1).entity("q", NODES) != NoiseRecipe(1).entity("other", NODES)


def test_many_scores_look_like_noise() -> None:
    scores = [NoiseRecipe(0).entity(str(i), NODES).score for i in range(300)]
    assert 0.6 < float(np.mean(scores)) < 0.9
