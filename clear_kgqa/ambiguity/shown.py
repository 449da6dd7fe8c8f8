"""What is shown of readings and their answers: to those who look behind an answer, and beside an option."""

from __future__ import annotations

from typing import Any

from clear_kgqa.readings.answers import Answers
from clear_kgqa.readings.mentions import Mention
from clear_kgqa.readings.posterior import Posterior

READINGS_SHOWN = 40
ANSWERS_TOLD = 3


def in_words(answers: Answers, labels: dict[str, str]) -> str:
    """The first answers by label, and how many more there are: "Niger, Nigeria and 4 more"."""
    shown = [labels.get(t.value, t.value) for t in answers.terms[:ANSWERS_TOLD]]
    more = len(answers.terms) - len(shown)
    rest = f" and {more}{' or many' if answers.truncated else ''} more" if more else ""
    return {"true": "yes", "false": "no"}.get(shown[0], shown[0]) if len(shown) == 1 else ", ".join(shown) + rest


def shared_names(mentions: tuple[Mention, ...]) -> dict[str, str]:
    """Names that tell nodes with one label apart: "Springfield (city in Missouri)"."""
    out: dict[str, str] = {}
    for mention in mentions:
        for node in mention.nodes:
            same = [n for n in mention.nodes if n.label == node.label]
            told = node.description or (node.types[0] if node.types else "")
            if len(same) > 1 and told:
                out[node.iri] = f"{node.label} ({told})"
    return out


def shown(posterior: Posterior) -> tuple[dict[str, Any], ...]:
    """The most probable readings as JSON: query, line, probability, answers (at most 50) and answer class."""
    out: list[dict[str, Any]] = []
    silent = posterior.best
    for i, (reading, p) in enumerate(zip(posterior.readings, posterior.p, strict=True)):
        if len(out) < READINGS_SHOWN or i == silent:
            answers = [t.value for t in posterior.answers[i].terms[:50]]
            out.append(
                {
                    **reading.to_json(),
                    "p": round(float(p), 5),
                    "answers": answers,
                    "class": posterior.classes[i],
                    "truncated": posterior.answers[i].truncated or len(posterior.answers[i].terms) > 50,
                    "silent": i == silent,
                }
            )
    return tuple(out)
