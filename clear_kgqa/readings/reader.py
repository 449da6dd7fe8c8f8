"""The reader: from a question and its mentions to a posterior over complete readings. Used by planner, plugin and policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from clear_kgqa.readings import values
from clear_kgqa.readings.answers import Answers, run_all
from clear_kgqa.readings.composition import GUESSED, all_readings
from clear_kgqa.readings.cues import Cues, read_cues
from clear_kgqa.readings.english import lexicon
from clear_kgqa.readings.evidence import Evidence
from clear_kgqa.readings.features import FEATURES, NULL_FEATURES, null_features, with_answers
from clear_kgqa.readings.mentions import Mention, begun_mentions, find_mentions, typo_mentions, uncovered
from clear_kgqa.readings.paths import Doubles, PropertySpace
from clear_kgqa.readings.posterior import Posterior, Weights, infer, load_weights
from clear_kgqa.readings.qualified import qualified
from clear_kgqa.readings.question import Candidate, Question, masked
from clear_kgqa.readings.reading import Reading, TypeConstraint, overlaps, within
from clear_kgqa.readings.words import Word, singular, stem, tokenize
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.folding import fold
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.search_graph_pattern import SearchGraphPattern

FIRST = 48  # readings that get their answers
HOPELESS = 8.0  # nats below the most promising reading from which a reading is not run
NODES = 40


@dataclass(frozen=True)
class Interpretation:
    """What was understood of one question: its cues and mentions, the evidence per reading and the posterior.

    `phi` (readings, features) and `psi` (null features) are what weights are fitted on; `missing` names the parts of
    the wording (a superlative, a bound) that no reading could honour.
    """

    question: str
    cues: Cues
    mentions: tuple[Mention, ...]
    posterior: Posterior
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """All readings of a question with their answers and evidence, before any weights: the raw material of a fit."""

    cues: Cues
    mentions: tuple[Mention, ...]
    readings: list[Reading]
    answers: list[Answers]
    phi: Doubles
    psi: Doubles
    missing: tuple[str, ...]


class Reader:
    """Reads questions over one graph. Safe to share between threads; what it caches depends on the graph alone."""

    def __init__(self, bundle: GraphBundle, weights: Weights | None = None) -> None:
        self.bundle = bundle
        self.space = PropertySpace(bundle)
        self.weights = (weights or load_weights()).at(self.space.breadth)
        self.patterns = SearchGraphPattern(bundle)
        self._types = _type_names(bundle)
        self._vocabulary_set = _words(bundle)
        self._vocabulary = sorted(self._vocabulary_set)
        self.table = lru_cache(maxsize=64)(self._table)
        self._found = lru_cache(maxsize=64)(self._mentions)
        self._cues = lru_cache(maxsize=64)(self._read_cues)
        self._read = lru_cache(maxsize=64)(self._inferred)

    def mentions(self, question: str) -> tuple[Mention, ...]:
        """The mentions of a question, exact ones first, then typos for words that nothing explains."""
        return self._found(question)

    def _mentions(self, question: str) -> tuple[Mention, ...]:
        cues = self._cues(question)
        found = find_mentions(question, cues, self.bundle.nodes)
        complete = getattr(self.bundle.nodes, "complete", None)
        if complete:
            found = begun_mentions(cues, found, complete, self._vocabulary_set)
        typos = getattr(self.bundle.nodes, "typos", None)
        known = getattr(self.bundle.nodes, "known_word", None)
        if typos and known and uncovered(cues.words, found):
            found += typo_mentions(question, cues, found, typos, lambda w: known(w) or w in self._vocabulary_set)
        return qualified(question, cues.ask, found, self.bundle.graph)

    def _read_cues(self, question: str) -> Cues:
        """The cues of a question, misspelt words of the schema put right ("populaton")."""
        cues = read_cues(question)
        known = getattr(self.bundle.nodes, "known_word", None)
        if known is None:
            return cues
        words = tuple(
            self._spelt(w) if w.content and len(w.lower) > 4 and not self._is_word(w.lower, known) else w
            for w in cues.words
        )
        return cues if words == cues.words else replace(cues, words=words)

    def _is_word(self, word: str, known: Callable[[str], bool]) -> bool:
        return any(w in self._vocabulary_set or known(w) for w in (word, singular(word)))

    def _spelt(self, word: Word) -> Word:
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        typos = 1 if len(word.lower) < 8 else 2
        near = process.extractOne(word.lower, self._vocabulary, scorer=OSA.distance, score_cutoff=typos)
        return replace(word, lower=near[0], stem=stem(near[0])) if near and near[0][0] == word.lower[0] else word

    def read(self, question: str, mentions: tuple[Mention, ...] | None = None) -> Interpretation:
        """The posterior over readings of a question, for the mentions given or found."""
        return self._read(question, self.mentions(question) if mentions is None else mentions)

    def _inferred(self, question: str, mentions: tuple[Mention, ...]) -> Interpretation:
        table = self.table(question, mentions)
        posterior = infer(table.readings, table.answers, table.phi, table.psi, self.weights)
        return Interpretation(question, table.cues, table.mentions, posterior, table.missing)

    def _table(self, text: str, mentions: tuple[Mention, ...]) -> Table:
        question = self._question(text, mentions)
        evidence = Evidence(question, self.weights.reading)
        readings, missing = all_readings(question, evidence)
        rows = {r: evidence.features(r) for r in readings}
        names = FEATURES
        phi = np.array([[rows[r][n] for n in names] for r in readings]).reshape(len(readings), len(names))
        promise = phi @ self.weights.reading
        order = np.argsort(-promise, kind="stable")[:FIRST]
        kept = [readings[i] for i in order if promise[i] > promise[order[0]] - HOPELESS]
        answers = run_all(self.bundle.graph, kept)
        kept, answers, final = _answered(kept, answers, rows, evidence)
        phi = np.array([[f[n] for n in names] for f in final]).reshape(len(kept), len(names))
        psi = null_features(question, final, _class_lost(question, readings, kept))
        return Table(question.cues, mentions, kept, answers, phi, np.array([psi[n] for n in NULL_FEATURES]), missing)

    def _question(self, text: str, mentions: tuple[Mention, ...]) -> Question:
        cues = self._cues(text)
        nodes = list(dict.fromkeys(n.iri for m in mentions for n in m.nodes))[:NODES]
        around = self.patterns.around(nodes)
        candidates = []
        for m in mentions:
            totals = [sum(n.popularity + 1 for n in m.nodes if _by_country(n) == way) for way in (False, True)]
            covered = any(within(m.span, o.span) for o in mentions)
            for n in m.nodes:
                if n.iri in around:
                    share = (n.popularity + 1) / totals[_by_country(n)]
                    candidates.append(Candidate(m, n, share, tuple(around[n.iri]), covered))
        candidates += values.candidates(text, cues, mentions, self.bundle)
        self._encode_ahead(text, cues, mentions)
        return Question(text, cues, mentions, self._constraints(text, cues), candidates, self.space)

    def prepare(self, question: str) -> str:
        """Find the mentions and encode all that the question will be compared by, in one batch; returns its wording
        as it is compared."""
        return self._encode_ahead(question, self._cues(question), self.mentions(question))

    def _encode_ahead(self, text: str, cues: Cues, mentions: tuple[Mention, ...]) -> str:
        whole, *parts = (masked(text, cues, span) for span in ((0, 0), *(m.span for m in mentions)))
        kinds = lexicon()["kinds"].get(cues.expects, ())
        self.bundle.similarity.encode(
            list(dict.fromkeys((whole, *parts, *kinds, *((cues.noun,) if cues.noun else ()))))
        )
        return whole

    def classes(self, text: str) -> list[TypeConstraint]:
        """Classes that the question names, longest spans first."""
        return self._constraints(text, self._cues(text))

    def _constraints(self, text: str, cues: Cues) -> list[TypeConstraint]:
        out: list[TypeConstraint] = []
        words = cues.words
        for length in (4, 3, 2, 1):
            for i in range(len(words) - length + 1):
                span = (words[i].start, words[i + length - 1].end)
                raw = fold(text[span[0] : span[1]])
                last = words[i + length - 1].lower
                variants = (
                    raw,
                    raw.removesuffix(last) + singular(last),
                    raw.removesuffix(last) + "person" if last == "people" else raw,
                )
                hit = next((self._types[v] for v in variants if v in self._types), None)
                if hit and not any(overlaps(span, c.span) for c in out):
                    out += [replace(c, span=span) for c in hit]
        return out[:6]


def _by_country(node: Node) -> bool:
    """Whether a node is named by an adjective: the language Portuguese and Portugal do not share a name."""
    return node.match == "demonym"


def _type_names(bundle: GraphBundle) -> dict[str, list[TypeConstraint]]:
    names: dict[str, list[TypeConstraint]] = {}
    parents = {p for c in bundle.schema.classes for p in c.parents}
    subclass = bundle.profile.subclass[0] if bundle.profile.subclass else ""
    for c in bundle.schema.classes:
        if c.count or c.iri in parents:
            via = subclass if c.iri in parents else ""
            for name in dict.fromkeys((c.label, *c.aliases)):
                found = names.setdefault(fold(name), [])
                if len(found) < 2:
                    found.append(TypeConstraint(c.iri, c.label, c.predicate, (0, 0), via))
    return names


def _words(bundle: GraphBundle) -> frozenset[str]:
    """The words by which the graph's properties and classes can be named."""
    names = [n for p in bundle.schema.properties for n in (p.label, *p.aliases)]
    names += [n for c in bundle.schema.classes[:2000] for n in (c.label, *c.aliases)]
    return frozenset(w.lower for n in names for w in tokenize(n) if len(w.lower) > 3)


