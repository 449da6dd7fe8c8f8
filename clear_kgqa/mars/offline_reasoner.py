"""Steps 2, 7 and 9 without a model: the offline planner's readings, held to what was offered."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import replace

import numpy as np

from clear_kgqa.ambiguity import evidence
from clear_kgqa.events import Event
from clear_kgqa.mars.offered_iris import offered_iris
from clear_kgqa.mars.offers import END, Offer
from clear_kgqa.mars.options import MarsOptions
from clear_kgqa.mars.replies import Decision
from clear_kgqa.mars.rewriting import rewritten_by_rule
from clear_kgqa.mars.view import View
from clear_kgqa.readings.cues import read_cues
from clear_kgqa.readings.features import FEATURES
from clear_kgqa.readings.posterior import Posterior, Weights, infer
from clear_kgqa.readings.reader import Reader
from clear_kgqa.readings.reading import Reading
from clear_kgqa_tools.execute import Execution
from clear_kgqa_tools.terms import XSD

_IRI = re.compile(r"<([^<>\s]+)>")
BY_COUNT = ("log_count", "log_answers", "single", "many_inverse", "plural_single", "definite_many")
"""Evidence that needs to know how many values a pattern has."""
BY_KIND = ("answer_noun", "answer_kind", "person", "place", "date", "number", "noun")
"""Evidence that needs instances, domains or ranges."""


class OfflineReasoner:
    """A Reasoner that takes the best reading of the question all of whose IRIs were offered."""

    def __init__(self, reader: Reader, options: MarsOptions) -> None:
        self._reader, self._profile = reader, reader.bundle.profile
        self._weights = _without(reader.weights, options)

    def translate(self, view: View) -> Generator[Event, None, str]:
        """The question as it is: names are found in whatever language the graph's labels are."""
        yield from ()
        return view.question

    def rewrite(self, view: View) -> Generator[Event, None, str]:
        """The question with the labels and types of its entities."""
        yield from ()
        return rewritten_by_rule(view.searched, view.linked)

    def decide(self, view: View, forced: bool, faulty: Decision | None) -> Generator[Event, None, Decision]:
        """The best reading, or the patterns that lead to it; where it is out of reach, the next best."""
        yield from ()
        if view.assessment is not None and view.assessment.failure and not view.expanded:
            return Decision(failure=view.assessment.failure)
        posterior = self._posterior(view)
        if several := evidence.united(posterior, view.settled):
            return _union([posterior.readings[i] for i in several])
        offered = self._offered(view)
        for reading in _ranked(posterior):
            missing = _iris(reading) - offered
            if not missing:
                return Decision(sparql=reading.query, line=reading.line())
            leading = [] if forced else view.expandable(_leading(reading, view.offers))
            if leading:
                return Decision(expand=tuple(leading))
        return _nearest(view)

    def verify(self, view: View, execution: Execution, fault: str) -> Generator[Event, None, str]:
        """Where the answer has the wrong form, the best offered reading of the right one."""
        yield from ()
        cues, offered = read_cues(view.searched), self._offered(view)
        wanted = "ask" if cues.ask else "count" if cues.count else "select"
        fitting = (r for r in _ranked(self._posterior(view)) if r.form == wanted and _iris(r) <= offered)
        found = next(fitting, None) if fault else None
        return found.query if found else ""

    def _offered(self, view: View) -> frozenset[str]:
        return offered_iris(view.offers, view.linked, view.classes, self._profile)

    def _posterior(self, view: View) -> Posterior:
        table = self._reader.table(view.searched, view.mentions)
        found = infer(table.readings, table.answers, table.phi, table.psi, self._weights)
        return evidence.apply(found, view.settled)


def _without(weights: Weights, options: MarsOptions) -> Weights:
    """The weights without the evidence that a left-out step would have brought."""
    out = (() if options.counts else BY_COUNT) + (() if options.enrichment else BY_KIND)
    kept = np.array([name not in out for name in FEATURES])
    return replace(weights, reading=weights.reading * kept)


def _ranked(posterior: Posterior) -> list[Reading]:
    """The readings that are possible at all, by the F1 that is expected of them."""
    if not posterior.readings:
        return []
    order = np.lexsort((-posterior.p, -posterior.utilities().round(12)))
    return [posterior.readings[i] for i in order if posterior.p[i] > 0]


def _iris(reading: Reading) -> set[str]:
    return {iri for iri in _IRI.findall(reading.query) if not iri.startswith(XSD)}


def _leading(reading: Reading, offers: list[Offer]) -> tuple[int, ...]:
    """The offers that a reading goes through: shorter than its longest chain, and made of its IRIs alone."""
    wanted, chains = _iris(reading), [len(a.hops) for a in reading.anchors] or [1]
    values = [len(f.hops) for f in reading.filters] + ([len(reading.order.hops)] if reading.order else [])
    longest = max(chains) + max(values, default=0)
    return tuple(o.number for o in offers if len(o.triples) < longest and wanted.issuperset(o.iris))


def _union(readings: list[Reading]) -> Decision:
    """Both, where the user said so."""
    parts = " UNION ".join(f"{{ {r.query} }}" for r in readings if r.form != "ask")
    return Decision(sparql=f"SELECT DISTINCT * WHERE {{ {parts} }}", line=" and ".join(r.line() for r in readings))


def _nearest(view: View) -> Decision:
    """The pattern that is nearest in meaning, where no reading is within reach."""
    if not view.offers:
        reason = "Nothing in the graph leads on from what the question names."
        return Decision(failure=("not_in_graph", reason))
    best = max(view.offers, key=lambda o: o.score)
    return Decision(sparql=f"SELECT DISTINCT {END} WHERE {{ {best.pattern} }}", line=best.text)
