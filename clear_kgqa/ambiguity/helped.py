"""The posterior over readings with a language model's word on which node of a mention the question is about."""

from __future__ import annotations

import numpy as np

from clear_kgqa.ambiguity.compatibility import TEMPERATURE
from clear_kgqa.ambiguity.contexts import Contexts
from clear_kgqa.likelihood.protocol import LikelihoodScorer
from clear_kgqa.readings.paths import Doubles
from clear_kgqa.readings.posterior import Posterior
from clear_kgqa.readings.reading import Reading, Span

Taken = tuple[Span, str]


def helped(posterior: Posterior, question: str, contexts: Contexts, likelihood: LikelihoodScorer) -> Posterior:
    """The readings, in their order, times the likelihood of the question given the nodes that they take.

    Only nodes that compete for one mention are scored, and the factors of a mention are one on average: readings that
    leave it out stay as probable as they were beside those that take it, and NULL keeps its chance. A mention with a
    score that is no finite number is left as it is. Raises EndpointError where a server is asked and fails.
    """
    total, taken = float(posterior.p.sum()), [_taken(r) for r in posterior.readings]
    if total <= 0:
        return posterior
    with np.errstate(divide="ignore"):
        logs = np.log(posterior.p)
    for masses in _rivals(posterior, taken):
        nodes = list(masses)
        nats = np.array(likelihood.score(question, contexts.entities([iri for _, iri in nodes]))) / TEMPERATURE
        if np.isfinite(nats).all():
            factors = dict(zip(nodes, nats - _mean(nats, np.array(list(masses.values()))), strict=True))
            logs += [sum(factors[t] for t in own if t in factors) for own in taken]
    p = np.exp(logs - logs.max())
    return posterior.with_p(p * (total / p.sum()), posterior.null)


def _taken(reading: Reading) -> list[Taken]:
    """The nodes of the graph, not the values, that a reading takes for its mentions."""
    return sorted({(a.span, a.node.iri) for a in reading.entities if a.value is None})


def _rivals(posterior: Posterior, taken: list[list[Taken]]) -> list[dict[Taken, float]]:
    """Per mention that two or more nodes compete for, the mass of the readings with each of them."""
    spans: dict[Span, dict[Taken, float]] = {}
    for own, p in zip(taken, posterior.p, strict=True):
        for node in own:
            masses = spans.setdefault(node[0], {})
            masses[node] = masses.get(node, 0.0) + float(p)
    return [dict(sorted(m.items())) for _, m in sorted(spans.items()) if len(m) > 1 and sum(m.values()) > 0]


def _mean(nats: Doubles, masses: Doubles) -> float:
    """The log of the likelihoods' mean, each weighed by its share of the masses."""
    top = nats[masses > 0].max()
    return float(top + np.log(np.exp(np.minimum(nats - top, 0)) @ masses / masses.sum()))
