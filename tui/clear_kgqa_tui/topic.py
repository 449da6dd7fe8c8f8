"""What a finished turn was about, for the question after it."""

from __future__ import annotations

from clear_kgqa.events import Answered, Scored
from clear_kgqa.followup import Topic
from clear_kgqa.session_store import Turn


def topic_of(turn: Turn) -> Topic | None:
    """The topic entity of the reading that was answered, with the answer where it was a single entity."""
    answer, scored = turn.last(Answered), turn.last(Scored)
    if answer is None or scored is None:
        return None
    iri = next((r["entity"] for r in scored.readings if r["sparql"] == answer.sparql and r["entity"]), "")
    named = next(((s, c) for s in scored.scores for c in s.candidates if c.iri == iri), None)
    if not iri or named is None:
        return None
    slot, candidate = named
    single = answer.values[0] if len(answer.values) == 1 and "iri" in answer.values[0] else {}
    return Topic(
        turn.asked, iri, candidate.label, _span(turn.asked, slot.slot, candidate.label), single.get("iri", ""),
        single.get("label", ""),
    )  # fmt: skip


def _span(question: str, slot: str, label: str) -> tuple[int, int]:
    """Where the topic stands in the question: as the slot names it ("entity:georgia"), else as its label."""
    for name in (slot.partition(":")[2], label):
        at = question.casefold().find(name.casefold()) if name else -1
        if at >= 0:
            return at, at + len(name)
    return 0, 0
