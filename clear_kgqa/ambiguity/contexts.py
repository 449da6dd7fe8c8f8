"""The texts that a recipe's likelihood is conditioned on: entities with the facts that tell them apart, paths in words."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from clear_kgqa.likelihood.context import ContextStyle, Described, entity_contexts
from clear_kgqa.likelihood.describe import describe
from clear_kgqa.readings.reading import hop_words
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.graph import trusted
from clear_kgqa_tools.nodes import Hop
from clear_kgqa_tools.terms import iri_ref

MOST_FACTS = 10
_KEPT = 20_000


class Contexts:
    """Describes entities and paths of one graph; descriptions are kept. Facts are told in the style "full" alone."""

    def __init__(self, bundle: GraphBundle, style: ContextStyle = "full") -> None:
        self.bundle = bundle
        self._style: ContextStyle = style
        self._described: OrderedDict[str, Described] = OrderedDict()

    def entities(self, iris: Sequence[str]) -> list[str]:
        """One line per entity; in full its label, then types and facts that not all share, then the description."""
        for iri in iris:
            if iri not in self._described:
                told = describe(self.bundle, [iri])[0]
                self._described[iri] = self._with_facts(told, iri) if self._style == "full" else told
        lines = entity_contexts([self._described[iri] for iri in iris], self._style)
        while len(self._described) > _KEPT:
            self._described.popitem(last=False)
        return lines

    def _with_facts(self, described: Described, iri: str) -> Described:
        """Predicates joined with the labels of their objects where the graph holds facts ("director Michael Mann")."""
        known, hidden = self.bundle.schema.property_by_iri, set(self.bundle.profile.hidden)
        typing = {c.predicate for c in self.bundle.schema.classes}
        query = f"SELECT ?p (SAMPLE(?o) AS ?v) WHERE {{ {iri_ref(iri)} ?p ?o }} GROUP BY ?p LIMIT {4 * MOST_FACTS}"
        rows = self.bundle.graph.query(trusted(query)).rows
        facts = [
            (known[p.value].label, v) for p, v in rows
            if p and v and p.value in known and p.value not in hidden and p.value not in typing
        ]  # fmt: skip
        nodes = self.bundle.nodes.describe([v.value for _, v in facts if v.kind == "iri"])
        told = [f"{label} {nodes[v.value].label}" if v.value in nodes else label for label, v in facts]
        return replace(described, properties=tuple(sorted(told)[:MOST_FACTS])) if told else described

    def paths(self, entity: str, paths: Sequence[tuple[Hop, ...]]) -> list[str]:
        """One line per path: its predicates by label, else by the parts of their id, and their comments."""
        return [f"{entity}: {hop_words(path) or 'itself'}{self._comments(path)}" for path in paths]

    def _comments(self, path: tuple[Hop, ...]) -> str:
        known = self.bundle.schema.property_by_iri
        told = [known[h.property].comment for h in path if h.property in known and known[h.property].comment]
        return f" ({'; '.join(told)})" if told else ""

    def same_intent(self, paths: Sequence[tuple[Hop, ...]]) -> list[int]:
        """A number per path; a path and its inverse (declared in the graph) have the same."""
        seen: dict[tuple[tuple[str, str], ...], int] = {}
        return [seen.setdefault(tuple(_forward(h, self._inverse) for h in path), len(seen)) for path in paths]

    @cached_property
    def _inverse(self) -> dict[str, str]:
        """Each declared inverse property and the one that stands for both, the lesser IRI."""
        found: dict[str, str] = {}
        if self.bundle.profile.inverse:
            moved = {new: old for old, new in self.bundle.profile.property_namespace}
            values = " ".join(map(iri_ref, self.bundle.profile.inverse))
            query = f"SELECT ?p ?q WHERE {{ VALUES ?i {{ {values} }} ?p ?i ?q }}"
            for p, q in self.bundle.graph.query(trusted(query)).rows:
                if p and q:
                    one, other = sorted((_in_use(p.value, moved), _in_use(q.value, moved)))
                    found[other] = one
        return found


def _in_use(iri: str, moved: dict[str, str]) -> str:
    """A property as statements use it, from the entity that carries its label (wd:P31 -> wdt:P31)."""
    prefix = next((p for p in moved if iri.startswith(p)), None)
    return iri if prefix is None else moved[prefix] + iri.removeprefix(prefix)


def _forward(hop: Hop, inverse: dict[str, str]) -> tuple[str, str]:
    """A hop by the property that stands for it and its inverse."""
    one = inverse.get(hop.property)
    if one is None:
        return hop.property, hop.direction
    return one, ("out" if one == hop.property else "in") if hop.direction == "out" else "out"
