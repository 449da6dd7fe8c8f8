"""The published entity and intent scores, derived from the joint posterior (methods: thresholds 0.6 / 0.8)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from clear_kgqa.events import Candidate, Score
from clear_kgqa.readings.posterior import Posterior, entropy_score
from clear_kgqa.readings.reading import Span, hop_words

SHOWN = 10


def entity_scores(posterior: Posterior, question: str, threshold: float) -> list[Score]:
    """Ambiguity_E = H(marginal over the nodes of a mention) / log N, per mention."""
    spans: dict[Span, dict[str, tuple[str, float]]] = {}
    for reading, p in zip(posterior.readings, posterior.p, strict=True):
        for anchor in reading.entities:
            held = spans.setdefault(anchor.span, {})
            label, mass = held.get(anchor.node.iri, (anchor.node.label, 0.0))
            held[anchor.node.iri] = (label, mass + float(p))
    out = []
    for (start, end), masses in sorted(spans.items()):
        name = question[start:end].casefold()
        out.append(_score(f"entity:{name}", "entity", threshold, [(i, n, m) for i, (n, m) in masses.items()]))
    return out


def intent_score(posterior: Posterior, threshold: float) -> list[Score]:
    """Ambiguity_I = H(P(path, direction | the most probable entities)) / log N."""
    by_entity: dict[tuple[str, ...], float] = {}
    for reading, p in zip(posterior.readings, posterior.p, strict=True):
        key = tuple(a.node.iri for a in reading.entities)
        by_entity[key] = by_entity.get(key, 0.0) + float(p)
    if not by_entity:
        return []
    top = max(by_entity, key=lambda k: by_entity[k])
    paths: dict[str, tuple[str, float]] = {}
    for reading, p in zip(posterior.readings, posterior.p, strict=True):
        if tuple(a.node.iri for a in reading.entities) != top:
            continue
        key_ = " / ".join(("^" if d == "in" else "") + iri for iri, d in reading.path_key)
        hops = tuple(h for a in reading.anchors for h in a.hops) or (reading.order.hops if reading.order else ())
        label, mass = paths.get(key_, (hop_words(hops), 0.0))
        paths[key_] = (label, mass + float(p))
    return [_score("intent", "intent", threshold, [(k, n, m) for k, (n, m) in paths.items()])]


def _score(slot: str, kind: str, threshold: float, masses: Iterable[tuple[str, str, float]]) -> Score:
    ranked = sorted(masses, key=lambda m: (-m[2], m[0]))
    values = np.array([m for _, _, m in ranked])
    total = float(values.sum()) or 1.0
    shown = tuple(Candidate(i, n, round(m / total, 4)) for i, n, m in ranked[:SHOWN])
    return Score(slot, kind, round(entropy_score(values), 4), threshold, shown)
