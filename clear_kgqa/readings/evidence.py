"""The evidence for each reading as named numbers of about unit size (methods: a posterior over complete readings)."""

from __future__ import annotations

import math

from clear_kgqa.readings.answers import Answers
from clear_kgqa.readings.english import lexicon
from clear_kgqa.readings.features import FEATURES
from clear_kgqa.readings.graded import attribute_paths
from clear_kgqa.readings.paths import Doubles, Floats
from clear_kgqa.readings.question import Candidate, Question, View
from clear_kgqa.readings.reading import PREPOSITIONS, Anchor, Reading, Span, TypeConstraint
from clear_kgqa.readings.words import content_stems
from clear_kgqa_tools.nodes import Hop

OPEN = 0.5  # nearness given to every attribute that a vague question leaves open
_VARIANT = {"number": "number_changed"}


class Evidence:
    """Computes features for the readings of one question; what all readings share is computed once."""

    def __init__(self, question: Question, weights: Doubles) -> None:
        self.question = question
        self.weights = dict(zip(FEATURES, map(float, weights), strict=True))
        self.by_anchor = {(c.node.iri, c.mention.span): c for c in question.candidates}
        self._features: dict[Reading, dict[str, float]] = {}
        self._compatibility: dict[tuple[str, Span], float] = {}
        self._type_words: dict[tuple[str, Span], tuple[float, float]] = {}
        self._descriptions: dict[str, frozenset[str]] = {}
        kinds = lexicon()["kinds"].get(question.cues.expects, ())
        space = question.space
        encode = space.bundle.similarity.encode
        self.kind_fit = space.answer_kinds(encode(list(kinds))) if kinds else None
        self.noun_fit = space.answer_kinds(encode([question.cues.noun])) if question.cues.noun else None
        self.kind_classes = space.class_fit(encode(list(kinds))) if kinds else None
        self.noun_classes = space.class_fit(encode([question.cues.noun])) if question.cues.noun else None
        noun = question.cues.noun.split()
        self.noun_at = next((w.start for w in question.content if noun and w.lower == noun[-1]), -1)
        self.open_ends: dict[str, float] = {}
        if question.cues.open_attributes:
            paths = attribute_paths(question, question.cues.open_attributes)
            self.open_ends = {hops[-1].property: score for hops, score in paths}
        self.names = {
            w.start
            for w in question.cues.words
            if w.content and w.text[:1].isupper() and w is not question.cues.words[0]
        }

    def candidate(self, anchor: Anchor) -> Candidate | None:
        return self.by_anchor.get((anchor.node.iri, anchor.span))

    def features(self, reading: Reading) -> dict[str, float]:
        """The features of one reading that need no answers."""
        found = self._features.get(reading)
        if found is None:
            found = self._features[reading] = self._compute(reading)
        return found

    def promise(self, reading: Reading) -> float:
        """The score of a reading by what is known before it is run."""
        return sum(self.weights[name] * value for name, value in self.features(reading).items() if value)

    def _compute(self, reading: Reading) -> dict[str, float]:
        spans = frozenset(a.span for a in reading.entities)
        view, question = self.question.view(spans), self.question
        f = dict.fromkeys(FEATURES, 0.0)
        paths = [(a.hops, a.span) for a in reading.anchors if a.hops]
        if not paths and reading.order:
            paths = [(reading.order.hops, (0, 0))]
        space, n = self.question.space, max(len(paths), 1)
        for hops, span in paths:
            f["masked"] += question.near(hops, span) / n
            f["whole"] += question.near(hops) / n
            f["lexical"] += view.named(hops) / n
            f["meant"] += view.meant(hops) / n
            f["log_count"] += (
                min(
                    (float(space.use[space.index[h.property]]) for h in hops if h.property in space.index),
                    default=0,
                )
                / n
            )
        if any(len(hops) == 1 and hops[0].property in self.open_ends for hops, _ in paths):
            # "How big" says nothing about which attribute: nearness to one of its words is not evidence.
            f["masked"] = f["whole"] = OPEN
            f["lexical"] = 0.0
        self._explained(f, reading, spans)
        self._entities(f, reading)
        self._answer_kind(f, reading)
        self._shape(f, reading)
        return f

    def _explained(self, f: dict[str, float], reading: Reading, spans: frozenset[Span]) -> None:
        """Share of the content words that some part of the reading accounts for."""
        used = [x.span for x in (*reading.filters, *((reading.order,) if reading.order else ()))]
        if reading.type:
            used.append(reading.type.span)
        used += [t.span for a in reading.anchors if len(a.hops) > 1 for t in self.question.types if self._through(a, t)]
        view = self.question.view((*spans, *used))
        hops = [h for a in reading.anchors for h in a.hops] + [h for x in reading.filters for h in x.hops]
        hops += list(reading.order.hops) if reading.order else []
        told = frozenset[int]().union(*(view.explains(h.property) for h in hops))
        said = self._node_stems(reading)
        left = [w.start for w in view.left if w.start not in told and w.stem not in said]
        f["explained"] = 1 - len(left) / (len(self.question.content) or 1)
        reached = frozenset[int]().union(*(view.reaches(h.property) for h in hops))
        f["accounted"] = 1 - sum(w not in reached for w in left) / (len(self.question.content) or 1)
        f["both_hops"] = float(any(self._both_named(a, view) for a in reading.anchors if len(a.hops) > 1))
        f["unexplained_names"] = sum(w in self.names for w in left) / 2
        f["noun_left"] = float(self.noun_at in left)
        f["span_words"] = sum(e - s for s, e in spans) / 20

    def _through(self, anchor: Anchor, constraint: TypeConstraint) -> bool:
        """Whether a class names what a path of two steps leads through: "the capital of the *country* that borders"."""
        return constraint.iri in self.question.space.classes_at(anchor.hops[0])

    def _inherited(self, anchor: Anchor) -> bool:
        """Whether a path of two steps finds with the whole what the part lacks: "the currency they use in Sydney"."""
        space, (first, last) = self.question.space, anchor.hops
        c = self.candidate(anchor)
        own = {p.hops[0].property for p in c.patterns if p.hops[0].direction == "out"} if c else set()
        upward = first.direction == last.direction == "out" and first.property not in space.several
        return upward and last.property not in own and bool(self.question.view([anchor.span]).reaches(last.property))

    def _entities(self, f: dict[str, float], reading: Reading) -> None:
        found = [c for a in reading.entities if (c := self.candidate(a))]
        n = len(found) or 1
        for c in found:
            f["share"] += math.log(c.share + 0.001) / 4  # priors of several nodes multiply
            if c.node.match != "label":
                f[c.node.match] += 1 / n
            if c.mention.variant not in ("", "within", "demonym"):
                f[_VARIANT.get(c.mention.variant, c.mention.variant)] += 1 / n
            f["covered"] += c.covered / n
            f["compatibility"] += self._compatible(c) / n
            typed, told = self._said(c)
            f["type_words"] += typed / n
            f["description_words"] += told / n

    @staticmethod
    def _both_named(anchor: Anchor, view: View) -> bool:
        """Whether each step of a path has a word of its own in the question."""
        first, last = view.reaches(anchor.hops[0].property), view.reaches(anchor.hops[-1].property)
        return bool(first - last) and bool(last - first)

    def _compatible(self, c: Candidate) -> float:
        key = (c.node.iri, c.mention.span)
        if key not in self._compatibility:
            best = self.question.similarity(c.mention.span)
            index = self.question.space.index
            ends = [index[h.property] for p in c.patterns for h in p.hops if h.property in index]
            self._compatibility[key] = float(best[ends].max()) if ends else 0.0
        return self._compatibility[key]

    def _said(self, c: Candidate) -> tuple[float, float]:
        """Whether the candidate's type stands beside it ("the film Heat"), and the share of what else it says that
        the candidate's description says too ("Springfield in Oregon")."""
        key = (c.node.iri, c.mention.span)
        if key not in self._type_words:
            left = self.question.view([c.mention.span]).stems
            types = content_stems(" ".join(c.node.types)) & self._beside(c.mention.span)
            told = (self._described(c) & left) - types
            self._type_words[key] = (float(bool(types)), len(told) / (len(left) or 1))
        return self._type_words[key]

    def _beside(self, span: Span) -> frozenset[str]:
        """The stems of the words next to a mention: "the film Heat", "the state of Georgia", "Washington state"."""
        words = self.question.cues.words
        before = [w for w in words if w.end <= span[0] and w.lower not in ("of", "the")][-1:]
        after = [w for w in words if w.start >= span[1]][:1]
        return frozenset(w.stem for w in (*before, *after))

    def _described(self, c: Candidate) -> frozenset[str]:
        """What the description of a node says of it, less the names of properties that it has: "capital Tokyo" does not
        tell that Japan is what "the capital" means."""
        found = self._descriptions.get(c.node.iri)
        if found is None:
            own = (
                self.question.space.text(p.hops[0].property).label for p in c.patterns if p.hops[0].direction == "out"
            )
            named = frozenset[str]().union(*(label for label in own if len(label) == 1))
            found = self._descriptions[c.node.iri] = content_stems(c.node.description) - named
        return found

    def _node_stems(self, reading: Reading) -> frozenset[str]:
        """What the types and descriptions of the reading's nodes say."""
        found = [c for a in reading.entities if (c := self.candidate(a))]
        return frozenset[str]().union(*(self._described(c) | content_stems(" ".join(c.node.types)) for c in found))

    def _answer_kind(self, f: dict[str, float], reading: Reading) -> None:
        hop = next((a.hops[-1] for a in reading.anchors if a.hops), None)
        if hop is None or reading.form == "ask":
            return
        space, expects = self.question.space, self.question.cues.expects
        known = space.bundle.schema.property_by_iri.get(hop.property)
        values = known.values if known and hop.direction == "out" else "iri"
        if expects in ("date", "number"):
            f[expects] = 1.0 if values == expects else -1.0
        elif expects:
            f[expects] = self._kind(self.kind_fit, hop) if values == "iri" else -1.0
        f["noun"] = self._kind(self.noun_fit, hop) if values == "iri" else 0.0

    def _kind(self, fit: tuple[Floats, Floats] | None, hop: Hop) -> float:
        at = self.question.space.index.get(hop.property)
        return float(fit[hop.direction == "in"][at]) if fit is not None and at is not None else 0.0

    def _shape(self, f: dict[str, float], reading: Reading) -> None:
        first = next((a.hops[0] for a in reading.anchors if a.hops), None)
        f["inverse"] = float(first is not None and first.direction == "in")
        f["inverse_who"] = f["inverse"] * (self.question.cues.expects == "person")
        f["typed"] = float(reading.type is not None)
        f["joined"] = float(len(reading.anchors) > 1)
        f["two_hop"] = float(any(len(a.hops) > 1 for a in reading.anchors))
        f["two_hop_named"] = max((self._weakest(a) for a in reading.anchors if len(a.hops) > 1), default=0.0)
        f["inherited"] = float(any(self._inherited(a) for a in reading.anchors if len(a.hops) == 2))
        f["preposition"] = float(reading.form == "ask" and any(self._led_by(a, reading) for a in reading.anchors))
        f["two_hop_full"] = float(f["two_hop_named"] >= 0.6)
        f["value"] = float(any(a.value is not None for a in reading.anchors))
        f["ordered"] = float(reading.order is not None)
        f["filtered"] = float(bool(reading.filters))
        f["counted"] = float(reading.form == "count")
        f["asked"] = float(reading.form == "ask")
        f["compared"] = float(bool(reading.among))
        self._unheard(f, reading)
        for name in ("attribute", "fits"):
            f[name] = reading.features.get(name, 0.0)
        f["log_answers"] = math.log1p(reading.features.get("expected", 1.0)) / 7
        f["many_inverse"] = f["log_answers"] * f["inverse"]
        f["single"] = float(reading.features.get("expected") == 1.0)
        if self.open_ends:
            hops = next((a.hops for a in reading.anchors if a.hops), ())
            f["open"] = (
                self.open_ends.get(hops[0].property, -1.0) if len(hops) == 1 and hops[0].direction == "out" else -1.0
            )
        if reading.type and self.question.cues.noun:
            f["head"] = float(
                reading.type.label.casefold() in self.question.cues.noun or self._in_noun(reading.type.span)
            )

    def _led_by(self, anchor: Anchor, reading: Reading) -> bool:
        """Whether the word before the name at a relation's object is the preposition that its label ends in
        ("located in" ... "in France")."""
        if not anchor.hops:
            return False
        last = anchor.hops[-1].label.rsplit(" ", 1)[-1].casefold()
        end = anchor if anchor.hops[-1].direction == "in" else reading.target
        before = [w.lower for w in self.question.cues.words if end is not None and w.end <= end.span[0]]
        return bool(before) and last in PREPOSITIONS and before[-1 if before[-1] != "the" else -2 :][:1] == [last]

    def _weakest(self, anchor: Anchor) -> float:
        """How well the less well named step of a path is named in the question."""
        view = self.question.view([anchor.span])
        return min(view.named((hop,)) for hop in anchor.hops)

    def _unheard(self, f: dict[str, float], reading: Reading) -> None:
        """Parts of the wording that the reading does not honour."""
        cues = self.question.cues
        beyond = reading.target is not None and bool(reading.filters)
        f["ungraded"] = float(bool(cues.grades) and reading.order is None and not beyond)
        f["uncounted"] = float(cues.count and reading.form != "count")
        f["unasked"] = float(cues.ask and reading.form != "ask")
        f["unchosen"] = float(cues.choice and not reading.among)
        f["unjoined"] = float(cues.both and len(reading.anchors) + len(reading.among) < 2)
        f["unbounded"] = float(len(cues.bounds) > len(reading.filters))

    def _in_noun(self, span: Span) -> bool:
        return self.question.text[span[0] : span[1]].casefold() in self.question.cues.noun

    def answer_kinds(self, answers: list[Answers], looked_at: int = 3) -> list[tuple[float, float]]:
        """For each reading, how well the classes of its first answers fit the noun and the question word: 0..1."""
        shown = [[t.value for t in a.terms[:looked_at] if t.kind == "iri"] for a in answers]
        space = self.question.space
        nodes = space.bundle.nodes.describe(list(dict.fromkeys(i for iris in shown for i in iris)))
        fits = []
        for iris in shown:
            classes = [
                space.class_index[c] for i in iris if i in nodes for c in nodes[i].type_iris if c in space.class_index
            ]
            fits.append(
                tuple(
                    float(v[classes].max()) if v is not None and classes else 0.0
                    for v in (self.noun_classes, self.kind_classes)
                )
            )
        return [(noun, kind) for noun, kind in fits]
