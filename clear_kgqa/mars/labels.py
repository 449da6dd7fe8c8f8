"""Labels of nodes and properties in the language of the question."""

from __future__ import annotations

from collections.abc import Iterable

from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import LimitExceeded
from clear_kgqa_tools.graph import Limits, trusted
from clear_kgqa_tools.harvest_names import term_names
from clear_kgqa_tools.terms import iri_ref, string_literal

_LIMITS = Limits(seconds=5.0, rows=5_000)
_AT_ONCE = 200


class Labels:
    """Labels of one graph in one language; where it has none in it, the graph's usual label."""

    def __init__(self, bundle: GraphBundle, language: str) -> None:
        self._bundle = bundle
        own = bundle.profile.languages
        self._language = language if language and language not in own[:1] else ""
        self._held: dict[str, str] = {}

    def of(self, iris: Iterable[str]) -> dict[str, str]:
        """A label for every IRI."""
        iris = list(dict.fromkeys(iris))
        unknown = [iri for iri in iris if iri not in self._held]
        if unknown:
            self._held |= self._usual(unknown)
            if self._language:
                self._held |= self._spoken(unknown)
        return {iri: self._held[iri] for iri in iris}

    def _usual(self, iris: list[str]) -> dict[str, str]:
        schema = self._bundle.schema
        known = {iri: p.label for iri in iris if (p := schema.property_by_iri.get(iri))}
        known |= {iri: c.label for iri in iris if (c := schema.class_by_iri.get(iri))}
        rest = [iri for iri in iris if iri not in known]
        described = self._bundle.nodes.describe(rest) if rest else {}
        for iri in rest:
            known[iri] = described[iri].label if iri in described else term_names(iri)[0]
        return known

    def _spoken(self, iris: list[str]) -> dict[str, str]:
        """Labels in the language, asked of the graph; a property's stand at the entity that the profile maps it to."""
        holders: dict[str, list[str]] = {}
        for iri in iris:
            holders.setdefault(self._holder(iri), []).append(iri)
        found: dict[str, str] = {}
        names = list(holders)
        for at in range(0, len(names), _AT_ONCE):
            for holder, label in self._asked(names[at : at + _AT_ONCE]):
                for iri in holders.get(holder, ()):
                    found.setdefault(iri, label)
        return found

    def _asked(self, holders: list[str]) -> list[tuple[str, str]]:
        labels = " ".join(map(iri_ref, self._bundle.profile.labels))
        query = (
            f"SELECT ?s ?l WHERE {{ VALUES ?s {{ {' '.join(map(iri_ref, holders))} }} VALUES ?p {{ {labels} }} "
            f"?s ?p ?l FILTER(LANGMATCHES(LANG(?l), {string_literal(self._language)})) }}"
        )
        try:
            rows = self._bundle.graph.query(trusted(query), _LIMITS).rows
        except LimitExceeded:
            return []  # the usual labels serve as well
        return [(s.value, label.value) for s, label in rows if s is not None and label is not None]

    def _holder(self, iri: str) -> str:
        for start, to in self._bundle.profile.property_namespace:
            if iri.startswith(start):
                return to + iri.removeprefix(start)
        return iri
