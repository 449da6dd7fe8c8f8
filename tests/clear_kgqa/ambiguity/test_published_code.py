"""The recipe of the released code: groups, z-scores and the faults that come with them."""

from __future__ import annotations

import numpy as np
import pytest

from clear_kgqa.ambiguity.contexts import Contexts
from clear_kgqa.ambiguity.offline_likelihood import OfflineLikelihood
from clear_kgqa.ambiguity.published_code import PublishedCodeRecipe, z_scores
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.nodes import Node

EX = "http://ex.org/"


@pytest.fixture
def recipe(bundle: GraphBundle) -> PublishedCodeRecipe:
    return PublishedCodeRecipe(Contexts(bundle), OfflineLikelihood(bundle.similarity))


def node(name: str, label: str, popularity: float = 0.0) -> Node:
    return Node(EX + name, label, popularity=popularity)


def test_two_unequal_candidates_score_the_same_whatever_their_difference(recipe: PublishedCodeRecipe) -> None:
    for popularity in (1.0, 1e9):
        found = recipe.entity("who directed Heat", [node("heat1995", "Heat", popularity), node("heat1986", "Heat")])
        assert found.score == pytest.approx(0.7 * 0.527, abs=1e-3)


def test_without_a_shared_name_no_score_reaches_the_threshold(recipe: PublishedCodeRecipe) -> None:
    found = recipe.entity("population", [node("paris", "Paris"), node("lyon", "Lyon"), node("nice", "Nice")])
    assert found.score <= 0.3


def test_both_groups_add_up(recipe: PublishedCodeRecipe) -> None:
    nodes = [node("unknown1", "X"), node("unknown2", "X"), node("unknown3", "Y"), node("unknown4", "Z")]
    tied = [Node(n.iri, n.label) for n in nodes]
    found = recipe.entity("", tied)
    assert 0.0 < found.score <= 1.0
    assert sum(found.posterior[:2]) == pytest.approx(0.7)


def test_at_most_ten_of_a_name_count(recipe: PublishedCodeRecipe) -> None:
    nodes = [node(f"x{i}", "X", popularity=i) for i in range(14)]
    found = recipe.entity("X", nodes)
    assert [p > 0 for p in found.posterior] == [False] * 4 + [True] * 10


def test_z_scores() -> None:
    assert z_scores(np.array([1.0, 3.0])) == pytest.approx([-1.0, 1.0])
    assert z_scores(np.array([2.0, 2.0])).tolist() == [0.0, 0.0]
    assert z_scores(np.array([0.1, 0.1, 0.1])).tolist() == [0.0, 0.0, 0.0]
    assert np.isfinite(z_scores(np.array([0.0, 1e-300]))).all()
