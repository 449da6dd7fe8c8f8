"""All readings of one question: of the form that its wording asks for, plain lists where nothing of that form can be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from clear_kgqa.readings import compose, graded, yes_no
from clear_kgqa.readings.absent import absent, other_time
from clear_kgqa.readings.amounts import Grade
from clear_kgqa.readings.evidence import Evidence
from clear_kgqa.readings.question import Question
from clear_kgqa.readings.reading import Reading, Span, overlaps

MENTIONS = 6  # whose paths are looked at though others are more promising
GUESSED = ("fuzzy", "prefix")


def all_readings(question: Question, evidence: Evidence) -> tuple[list[Reading], tuple[str, ...]]:
    """Every reading of the form that the wording asks for; plain lists where nothing of that form can be built."""
    cues = question.cues
    missing = [m for m in (absent(question), other_time(question), question.text[slice(*cues.difference)]) if m]
    hops = compose.one_hop(question)
    bases = _best_of_each(hops, evidence)
    joined = _best(compose.joined(question, bases), evidence, 24)
    if _needs_second(question, bases, evidence):
        bases += _best(compose.second_hop(question, bases[:4]), evidence, 6)
    sets = compose.base_sets(question, [*bases, *joined])
    plain = sets
    for bound in cues.bounds:
        bounded = _best(graded.filtered(question, sets, bound), evidence, 40)
        sets = bounded or sets
        if not bounded and not bound.year:
            missing.append(question.text[bound.span[0] : bound.span[1]])
    out: list[Reading] = []
    for grade in cues.grades[:1]:
        out += _graded(question, sets, grade)
        if not out and not grade.comparative:
            missing.append(question.text[grade.span[0] : grade.span[1]])
    if cues.ask:
        out += _asked(question, bases, joined)
    if cues.count:
        out += [replace(r, form="count") for r in sets if not _of_values(question, r)]
    if _heard(question, out):
        return _unique(out, evidence), tuple(missing)
    strict = any(not b.year for b in cues.bounds) and sets is not plain
    out += sets if strict else [*sets, *plain, *compose.typed(question, bases), *hops]
    return _unique(out, evidence), tuple(missing)


def _graded(question: Question, sets: list[Reading], grade: Grade) -> list[Reading]:
    """Comparisons of named nodes and with one; superlatives where there is nothing to compare with."""
    found = [*graded.compared(question, grade), *graded.beyond(question, sets, grade)]
    return found if found and grade.comparative else [*found, *graded.ordered(question, sets, grade)]


def _asked(question: Question, bases: list[Reading], joined: list[Reading]) -> list[Reading]:
    """Whether there is anything of a set ("are there any"), else whether something is so."""
    if question.cues.any:
        sets = (*compose.typed(question, [*bases, *joined]), *joined)
        return [replace(r, form="ask", features={"fits": 1.0}) for r in sets]
    bounded = (r for bound in question.cues.bounds for r in graded.own_bounds(question, bound))
    return [*yes_no.yes_or_no(question), *bounded]


def _of_values(question: Question, reading: Reading) -> bool:
    """Whether a set holds numbers or dates: how many of those there are is never asked."""
    known = question.space.bundle.schema.property_by_iri
    last = [a.hops[-1] for a in reading.anchors if a.hops and a.hops[-1].direction == "out"]
    return any(hop.property in known and known[hop.property].values in ("number", "date") for hop in last)


def _heard(question: Question, readings: list[Reading]) -> bool:
    """Whether the wording leaves no doubt about the form, so that plain lists need not be looked at."""
    cues = question.cues
    if cues.ask and not cues.choice:
        return True  # yes and no are not answered with a list
    named = any(overlaps(m.span, cues.grades[0].span) for m in question.mentions) if cues.grades else True
    return not named and not cues.grades[0].dates and any(r.features.get("attribute", 0.0) >= 0.9 for r in readings)


def _needs_second(question: Question, bases: list[Reading], evidence: Evidence) -> bool:
    """Whether no path of one step, with or without a class that its answers are of, accounts for all words."""
    if not bases or _account(bases, evidence):
        return False
    classes_at = question.space.classes_at
    classed = (r for r in compose.typed(question, bases) if r.type and r.type.iri in classes_at(r.anchors[0].hops[-1]))
    return not _account(classed, evidence)


def _account(readings: Iterable[Reading], evidence: Evidence) -> bool:
    """Whether one of the readings accounts for all words."""
    return any(evidence.features(r)["explained"] >= 0.99 for r in readings)


def _best(readings: Iterable[Reading], evidence: Evidence, most: int) -> list[Reading]:
    """The most promising readings by the evidence that needs no answers."""
    return sorted(readings, key=lambda r: -evidence.promise(r))[:most]


def _best_of_each(hops: list[Reading], evidence: Evidence) -> list[Reading]:
    """The most promising paths, and of each mention that has none among them its best few."""
    ranked = sorted(hops, key=lambda r: -evidence.promise(r))
    best = ranked[: compose.BASES]
    held, left = {b.anchors[0].span for b in best}, dict[Span, list[Reading]]()
    for reading in ranked[compose.BASES :]:
        span = reading.anchors[0].span
        if span not in held and reading.anchors[0].node.match not in GUESSED:
            left.setdefault(span, []).append(reading)
    return [*best, *(r for readings in list(left.values())[:MENTIONS] for r in readings[:2])]


def _unique(readings: Iterable[Reading], evidence: Evidence) -> list[Reading]:
    """One reading per query, the most promising: a node may be named by a span and, as an alias, by a part of it."""
    same: dict[str, list[Reading]] = {}
    for reading in dict.fromkeys(readings):
        same.setdefault(reading.query, []).append(reading)
    return [rs[0] if len(rs) == 1 else max(rs, key=evidence.promise) for rs in same.values()]
