"""Mentions of literals: a code, a number or a name that stands in the graph as a value, not as a node."""

from __future__ import annotations

import re

from clear_kgqa.readings.cues import Cues
from clear_kgqa.readings.mentions import Mention
from clear_kgqa.readings.question import Candidate
from clear_kgqa.readings.reading import Span
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import LimitExceeded
from clear_kgqa_tools.graph import Limits, trusted
from clear_kgqa_tools.nodes import Hop, Node, Pattern
from clear_kgqa_tools.terms import Term

MOST = 12
_QUICK = Limits(seconds=1.0, rows=200)
_QUOTED = re.compile(r"[\"“]([^\"“”]{1,80})[\"”]")
_CODE = re.compile(r"(?<![\w.])[+.#]?[\w@][\w.@+\-/]*")


def _texts(question: str, cues: Cues, mentions: tuple[Mention, ...]) -> dict[str, Span]:
    """Stretches that may be literals: what is quoted, looks like a code, or is a name that no node bears whole."""
    found: dict[str, Span] = {m[1]: m.span(1) for m in _QUOTED.finditer(question)}
    for m in _CODE.finditer(question):
        word = m.group().rstrip(".")
        if re.search(r"[\d@]", word) or word[0] in "+.#" or (word.isupper() and len(word) > 1):
            found.setdefault(word, (m.start(), m.start() + len(word)))
    for mention in mentions:
        for node in mention.nodes[:2]:
            if node.match in ("label", "alias"):
                found.setdefault(node.label, mention.span)
    bounds = [b.span for b in cues.bounds]
    return {t: s for t, s in list(found.items())[:MOST] if not any(b[0] <= s[0] < b[1] for b in bounds)}


def candidates(question: str, cues: Cues, mentions: tuple[Mention, ...], bundle: GraphBundle) -> list[Candidate]:
    """Each literal of the graph that the question names, with the properties it is a value of."""
    texts = _texts(question, cues, mentions)
    forms = {Term(t): (t, s) for t, s in texts.items()}
    forms |= {
        Term(t, "literal", "", language): (t, s) for t, s in texts.items() for language in bundle.profile.languages[:2]
    }
    if not forms or not any(p.values in ("text", "mixed") for p in bundle.schema.properties):
        return []
    values = " ".join(term.n3() for term in forms)
    query = f"SELECT ?o ?p (COUNT(*) AS ?n) WHERE {{ VALUES ?o {{ {values} }} ?s ?p ?o }} GROUP BY ?o ?p"
    try:
        rows = bundle.graph.query(trusted(query), _QUICK).rows
    except LimitExceeded:
        return []
    known, hidden = bundle.schema.property_by_iri, set(bundle.profile.hidden)
    patterns: dict[Term, list[Pattern]] = {}
    for term, property_, number in rows:
        if term and property_ and number and property_.value in known and property_.value not in hidden:
            hop = Hop(property_.value, known[property_.value].label, "in")
            patterns.setdefault(term, []).append(Pattern("", (hop,), int(number.value)))
    out = []
    for term, held in patterns.items():
        text, span = forms.get(term) or forms.get(Term(term.value)) or ("", (0, 0))
        if text:
            node = Node("", text, types=("value",))
            mention = Mention(span, text, (node,))
            out.append(Candidate(mention, node, 1.0, tuple(held), False, term))
    return out
