"""The homonym injector: a labelled clarification benchmark from any graph and questions, by merging labels.

For a question about an entity another node, of the same type or of a different one, is given the entity's label.
What tells the two apart (types, descriptions, facts) stays. A question needs a clarification where the gold query
about the other node has answers too, and others.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import pyoxigraph as ox

from clear_kgqa.evaluation.query_shape import shape_of
from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.evaluation.values import answers_of
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import LimitExceeded, QueryError
from clear_kgqa_tools.folding import fold
from clear_kgqa_tools.graph import CheckedQuery, trusted
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.safety_tokens import declared, expand, significant, tokens
from clear_kgqa_tools.terms import iri_ref

Kind = Literal["same", "different", "both"]
MOST_OFFERED = 2000
_TRIES = 12


@dataclass(frozen=True, slots=True)
class Homonym:
    """One merged label: `iri` is named `label` from now on, like the `entity` that a question is about."""

    iri: str
    label: str
    entity: str
    same_type: bool


@dataclass(frozen=True)
class Injected:
    """The benchmark: samples with candidates, intended entity and label; and the labels that were merged."""

    samples: list[Sample]
    homonyms: list[Homonym]


def inject(
    bundle: GraphBundle,
    samples: Sequence[Sample],
    check: Callable[[str], CheckedQuery],
    kind: Kind = "both",
    seed: int = 0,
) -> Injected:
    """One homonym for every entity that a question names; questions that name none stay as they are.

    "both" takes either kind at even chances. The same seed gives the same benchmark. No node that a gold query
    names gets another label.
    """
    return _Injector(bundle, samples, check, kind, seed).run()


class _Injector:
    def __init__(
        self,
        bundle: GraphBundle,
        samples: Sequence[Sample],
        check: Callable[[str], CheckedQuery],
        kind: Kind,
        seed: int,
    ) -> None:
        self._bundle, self._samples, self._check = bundle, samples, check
        self._kind, self._rng = kind, random.Random(seed)
        self._offered: dict[tuple[str, str], list[str]] = {}
        self._homonyms: dict[str, Homonym] = {}
        self._queries = [self._complete(s) for s in samples]
        self._taken = {n for q in self._queries if q for n in shape_of(q.text).nodes}

    def run(self) -> Injected:
        pairs = zip(self._samples, self._queries, strict=True)
        samples = [self._with_homonym(s, q) if q else s for s, q in pairs]
        return Injected(samples, list(self._homonyms.values()))

    def _complete(self, sample: Sample) -> CheckedQuery | None:
        try:
            query = self._check(sample.sparql) if sample.sparql else None
            return query if query and shape_of(query.text) else None
        except QueryError:
            return None

    def _with_homonym(self, sample: Sample, query: CheckedQuery) -> Sample:
        entity = self._named(sample, query)
        if entity is None:
            return sample
        made = self._homonyms.get(entity.iri) or self._make(entity, query)
        if made is None:
            return sample
        self._homonyms[entity.iri] = made
        needs = self._needs(query, made)
        return replace(sample, candidates=(entity.iri, made.iri), intended=entity.iri, needs_clarification=needs)

    def _named(self, sample: Sample, query: CheckedQuery) -> Node | None:
        """The entity of the gold query whose label, longest first, stands in the question."""
        text = f" {fold(sample.question)} "
        classes = self._bundle.schema.class_by_iri
        nodes = self._bundle.nodes.describe([n for n in shape_of(query.text).nodes if n not in classes])
        named = [n for n in nodes.values() if n.label and fold(n.label) in text]
        return max(named, key=lambda n: (len(n.label), n.iri), default=None)

    def _make(self, entity: Node, query: CheckedQuery) -> Homonym | None:
        """A labelled node that no question is about, under the entity's label.

        Of the same type one that the question makes sense of, if some tries find it: others are told apart by facts.
        """
        same = self._kind == "same" or (self._kind == "both" and self._rng.random() < 0.5)
        types = [
            (c.predicate, c.iri)
            for c in self._bundle.schema.classes
            if (c.iri in entity.type_iris) == same and c.count > 1
        ]
        found = None
        for _ in range(_TRIES if types else 0):
            instances = self._instances(*self._rng.choice(types))
            iri = self._rng.choice(instances) if instances else ""
            if iri and iri not in self._taken and self._fits(iri, entity, same):
                found = Homonym(iri, entity.label, entity.iri, same)
                if not same or self._needs(query, found):
                    break
        if found:
            self._taken.add(found.iri)
        return found

    def _fits(self, iri: str, entity: Node, same: bool) -> bool:
        node = self._bundle.nodes.describe([iri]).get(iri)
        shared = node is not None and bool(set(node.type_iris) & set(entity.type_iris))
        return node is not None and shared == same and fold(node.label) != fold(entity.label)

    def _instances(self, predicate: str, cls: str) -> list[str]:
        key = predicate, cls
        if key not in self._offered:
            query = f"SELECT DISTINCT ?x WHERE {{ ?x {iri_ref(predicate)} {iri_ref(cls)} }} ORDER BY ?x LIMIT {MOST_OFFERED}"
            rows = self._bundle.graph.query(trusted(query)).rows
            self._offered[key] = [r[0].value for r in rows if r[0] is not None and r[0].kind == "iri"]
        return self._offered[key]

    def _needs(self, query: CheckedQuery, made: Homonym) -> bool:
        """Whether the question makes sense of the homonym as well: its answers are there, and are others."""
        about = replace(query, text=with_node(query.text, made.entity, made.iri))
        try:
            gold, other = (answers_of(self._bundle.graph.query(q)) for q in (query, about))
        except (QueryError, LimitExceeded):
            return False
        return bool(other) and set(other) != set(gold)


def with_node(sparql: str, old: str, new: str) -> str:
    """A complete query about another node: its IRI replaced, whether written in full or with a prefix."""
    known, _ = declared(significant(sparql))
    return "".join(iri_ref(new) if expand(t, known) == old else t.text for t in tokens(sparql))


def quads_with(quads: Iterable[ox.Quad], homonyms: Sequence[Homonym], labels: Sequence[str]) -> Iterator[ox.Quad]:
    """The quads of a graph with the labels of the homonyms replaced (predicates `labels`), the rest untouched.

    A homonym's own label would give it away, so it goes; its aliases stay.
    """
    names = {h.iri: h.label for h in homonyms}
    naming = set(labels)
    for quad in quads:
        iri = quad.subject.value if isinstance(quad.subject, ox.NamedNode) else ""
        if iri in names and quad.predicate.value in naming and isinstance(quad.object, ox.Literal):
            literal = (
                ox.Literal(names[iri], language=quad.object.language)
                if quad.object.language
                else ox.Literal(names[iri])
            )
            yield ox.Quad(quad.subject, quad.predicate, literal, quad.graph_name)
        else:
            yield quad
