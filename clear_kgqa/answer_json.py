"""The events of one turn folded into the object that `ask --json` prints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.events import Answered, Asked, Event, Failed, Replied, Score, Scored


def answer_json(question: str, events: Iterable[Event], seconds: float) -> dict[str, Any]:
    """The object of one turn; `seconds` is its own time, waiting for the user not counted.

    Scores stand as they were before the first question back: what made the session ask. `chosen` lists the IRIs that
    were bound.
    """
    out: dict[str, Any] = {
        "question": question, "answer": None, "sparql": None, "interpretation": "", "clarifications": [],
        "scores": [], "incomplete": False, "reason": None, "seconds": round(seconds, 3),
    }  # fmt: skip
    scores: dict[tuple[str, str], Score] = {}
    for event in events:
        match event:
            case Scored():
                before = not out["clarifications"]
                new = {(s.slot, s.kind): s for s in event.scores}
                scores |= {key: score for key, score in new.items() if before or key not in scores}
            case Asked():
                out["clarifications"].append(_clarification(event.clarification))
                out["reason"] = f"ambiguous: {event.clarification.question}"
            case Replied() if out["clarifications"]:
                asked = out["clarifications"][-1]
                bound = [asked["options"][i]["iri"] for i in event.options]
                asked.update(reply=event.text, chosen=bound or list(event.chosen))
            case Answered():
                out.update(answer=_answer(event), sparql=event.sparql, interpretation=event.interpretation)
                out.update(incomplete=event.incomplete, reason=None)
            case Failed():
                out.update(reason=event.reason, interpretation=event.interpretation)
                out.update(sparql=event.tried[-1] if event.tried else None)
            case _:
                pass
    out["scores"] = [_score(score) for score in scores.values()]
    return out


def _answer(event: Answered) -> dict[str, Any]:
    return {
        "form": event.form,
        "columns": list(event.columns),
        "rows": [list(row) for row in event.rows],
        "values": list(event.values),
        "boolean": event.boolean,
    }


def _clarification(asked: Clarification) -> dict[str, Any]:
    return {
        "slot": asked.slot, "kind": asked.kind, "question": asked.question,
        "options": [_option(option) for option in asked.options], "reply": None, "chosen": [],
    }  # fmt: skip


def _option(option: Option) -> dict[str, str]:
    return {
        "iri": option.iri, "label": option.label, "type": option.type, "description": option.description,
        "fact": option.fact, "path": option.path, "sparql": option.sparql,
    }  # fmt: skip


def _score(score: Score) -> dict[str, Any]:
    candidates = [{"iri": c.iri, "label": c.label, "posterior": c.posterior} for c in score.candidates]
    return {
        "slot": score.slot,
        "kind": score.kind,
        "score": score.score,
        "threshold": score.threshold,
        "candidates": candidates,
    }
