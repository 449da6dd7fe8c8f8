"""What a simulated user gave away: gold answers, IRIs or SPARQL that the agent had not offered."""

from __future__ import annotations

import re
from collections.abc import Iterable

from clear_kgqa.clarification import Clarification
from clear_kgqa_tools.folding import fold

_IRI = re.compile(r"\b(?:https?://|urn:)\S+|\b[a-z]+:[QP]\d+\b")
_SPARQL = re.compile(r"\b(?:SELECT|ASK|CONSTRUCT)\b[^?]*\{|\?\w+\s+\S+\s+\?\w+", re.IGNORECASE)
_TRUTH = frozenset({"true", "false"})


def leaks(reply: str | None, clarification: Clarification, question: str, answers: Iterable[str]) -> list[str]:
    """The gold answers (values or labels), IRIs and SPARQL of a reply that were not offered.

    A bare number is the number of an option; yes/no answers are left out, for everybody says yes and no.
    """
    if not reply or reply.strip().isdigit():
        return []
    offered = _words(" ".join([question, clarification.question, *(o.line() for o in clarification.options)]))
    said = _words(reply)
    candidates = (a for a in dict.fromkeys(answers) if a.lower() not in _TRUTH)
    found = [a for a in candidates if _holds(said, a) and not _holds(offered, a)]
    lines = [o.line() for o in clarification.options]
    found += [match[0] for match in _IRI.finditer(reply) if not any(match[0] in line for line in lines)]
    return found + [match[0] for match in _SPARQL.finditer(reply)]


def _words(text: str) -> str:
    return " " + " ".join(re.findall(r"[^\W_]+", fold(text))) + " "


def _holds(words: str, answer: str) -> bool:
    """Whether the answer stands there as whole words."""
    wanted = _words(answer)
    return bool(wanted.strip()) and wanted in words
