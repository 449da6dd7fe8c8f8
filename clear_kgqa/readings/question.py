"""A question with everything that readings are built from: cues, mentions, class names, patterns and similarities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clear_kgqa.readings.cues import Cues
from clear_kgqa.readings.english import synonyms
from clear_kgqa.readings.mentions import Mention
from clear_kgqa.readings.paths import Floats, PropertySpace
from clear_kgqa.readings.reading import Span, TypeConstraint, within
from clear_kgqa.readings.words import Word
from clear_kgqa_tools.nodes import Hop, Node, Pattern
from clear_kgqa_tools.terms import Term

Spans = frozenset[Span]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One node for one mention, with its share of the mention's popularity and its patterns in the graph.

    `value` is set where the mention is a literal of the graph ("+81") instead of a node.
    """

    mention: Mention
    node: Node
    share: float
    patterns: tuple[Pattern, ...]
    covered: bool
    value: Term | None = None


class View:
    """The question without some of its spans: the words that are left to be explained by properties.

    `lexical` holds, per property of the graph, the share of its label that stands in them. `words` are those left
    that can name a property, by themselves or by a synonym ("what kind of music": genre); none of `held`, which belong
    to the longer name of which a span is a part ("player" where "baseball" is taken out of "baseball player").
    """

    def __init__(self, words: list[Word], space: PropertySpace, held: frozenset[int] = frozenset()) -> None:
        self.left = [w for w in words if w.content]
        self.words = [w for w in words if (w.content or w.lower in synonyms()) and w.start not in held]
        self.space = space
        self.stems = frozenset(w.stem for w in self.left)
        self.lexical = space.lexical(self.stems)
        self._explains: dict[str, frozenset[int]] = {}
        self._reaches: dict[str, frozenset[int]] = {}

    @cached_property
    def _meant(self) -> Floats:
        """What synonyms add to `lexical`."""
        also = frozenset[str]().union(*(synonyms().get(w.lower, ()) for w in self.words))
        result: Floats = np.maximum(self.space.lexical(self.stems | also) - self.lexical, 0.0)
        return result

    def meant(self, hops: tuple[Hop, ...]) -> float:
        """The mean share of the path's labels that only synonyms of what is left name."""
        index = [self.space.index[h.property] for h in hops if h.property in self.space.index]
        return float(self._meant[index].mean()) if index else 0.0

    def reaches(self, property_: str) -> frozenset[int]:
        """Start offsets of the words left that name the property by themselves or by a synonym."""
        found = self._reaches.get(property_)
        if found is None:
            names, also = self.space.text(property_).names, synonyms()
            found = self._reaches[property_] = frozenset(
                w.start for w in self.words if w.stem in names or not names.isdisjoint(also.get(w.lower, ()))
            )
        return found

    def explains(self, property_: str) -> frozenset[int]:
        """Start offsets of the words left that one of the property's names holds."""
        found = self._explains.get(property_)
        if found is None:
            names = self.space.text(property_).names
            found = self._explains[property_] = frozenset(w.start for w in self.left if w.stem in names)
        return found

    def named(self, hops: tuple[Hop, ...]) -> float:
        """The mean share of the path's labels that stands in what is left."""
        index = self.space.index
        return sum(float(self.lexical[index[h.property]]) for h in hops if h.property in index) / (len(hops) or 1)


def masked(text: str, cues: Cues, span: Span) -> str:
    """A question without a span, misspelt words put right."""
    out = f"{text[: span[0]]} {text[span[1] :]}"
    for word in cues.words:
        if word.lower != word.text.casefold() and not (span[0] <= word.start < span[1]):
            out = out.replace(word.text, word.lower, 1)
    return " ".join(out.split()).strip(" ?!.") or text


class Question:
    """One question over one graph while its readings are built. Similarities of mentions come from one batch."""

    def __init__(
        self,
        text: str,
        cues: Cues,
        mentions: tuple[Mention, ...],
        types: list[TypeConstraint],
        candidates: list[Candidate],
        space: PropertySpace,
    ) -> None:
        self.text, self.cues, self.mentions = text, cues, mentions
        self.types, self.candidates, self.space = types, candidates, space
        self.content = [w for w in cues.words if w.content]
        self._views: dict[Spans, View] = {}
        spans: list[Span] = list(dict.fromkeys([(0, 0), *(c.mention.span for c in candidates)]))
        rows = space.similarity(space.bundle.similarity.encode([masked(text, cues, s) for s in spans]))
        self._similarity = dict(zip(spans, rows, strict=True))

    def similarity(self, span: Span = (0, 0)) -> Floats:
        """Cosine of every property with the question less a mention (with the whole question by default)."""
        if span not in self._similarity:
            self._similarity[span] = self.space.similarity(
                self.space.bundle.similarity.encode([masked(self.text, self.cues, span)])
            )[0]
        found: Floats = self._similarity[span]
        return found

    def near(self, hops: Iterable[Hop], span: Span = (0, 0)) -> float:
        """The best similarity along a path."""
        return self.space.path_similarity(self.similarity(span), hops)

    def view(self, spans: Iterable[Span]) -> View:
        """What is left of the question without the spans."""
        key = frozenset(spans)
        found = self._views.get(key)
        if found is None:
            left = [w for w in self.cues.words if not any(s <= w.start and w.end <= e for s, e in key)]
            longer = [n for n in self._names if n not in key and any(within(s, n) for s in key)]
            held = frozenset(w.start for w in left if any(s <= w.start < e for s, e in longer))
            found = self._views[key] = View(left, self.space, held)
        return found

    @cached_property
    def _names(self) -> list[Span]:
        """The spans that are names as they stand."""
        exact = [m for m in self.mentions if not m.variant and any(n.match in ("label", "alias") for n in m.nodes)]
        return [m.span for m in exact]

    def ranked(self, candidate: Candidate) -> list[Pattern]:
        """The patterns of a candidate, most promising first by a mix of meaning, wording and use."""
        span, space = candidate.mention.span, self.space
        patterns = [p for p in candidate.patterns if all(h.property in space.index for h in p.hops)]
        # The instances of a class are read as a type constraint, not as a path; what a class itself is, is not asked.
        is_class = candidate.node.iri in space.class_index
        patterns = [
            p
            for p in patterns
            if p.hops[0].property not in space.type_predicates or not (is_class or p.hops[0].direction == "in")
        ]
        if not patterns:
            return []
        ends = np.array([[space.index[p.hops[0].property], space.index[p.hops[-1].property]] for p in patterns])
        score = self.similarity(span)[ends].max(axis=1) + 0.7 * self.similarity()[ends].max(axis=1)
        score += 0.6 * self.view([span]).lexical[ends].mean(axis=1) + 0.25 * space.use[ends].min(axis=1)
        return [patterns[i] for i in np.argsort(-score, kind="stable")]
