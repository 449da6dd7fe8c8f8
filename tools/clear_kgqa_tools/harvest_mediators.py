"""Which properties lead to mediators: nodes that stand for a relation or a structured value, not for a thing.

Two signs. A node without a name of its own that carries facts (Freebase CVT, Wikidata statement, blank node).
Or a node that belongs to one subject alone and whose label only repeats its own values ("1.63 EUR" with the
amount 1.63 and the currency EUR): exporters write such labels for lack of a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyoxigraph as ox

from clear_kgqa_tools.harvest import Harvest
from clear_kgqa_tools.harvest_facts import PropertyFacts
from clear_kgqa_tools.harvest_names import local_part, opaque
from clear_kgqa_tools.terms import RDF_TYPE

_LOOKED_AT = 60
_MOST = 0.8
_TOKEN = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d]+")


class Mediators:
    """Decides for each property whether it leads to mediators or away from them, by a sample of its ends."""

    def __init__(self, harvest: Harvest, store: ox.Store) -> None:
        self._harvest = harvest
        self._store = store
        profile = harvest.profile
        self._texts = {*profile.labels, *profile.aliases, *profile.descriptions}
        self._types = {*profile.type_predicates, RDF_TYPE}
        self._kinds = set(profile.mediator_types)
        subjects = [iri for iri, node in harvest.nodes.items() if node.outgoing]
        named = sum(harvest.is_named(iri) for iri in subjects)
        # Where hardly anything has a label, the lack of one says nothing.
        self._labelled = 2 * named >= len(subjects)

    def reached_by(self, predicate: str, facts: PropertyFacts) -> bool:
        """Whether most sampled objects of the property are mediators."""
        if self._structural(predicate):
            return False
        sample = facts.sample[:_LOOKED_AT]
        objects = [o for _, o, kind in sample if kind in ("iri", "bnode")]
        return len(objects) > _MOST * len(sample) and self._mostly(objects)

    def left_by(self, predicate: str, facts: PropertyFacts) -> bool:
        """Whether most sampled subjects of the property are mediators."""
        return not self._structural(predicate) and self._mostly([s for s, _, _ in facts.sample[:_LOOKED_AT]])

    def _structural(self, predicate: str) -> bool:
        profile = self._harvest.profile
        return predicate in self._types or predicate in profile.subclass or predicate in profile.hidden

    def _mostly(self, nodes: list[str]) -> bool:
        return sum(map(self._mediator, nodes)) >= _MOST * len(nodes) > 0

    def _mediator(self, iri: str) -> bool:
        node = self._harvest.nodes[iri]
        if not node.incoming or not node.outgoing or iri in self._harvest.instances:
            return False
        if self._kinds.intersection(node.types):
            return True
        if iri.startswith("_:"):
            return any(self._facts(iri))
        if self._harvest.is_named(iri):
            return node.incoming == 1 and self._repeats_values(iri, node.label)
        return (self._labelled or opaque(iri)) and any(self._facts(iri))

    def _facts(self, iri: str) -> Iterator[ox.Quad]:
        subject = ox.BlankNode(iri[2:]) if iri.startswith("_:") else ox.NamedNode(iri)
        for quad in self._store.quads_for_pattern(subject, None, None, None):
            if quad.predicate.value not in self._types:
                yield quad

    def _repeats_values(self, iri: str, label: str) -> bool:
        tokens = _tokens(label)
        if not any(c.isdigit() for c in label):
            return False
        values: set[str] = set()
        facts = [q for q in self._facts(iri) if q.predicate.value not in self._texts]
        for quad in facts:
            target = quad.object
            text = local_part(target.value) if isinstance(target, ox.NamedNode) else str(getattr(target, "value", ""))
            values |= _tokens(text)
        return len(facts) > 1 and tokens <= values


def _tokens(text: str) -> set[str]:
    """Words and numbers of a text, a number without regard to its decimal sign and trailing zeros."""
    found = (token.replace(",", ".") for token in _TOKEN.findall(text.casefold()))
    return {token.rstrip("0").rstrip(".") if "." in token else token for token in found}
