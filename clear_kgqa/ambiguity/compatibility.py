"""Compatibility: can what a question asks be asked of each candidate? The stronger evidence than any description."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clear_kgqa.ambiguity.contexts import Contexts
from clear_kgqa.ambiguity.offline_likelihood import OfflineLikelihood
from clear_kgqa.ambiguity.paper import merged
from clear_kgqa.ambiguity.recipes import Ambiguity, Hops
from clear_kgqa.likelihood.protocol import LikelihoodScorer, context_style
from clear_kgqa.readings.paths import Doubles, Floats, PropertySpace
from clear_kgqa.readings.posterior import entropy_score, softmax
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.search_graph_pattern import SearchGraphPattern

NATS_PER_COSINE = 10.0
TEMPERATURE = 2.0  # of a language model's sums (models.md)
OVERLAP = 0.1  # weight of shared types; by itself it tells 0.82 of single-turn pairs apart
SHARED = 0.1  # weight of what both can be asked among what either can be asked, by its nearness to the question
_MIDDLE, _STEEP = 0.05, 16.0  # where the shortfall of the weaker candidate is a coin's toss, and how fast that turns
_NOTHING = -0.2  # the similarity of a candidate of which nothing can be asked
_SOFT = 0.06


class Compatibility:
    """What can be asked of the nodes of one graph, and how near that is to a question.

    A node's own predicates count where the graph holds facts of it, else the properties whose domain is one of its
    types.
    """

    def __init__(self, bundle: GraphBundle) -> None:
        self.space = PropertySpace(bundle)
        self._patterns = SearchGraphPattern(bundle)
        hidden = {*bundle.profile.hidden, *self.space.type_predicates}
        self.asked = np.array([p.iri not in hidden for p in self.space.properties], bool)
        self._by_type: dict[str, list[int]] = {}
        for at, p in enumerate(self.space.properties):
            for iri in p.domains:
                self._by_type.setdefault(iri, []).append(at)

    def similarity(self, question: str, nodes: Sequence[Node]) -> Floats:
        """Cosine of the question, mentions masked, with every property of the graph: (properties,)."""
        masked = masked_question(question, [n.matched or n.label for n in nodes])
        result: Floats = self.space.similarity(self.space.bundle.similarity.encode([masked]))[0]
        return result

    def askable(self, nodes: Sequence[Node]) -> NDArray[np.bool_]:
        """Which properties each node has or may have: (nodes, properties)."""
        around = self._patterns.around([n.iri for n in nodes])
        out = np.zeros((len(nodes), len(self.space.properties)), bool)
        for row, node in zip(out, nodes, strict=True):
            own = [
                self.space.index[h.property]
                for p in around.get(node.iri, ())
                for h in p.hops
                if h.property in self.space.index
            ]
            row[own] = True
            row &= self.asked
            if not row.any():
                row[[at for iri in node.type_iris for at in self._by_type.get(iri, ())]] = True
                row &= self.asked
        return out

    def evidence(self, question: str, nodes: Sequence[Node]) -> dict[str, float]:
        """What is known of two or more candidates, by name (see `evidence`)."""
        return evidence(self.similarity(question, nodes), self.askable(nodes), self.asked, nodes)


def masked_question(question: str, names: Sequence[str]) -> str:
    """The question without the names of its candidates."""
    text = question
    for name in sorted({n for n in names if n}, key=lambda n: (-len(n), n)):
        text = re.sub(re.escape(name), " ", text, flags=re.IGNORECASE)
    return " ".join(text.split()).strip(" ?!.") or question


def evidence(near: Floats, can: NDArray[np.bool_], asked: NDArray[np.bool_], nodes: Sequence[Node]) -> dict[str, float]:
    """Named evidence that two candidates both fit (higher: more ambiguous), from the two that fit best.

    `near` (properties,), `can` (nodes, properties), `asked` (properties,): see Compatibility.
    """
    best = np.array([near[row].max(initial=_NOTHING) for row in can])
    first, second = sorted(range(len(nodes)), key=lambda i: (-float(best[i]), nodes[i].iri))[:2]
    both, either = can[first] & can[second], can[first] | can[second]
    top = float(near[asked].max(initial=_NOTHING))
    types = [set(nodes[i].type_iris) for i in (first, second)]
    return {
        "shortfall": float(best[second]) - top,
        "best": float(best[first]) - top,
        "difference": float(best[first] - best[second]),
        "shared": float(near[both].max(initial=_NOTHING) - near[either].max(initial=_NOTHING)),
        "shared_soft": _share(near, both, either),
        "overlap": len(types[0] & types[1]) / (len(types[0] | types[1]) or 1),
        "askable_overlap": float(both.sum() / (either.sum() or 1)),
        "top": top,
    }


def _share(near: Floats, both: NDArray[np.bool_], either: NDArray[np.bool_]) -> float:
    """How much of the probability of what either can be asked lies on what both can be asked."""
    weight = np.exp((near - near.max(initial=0.0)) / _SOFT)
    total = float(weight[either].sum())
    return float(weight[both].sum()) / total if total else 0.0


class CompatibilityRecipe:
    """`calibrated` where there are candidates but no readings: compatibility, shared types and, with a language
    model, its log-likelihoods. Nothing in it is trained; a graph's readings have the joint posterior instead.
    """

    def __init__(self, bundle: GraphBundle, likelihood: LikelihoodScorer) -> None:
        self.compatibility = Compatibility(bundle)
        self._contexts = Contexts(bundle, context_style(likelihood))
        # The offline likelihood is the same embedder over weaker texts: it would only blur compatibility.
        self._likelihood = None if isinstance(likelihood, OfflineLikelihood) else likelihood

    def entity(self, question: str, nodes: Sequence[Node]) -> Ambiguity:
        """See Recipe; the score is the chance that at least two candidates fit, 1 where all are alike."""
        if len(nodes) < 2:
            return Ambiguity(0.0, (1.0,) * len(nodes))
        near, can = self.compatibility.similarity(question, nodes), self.compatibility.askable(nodes)
        found = evidence(near, can, self.compatibility.asked, nodes)
        fit = np.array([near[row].max(initial=_NOTHING) for row in can], np.float64)
        logits = NATS_PER_COSINE * fit + self._nats(question, nodes)
        p = softmax(logits)
        ranked = np.sort(logits - NATS_PER_COSINE * fit)
        spread = float(ranked[-1] - ranked[-2]) / NATS_PER_COSINE
        shortfall = found["shortfall"] + OVERLAP * found["overlap"] + SHARED * found["shared_soft"] - spread
        score = 1 / (1 + np.exp(-_STEEP * (shortfall + _MIDDLE)))
        return Ambiguity(1.0 if _alike(nodes, can, p) else float(score), tuple(map(float, p)))

    def _nats(self, question: str, nodes: Sequence[Node]) -> Doubles:
        if self._likelihood is None:
            return np.zeros(len(nodes))
        contexts = self._contexts.entities([n.iri for n in nodes])
        return np.array(self._likelihood.score(question, contexts)) / TEMPERATURE

    def intent(self, question: str, entity: str, paths: Sequence[Hops]) -> Ambiguity:
        """See Recipe; the entropy over the cosines of the paths."""
        if not paths:
            return Ambiguity(0.0, ())
        near = self.compatibility.similarity(question, [Node("", entity)])
        p = softmax(
            NATS_PER_COSINE * np.array([self.compatibility.space.path_similarity(near, path) for path in paths])
        )
        same = np.array(self._contexts.same_intent(paths))
        return Ambiguity(entropy_score(merged(p, same)), tuple(map(float, p)))


def _alike(nodes: Sequence[Node], can: NDArray[np.bool_], p: Doubles) -> bool:
    """Whether nothing that the graph says tells the candidates apart."""
    told = {(n.label, n.type_iris, n.description) for n in nodes}
    return len(told) == 1 and bool((can == can[0]).all() and np.all(p == p[0]))
