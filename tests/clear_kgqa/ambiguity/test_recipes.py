"""Properties that every recipe keeps, and the likelihoods behind them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clear_kgqa.ambiguity.plugin import AmbiguityPlugin
from clear_kgqa.ambiguity.recipes import RECIPES, Recipe, make_likelihood, make_recipe
from clear_kgqa.readings.reader import Reader
from clear_kgqa.settings import load_settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.nodes import Hop, Node

EX = "http://ex.org/"
HEAT = [Node(EX + "heat1995", "Heat", popularity=3), Node(EX + "heat1986", "Heat", popularity=0)]
names = st.sampled_from(["paris", "lyon", "heat1995", "heat1986", "springfieldIL", "springfieldMO", "unknown"])
candidates = st.lists(
    st.builds(Node, names.map(EX.__add__), names, popularity=st.sampled_from([0.0, 1.0, 1e6])),
    max_size=5, unique_by=lambda n: n.iri,
)  # fmt: skip
questions = st.sampled_from(["Who directed Heat?", "population of Paris", "", "?", "\u202e"])


@pytest.fixture(params=sorted(RECIPES))
def recipe(request: pytest.FixtureRequest, bundle: GraphBundle) -> Iterator[Recipe]:
    yield make_recipe(request.param, bundle)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=questions, nodes=candidates)
def test_scores_and_posteriors_are_sound(recipe: Recipe, question: str, nodes: list[Node]) -> None:
    found = recipe.entity(question, nodes)
    assert 0.0 <= found.score <= 1.0
    assert len(found.posterior) == len(nodes)
    assert all(0.0 <= p <= 1.0 for p in found.posterior)
    assert not nodes or math.isclose(sum(found.posterior), 1.0)
    if len(nodes) < 2:
        assert found.score == 0.0


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=questions, nodes=candidates)
def test_the_order_of_candidates_changes_nothing(recipe: Recipe, question: str, nodes: list[Node]) -> None:
    forth, back = recipe.entity(question, nodes), recipe.entity(question, nodes[::-1])
    assert math.isclose(forth.score, back.score, abs_tol=1e-6)
    assert forth.posterior == pytest.approx(back.posterior[::-1], abs=1e-6)


def test_intents_of_one_path_or_none_are_not_ambiguous(recipe: Recipe) -> None:
    director = (Hop(EX + "director", "director", "out"),)
    assert recipe.intent("who directed Heat", "Heat", []).score == 0.0
    assert recipe.intent("who directed Heat", "Heat", [director]).score == 0.0
    two = recipe.intent("who directed Heat", "Heat", [director, (Hop(EX + "cast", "cast member", "out"),)])
    assert 0.0 < two.score < 1.0
    assert math.isclose(sum(two.posterior), 1.0)


def test_the_chosen_recipe_fills_the_scores_of_the_plugin(reader: Reader) -> None:
    question = "who directed Heat"
    mentions = reader.mentions(question)
    posterior = reader.read(question, mentions).posterior
    found = {}
    for name in RECIPES:
        scores = AmbiguityPlugin(reader, load_settings(scorer=name)).scores(posterior, question)
        assert [s.kind for s in scores] == ["entity", "intent"]
        assert scores[0].threshold == 0.6 and scores[1].threshold == 0.8
        found[name] = scores[0].score
    assert len(set(found.values())) == len(RECIPES)
    quiet = AmbiguityPlugin(reader, load_settings(scorer="paper", no_entity=True))
    assert [s.kind for s in quiet.scores(posterior, question)] == ["intent"]


def test_the_offline_likelihood_prefers_what_the_facts_say(bundle: GraphBundle) -> None:
    likelihood = make_likelihood("offline", bundle)
    contexts = ["Heat (film). has director Michael Mann. 1995 film", "Heat (physics). energy in transfer"]
    film, physics = likelihood.score("Who directed Heat?", contexts)
    assert physics < film < 0
    assert likelihood.score("Who directed Heat?", []) == []
    assert all(map(math.isfinite, likelihood.score("", ["", "x"])))


def test_unknown_names_are_told(bundle: GraphBundle) -> None:
    with pytest.raises(ConfigError, match="no scorer 'papr'"):
        make_recipe("papr", bundle)
    for spec in ("online", "hf:", "openai:"):
        with pytest.raises(ConfigError, match="no likelihood"):
            make_likelihood(spec, bundle)
