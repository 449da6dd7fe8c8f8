"""The scoring recipes behind one interface: how ambiguous is a name, how ambiguous what is asked about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from clear_kgqa.ambiguity.contexts import Contexts
from clear_kgqa.events import Candidate, Score
from clear_kgqa.likelihood.protocol import LikelihoodScorer, context_style
from clear_kgqa.readings.posterior import Posterior
from clear_kgqa.readings.reading import Span
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.nodes import Hop, Node

Hops = tuple[Hop, ...]
SHOWN = 10
OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A score 0..1 with the probability of each candidate, in the order in which they were given."""

    score: float
    posterior: tuple[float, ...]


class Recipe(Protocol):
    """Scores candidates for a question. No candidates or one: 0."""

    def entity(self, question: str, nodes: Sequence[Node]) -> Ambiguity:
        """Which of the nodes that share a mention is meant."""
        ...

    def intent(self, question: str, entity: str, paths: Sequence[Hops]) -> Ambiguity:
        """Which of the paths from the entity (by its label) is asked for."""
        ...


def _paper(bundle: GraphBundle, likelihood: LikelihoodScorer, seed: int) -> Recipe:
    from clear_kgqa.ambiguity.paper import PaperRecipe

    return PaperRecipe(Contexts(bundle, context_style(likelihood)), likelihood)


def _published_code(bundle: GraphBundle, likelihood: LikelihoodScorer, seed: int) -> Recipe:
    from clear_kgqa.ambiguity.published_code import PublishedCodeRecipe

    return PublishedCodeRecipe(Contexts(bundle, context_style(likelihood)), likelihood)


def _calibrated(bundle: GraphBundle, likelihood: LikelihoodScorer, seed: int) -> Recipe:
    from clear_kgqa.ambiguity.compatibility import CompatibilityRecipe

    return CompatibilityRecipe(bundle, likelihood)


def _noise(bundle: GraphBundle, likelihood: LikelihoodScorer, seed: int) -> Recipe:
    from clear_kgqa.ambiguity.noise import NoiseRecipe

    return NoiseRecipe(seed)


RECIPES: dict[str, Callable[[GraphBundle, LikelihoodScorer, int], Recipe]] = {
    "calibrated": _calibrated, "paper": _paper, "published-code": _published_code, "noise": _noise,
}  # fmt: skip


def make_likelihood(
    spec: str, bundle: GraphBundle, base_url: str = "", neutral_share: float | None = None
) -> LikelihoodScorer:
    """The likelihood that `--likelihood` names. Raises ConfigError for unknown ones and models that cannot be loaded.

    `neutral_share` 0 leaves a language model's log-likelihoods uncorrected, as the published recipes had them.
    """
    if spec == OFFLINE:
        from clear_kgqa.ambiguity.offline_likelihood import OfflineLikelihood

        return OfflineLikelihood(bundle.similarity)
    from clear_kgqa.likelihood.open_likelihood import open_likelihood

    url = base_url or os.environ.get("OPENAI_BASE_URL", "")
    return open_likelihood(spec, url, os.environ.get("OPENAI_API_KEY", ""), neutral_share)


def make_recipe(name: str, bundle: GraphBundle, likelihood: str = OFFLINE, base_url: str = "", seed: int = 0) -> Recipe:
    """The recipe of that name over a graph; raises ConfigError for unknown names."""
    if name not in RECIPES:
        raise ConfigError(f"there is no scorer {name!r}: {', '.join(RECIPES)}")
    share = None if name == "calibrated" else 0.0
    return RECIPES[name](bundle, make_likelihood(likelihood, bundle, base_url, share), seed)


def recipe_scores(
    recipe: Recipe, posterior: Posterior, question: str, thresholds: tuple[float, float]
) -> tuple[list[Score], list[Score]]:
    """The entity scores per mention and the intent score by a recipe, for what is still open in the posterior.

    `thresholds` are those of entities and of intents. Candidates that replies have ruled out do not count.
    """
    spans: dict[Span, dict[str, Node]] = {}
    for reading in _open(posterior):
        for anchor in posterior.readings[reading].entities:
            spans.setdefault(anchor.span, {})[anchor.node.iri] = anchor.node
    entities = []
    for (start, end), nodes in sorted(spans.items()):
        found = recipe.entity(question, list(nodes.values()))
        named = [(n.iri, n.label) for n in nodes.values()]
        entities.append(_score(f"entity:{question[start:end].casefold()}", "entity", thresholds[0], named, found))
    return entities, _intent(recipe, posterior, question, thresholds[1])


def _open(posterior: Posterior) -> list[int]:
    return [i for i, p in enumerate(posterior.p) if p > 1e-9]


def _intent(recipe: Recipe, posterior: Posterior, question: str, threshold: float) -> list[Score]:
    """The score over the paths of the best reading's entities."""
    if posterior.best < 0:
        return []
    top = tuple(a.node.iri for a in posterior.readings[posterior.best].entities)
    paths: dict[Hops, None] = {}
    for i in _open(posterior):
        reading = posterior.readings[i]
        if tuple(a.node.iri for a in reading.entities) == top:
            hops = tuple(h for a in reading.anchors for h in a.hops) or (reading.order.hops if reading.order else ())
            paths[hops] = None
    entity = " and ".join(a.node.label for a in posterior.readings[posterior.best].entities)
    found = recipe.intent(question, entity, list(paths))
    named = [
        (" / ".join(("^" if h.direction == "in" else "") + h.property for h in p), ", ".join(h.label for h in p))
        for p in paths
    ]
    return [_score("intent", "intent", threshold, named, found)]


def _score(slot: str, kind: str, threshold: float, named: list[tuple[str, str]], found: Ambiguity) -> Score:
    ranked = sorted(zip(named, found.posterior, strict=True), key=lambda c: (-c[1], c[0]))
    shown = tuple(Candidate(iri, label, round(p, 4)) for (iri, label), p in ranked[:SHOWN])
    return Score(slot, kind, round(found.score, 4), threshold, shown)
