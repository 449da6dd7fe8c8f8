"""How near a property path is in meaning to a question: one matrix product over cached property vectors."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clear_kgqa.readings.words import content_stems
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.graph import Limits, trusted
from clear_kgqa_tools.nodes import Hop
from clear_kgqa_tools.schema import Property
from clear_kgqa_tools.similarity import VectorCache
from clear_kgqa_tools.terms import iri_ref

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
MOST_CLASSES = 3000
NARROW, BROAD = 20, 400  # properties of a graph
KEPT_FITS = 64
ENDS = Limits(seconds=2.0, rows=1)


@dataclass(frozen=True, slots=True)
class PropertyText:
    """The stems by which one property can be named: those of its label, and of all its names."""

    label: frozenset[str]
    names: frozenset[str]


class PropertySpace:
    """All properties of one graph as vectors; built once per graph and shared by every question."""

    def __init__(self, bundle: GraphBundle) -> None:
        self.bundle = bundle
        self.properties: tuple[Property, ...] = bundle.schema.properties
        self.index = {p.iri: i for i, p in enumerate(self.properties)}
        self.type_predicates = {c.predicate for c in bundle.schema.classes if c.predicate}
        self._onward: dict[str, tuple[Hop, ...]] = {}
        self._class_fits: OrderedDict[bytes, Floats] = OrderedDict()
        self._text: dict[str, PropertyText] = {}
        self._led_to: dict[tuple[str, str], bool] = {}

    @cached_property
    def several(self) -> frozenset[str]:
        """The properties of which a node mostly has more than one value: they do not lead from the part to the whole."""
        return frozenset(p.iri for p in self.properties if p.count >= 2 * p.subjects)

    @cached_property
    def breadth(self) -> float:
        """How much of the world the graph tries to hold, by its number of properties: 0 (20 or fewer) .. 1 (400)."""
        return min(1.0, max(0.0, math.log(max(len(self.properties), 1) / NARROW) / math.log(BROAD / NARROW)))

    def classes_at(self, hop: Hop) -> tuple[str, ...]:
        """The classes at the end of a step; none where its property is not known."""
        known = self.bundle.schema.property_by_iri.get(hop.property)
        return () if known is None else known.ranges if hop.direction == "out" else known.domains

    def leads_to(self, property: str, types: Iterable[str]) -> bool:
        """Whether any value of a property is of one of the classes: for ranges that no node is declared to be in."""
        return any(self._leads_to(property, t) for t in types)

    def _leads_to(self, property: str, type_: str) -> bool:
        if (property, type_) not in self._led_to:
            known = self.bundle.schema.class_by_iri.get(type_)
            path = f"?s {iri_ref(property)} ?o . ?o {iri_ref(known.predicate)} {iri_ref(type_)} ." if known else ""
            result = self.bundle.graph.query(trusted(f"ASK {{ {path} }}"), ENDS) if known else None
            self._led_to[property, type_] = bool(result and result.boolean)
        return self._led_to[property, type_]

    @cached_property
    def _names(self) -> tuple[list[str], NDArray[np.intp]]:
        texts: list[str] = []
        starts: list[int] = []
        for p in self.properties:
            starts.append(len(texts))
            texts.extend(dict.fromkeys((p.label, *p.aliases[:6])))
        return texts, np.array(starts, dtype=np.intp)

    @cached_property
    def vectors(self) -> Floats:
        """Vectors of every name of every property, shape (names, dimensions)."""
        return self._encoded(self._names[0])

    def _encoded(self, texts: list[str]) -> Floats:
        """Vectors of texts that belong to the graph, kept on disk beside it."""
        folder = self.bundle.folder
        return (
            VectorCache(folder, self.bundle.similarity).encode(texts)
            if folder
            else self.bundle.similarity.encode(texts)
        )

    def similarity(self, questions: Floats) -> Floats:
        """Best cosine of each question vector with any name of each property: (questions, properties)."""
        if not self.properties:
            return np.zeros((len(questions), 0), np.float32)
        result: Floats = np.maximum.reduceat(questions @ self.vectors.T, self._names[1], axis=1)
        return result

    @cached_property
    def use(self) -> Floats:
        """How much each property is used, log-scaled to 0..1: (properties,)."""
        counts = np.log1p(np.array([p.count for p in self.properties], np.float32))
        result: Floats = (counts / max(float(counts.max(initial=0)), 1.0)).astype(np.float32)
        return result

    @cached_property
    def _by_stem(self) -> dict[str, tuple[list[int], list[int]]]:
        """For each stem, the properties with it in their label, and in any of their names."""
        table: dict[str, tuple[list[int], list[int]]] = {}
        for i, p in enumerate(self.properties):
            text = self.text(p.iri)
            for stem in text.names:
                entry = table.setdefault(stem, ([], []))
                entry[1].append(i)
                if stem in text.label:
                    entry[0].append(i)
        return table

    @cached_property
    def _label_sizes(self) -> Floats:
        return np.array([max(len(self.text(p.iri).label), 1) for p in self.properties], np.float32)

    def lexical(self, stems: frozenset[str]) -> Floats:
        """Share of each property's label stems among `stems`, at least 0.6 where another of its names has one."""
        label, other = np.zeros(len(self.properties), np.float32), np.zeros(len(self.properties), np.float32)
        for stem in stems:
            in_label, in_names = self._by_stem.get(stem, ([], []))
            label[in_label] += 1
            other[in_names] = 0.6
        result: Floats = np.maximum(label / self._label_sizes, other)
        return result

    def text(self, iri: str) -> PropertyText:
        """The stems of a property's names; unknown properties have none."""
        if iri not in self._text:
            p = self.bundle.schema.property_by_iri.get(iri)
            label = content_stems(p.label) if p else frozenset()
            names = label.union(*(content_stems(a) for a in p.aliases)) if p else label
            self._text[iri] = PropertyText(label, names)
        return self._text[iri]

    def onward(self, mediator: Property) -> tuple[Hop, ...]:
        """The properties that leave a mediator property's objects, most frequent first (asked of the graph once)."""
        if mediator.iri not in self._onward:
            query = (
                f"SELECT ?q (COUNT(*) AS ?n) WHERE {{ {{ SELECT ?m WHERE {{ ?s {iri_ref(mediator.iri)} ?m }} LIMIT 2000 }} "
                "?m ?q ?o } GROUP BY ?q ORDER BY DESC(?n) LIMIT 30"
            )
            rows = self.bundle.graph.query(trusted(query), Limits(seconds=5)).rows
            hidden, known = set(self.bundle.profile.hidden), self.bundle.schema.property_by_iri
            iris = [r[0].value for r in rows if r[0] is not None]
            self._onward[mediator.iri] = tuple(
                Hop(i, known[i].label, "out") for i in iris if i in known and i not in hidden
            )
        return self._onward[mediator.iri]

    def attributes(self) -> list[tuple[Hop, ...]]:
        """Every path of one or two hops (through a mediator) that ends in numbers or dates."""
        return self._attributes

    @cached_property
    def _attributes(self) -> list[tuple[Hop, ...]]:
        known = self.bundle.schema.property_by_iri
        out: list[tuple[Hop, ...]] = []
        for p in self.properties:
            first = Hop(p.iri, p.label, "out")
            if p.values in ("number", "date"):
                out.append((first,))
            elif p.mediator:
                out += [(first, h) for h in self.onward(p) if known[h.property].values in ("number", "date")]
        return out

    def path_similarity(self, row: Floats, hops: Iterable[Hop]) -> float:
        """The best similarity along a path for one row of `similarity`."""
        return max((float(row[self.index[h.property]]) for h in hops if h.property in self.index), default=0.0)

    @cached_property
    def class_index(self) -> dict[str, int]:
        """The most used classes by IRI; the rest are too rare to be worth a vector."""
        return {c.iri: i for i, c in enumerate(self.bundle.schema.classes[:MOST_CLASSES])}

    @cached_property
    def _class_vectors(self) -> Floats:
        return self._encoded([c.label for c in self.bundle.schema.classes[:MOST_CLASSES]])

    def class_fit(self, wanted: Floats) -> Floats:
        """For each class, the best cosine with the wanted kinds: (classes,). The last few dozen are kept."""
        if not self.class_index:
            return np.zeros(0, np.float32)
        key = wanted.tobytes()
        result = self._class_fits.get(key)
        if result is None:
            result = self._class_fits[key] = (wanted @ self._class_vectors.T).max(axis=0)
            while len(self._class_fits) > KEPT_FITS:
                self._class_fits.popitem(last=False)
        return result

    @cached_property
    def _ends(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """(owner, class) pairs; owner 2i is the object end of property i, 2i + 1 its subject end."""
        rows, owners = [], []
        for i, p in enumerate(self.properties):
            for side, iris in enumerate((p.ranges, p.domains)):
                for iri in iris[:4]:
                    if iri in self.class_index:
                        rows.append(self.class_index[iri])
                        owners.append(2 * i + side)
        return np.array(owners, np.intp), np.array(rows, np.intp)

    def answer_kinds(self, wanted: Floats) -> tuple[Floats, Floats]:
        """For each property, the best cosine of the wanted kinds with the classes at its object and its subject end."""
        owners, rows = self._ends
        best = np.zeros(2 * len(self.properties), np.float32)
        if len(rows):
            np.maximum.at(best, owners, self.class_fit(wanted)[rows])
        return best[0::2], best[1::2]