def _class_lost(question: Question, readings: list[Reading], kept: list[Reading]) -> bool:
    """Whether the question names a class, and no reading with answers honours it, be it by where its path ends."""
    classes = {r.type.iri for r in readings if r.type}
    last = [a.hops[-1] for r in kept for a in r.anchors if a.hops]
    return (
        bool(classes)
        and not any(r.type for r in kept)
        and not any(classes & {*question.space.classes_at(h)} for h in last)
    )


def _guessed(reading: Reading) -> bool:
    """Whether a node of the reading bears another name than was asked about: to deny something of it says nothing."""
    return any(a.node.match in GUESSED for a in reading.entities)


def _answered(
    readings: list[Reading], answers: list[Answers], rows: dict[Reading, dict[str, float]], evidence: Evidence
) -> tuple[list[Reading], list[Answers], list[dict[str, float]]]:
    """Drop readings without answers and add the evidence that answers give."""
    untyped = {r.query: len(a.terms) for r, a in zip(readings, answers, strict=True) if r.type is None}
    kinds = evidence.answer_kinds(answers)
    kept, held, final = [], [], []
    for r, a, kind in zip(readings, answers, kinds, strict=True):
        zero = r.form == "count" and a.terms and a.terms[0].value == "0"
        holds = r.form == "ask" and [t.value for t in a.terms] == ["true"]
        if (a.terms or a.truncated) and not zero and not (r.form == "ask" and not holds and _guessed(r)):
            kept.append(r)
            held.append(a)
            before = untyped.get(replace(r, type=None).query) if r.type else None
            final.append(with_answers(rows[r], len(a.terms), before, kind, evidence.question.cues, holds))
    return kept, held, final
