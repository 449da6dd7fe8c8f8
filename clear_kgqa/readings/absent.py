"""Properties that a question names and its nodes lack: "the neighbours of Australia"."""

from __future__ import annotations

import re

from clear_kgqa.readings.question import Candidate, Question
from clear_kgqa.readings.reading import PREPOSITIONS, overlaps
from clear_kgqa.readings.words import content_stems
from clear_kgqa_tools.nodes import Hop

_OTHER_TIME = re.compile(r"\b(?:previous|former|future|past|upcoming)\s+(?=(\w+)\s+of\b)", re.I)


def other_time(question: Question) -> str:
    """The word that asks for a value of another time ("the previous currency of"), where only the property of now is
    there; else nothing."""
    found = _OTHER_TIME.search(question.text)
    stems = content_stems(found[1]) if found else frozenset()
    named = any(question.space.text(p.iri).label == stems for p in question.space.properties) if stems else False
    return found[0].strip() if found and named else ""


def absent(question: Question) -> str:
    """The noun of "NOUN of NODE" where the graph has a property of that name but not for any node that can be meant,
    nor another that the noun may stand for; else nothing. No other reading answers such a question."""
    noun, space = question.cues.noun, question.space
    stems = content_stems(noun)
    named = {p.iri for p in space.properties if stems and space.text(p.iri).label == stems}
    meant = [c for c in question.candidates if c.patterns and _asked_of(question.text, noun, c)]
    of_class = any(overlaps(c.mention.span, t.span) for c in meant for t in question.types)  # "of the film Heat"
    if not named or not meant or of_class or any(stems == content_stems(t.label) for t in question.types):
        return ""
    hops = (h for c in meant for p in c.patterns for h in p.hops)
    return "" if any(_says(question, h, named) for h in hops) else noun


def _asked_of(text: str, noun: str, candidate: Candidate) -> bool:
    before = text[: candidate.mention.span[0]].casefold()
    return re.search(rf"\b{re.escape(noun)}\s+of\s+(?:the\s+)?$", before) is not None


def _says(question: Question, hop: Hop, named: set[str]) -> bool:
    """Whether a property can be what the noun asks for: the one so called only from the node on, not towards it, unless
    it joins nodes of one kind ("neighbour") or its name says so ("capital of")."""
    if hop.property not in named:
        wanted = content_stems(question.cues.noun)
        starts = {w.start for w in question.content if w.stem in wanted}
        return not starts.isdisjoint(question.view(()).reaches(hop.property))
    known = question.space.bundle.schema.property_by_iri[hop.property]
    symmetric = bool(set(known.domains) & set(known.ranges))
    return hop.direction == "out" or symmetric or known.label.casefold().split()[-1:][0] in PREPOSITIONS
