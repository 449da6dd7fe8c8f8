"""The published formula, by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from clear_kgqa.ambiguity.contexts import Contexts
from clear_kgqa.ambiguity.paper import PaperRecipe
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.nodes import Hop, Node
from clear_kgqa_tools.open_bundle import open_bundle

EX = "http://ex.org/"


class Fixed:
    """A likelihood that says the same sums whatever it is asked."""

    def __init__(self, *sums: float) -> None:
        self.sums = sums

    def score(self, question: str, contexts: list[str]) -> list[float]:
        return list(self.sums[: len(contexts)])


def pair(*popularity: float) -> list[Node]:
    return [Node(EX + f"heat{y}", "Heat", popularity=u) for y, u in zip((1995, 1986), popularity, strict=True)]


def test_prior_times_inverse_perplexity(bundle: GraphBundle) -> None:
    # two words: 1/PPL = exp(-4 / 2) and exp(-6 / 2); priors 4/6 and 2/6 after one more each
    found = PaperRecipe(Contexts(bundle), Fixed(-4.0, -6.0)).entity("directed Heat", pair(3, 1))
    first, second = 4 * math.exp(-2), 2 * math.exp(-3)
    assert found.posterior == pytest.approx((first / (first + second), second / (first + second)))
    p = found.posterior[0]
    assert found.score == pytest.approx(-(p * math.log(p) + (1 - p) * math.log(1 - p)) / math.log(2))


def test_ties_and_zero_popularity(bundle: GraphBundle) -> None:
    recipe = PaperRecipe(Contexts(bundle), Fixed(-4.0, -4.0))
    assert recipe.entity("directed Heat", pair(0, 0)).score == 1.0
    assert 0 < recipe.entity("directed Heat", pair(1e9, 0)).score < 1e-6


def test_intents_have_no_prior(bundle: GraphBundle) -> None:
    paths = [(Hop(EX + "director", "director", "out"),), (Hop(EX + "cast", "cast member", "out"),)]
    assert PaperRecipe(Contexts(bundle), Fixed(-4.0, -4.0)).intent("directed Heat", "Heat", paths).score == 1.0


INVERSE = """
@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
ex:directed rdfs:label "directed" ; owl:inverseOf ex:director . ex:director rdfs:label "director" ; rdfs:comment "who made it" .
ex:heat a ex:Film ; rdfs:label "Heat" ; ex:director ex:mann . ex:mann a ex:Person ; rdfs:label "Michael Mann" ; ex:directed ex:heat .
ex:heat ex:year "1995" .
"""


def test_a_predicate_and_its_inverse_are_one_intent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEAR_KGQA_CACHE", str(tmp_path / "cache"))
    (tmp_path / "g.ttl").write_text(INVERSE, encoding="utf-8")
    opened = open_bundle(str(tmp_path / "g.ttl"))
    try:
        contexts = Contexts(opened)
        out, back, year = (
            (Hop(EX + "director", "director", "out"),), (Hop(EX + "directed", "directed", "in"),), (Hop(EX + "year", "year", "out"),)
        )  # fmt: skip
        assert contexts.same_intent([out, back, year]) == [0, 0, 1]
        assert contexts.same_intent([(Hop(EX + "director", "director", "in"),), out]) == [0, 1]
        assert contexts.paths("Heat", [out]) == ["Heat: director (who made it)"]
        recipe = PaperRecipe(contexts, Fixed(-4.0, -4.0, -4.0))
        assert recipe.intent("directed Heat", "Heat", [out, back]).score == 0.0
        assert recipe.intent("directed Heat", "Heat", [out, back, year]).score == 1.0
    finally:
        opened.close()


def test_contexts_tell_candidates_apart(bundle: GraphBundle) -> None:
    first, second = Contexts(bundle).entities([EX + "heat1995", EX + "heat1986"])
    assert "director Michael Mann" in first and "cast member Al Pacino" in first
    assert "director Dick Richards" in second
    assert Contexts(bundle).entities([EX + "unknown"]) == [EX + "unknown"]
