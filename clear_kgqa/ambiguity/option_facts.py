"""What the graph says of options beyond what a menu shows: a reply may name a neighbour, a code or a year of one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clear_kgqa.ambiguity.reply_words import countries
from clear_kgqa.readings.words import tokenize
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import EndpointError, LimitExceeded, QueryError
from clear_kgqa_tools.folding import fold
from clear_kgqa_tools.graph import trusted
from clear_kgqa_tools.terms import iri_ref

_MOST_WORDS = 5
_LONGEST = 80  # characters of a literal that can be a name
_ROWS = 20_000
_YEAR = re.compile(r"([0-9]{4})-[0-9]{2}-[0-9]{2}")


def picked_by_facts(bundle: GraphBundle, reply: str, iris: Sequence[str]) -> int | None:
    """The index of the one node that a reply describes by a literal of its own or by a name of a neighbour ("the one in
    the UK", "MA", "from 1979"); None where it fits none or several, or where the graph does not answer."""
    phrases = {fold(p): len(p) for p in _phrases(reply)}
    if not phrases or len(set(iris)) < 2:
        return None
    names = _names(bundle, list(dict.fromkeys(iris)))
    fit = [max((size for p, size in phrases.items() if p in names.get(iri, ())), default=0) for iri in iris]
    best = max(fit)
    return fit.index(best) if best and fit.count(best) == 1 else None


def _phrases(reply: str) -> Iterator[str]:
    """Runs of words that may be a name; a word that says nothing by itself only in capitals ("US")."""
    words = tokenize(reply)
    for i in range(len(words)):
        for end in range(i + 1, min(i + _MOST_WORDS, len(words)) + 1):
            run = words[i:end]
            told = reply[run[0].start : run[-1].end]
            if len(told) > 1 and (any(w.content for w in run) or (told.isupper() and not reply.isupper())):
                yield told
    yield from countries(reply)


def _names(bundle: GraphBundle, iris: list[str]) -> dict[str, set[str]]:
    """Folded literals of the nodes, years of their dates included, and names of what they lead to."""
    values = " ".join(map(iri_ref, iris))
    query = (
        f"SELECT DISTINCT ?e ?n ?own WHERE {{ VALUES ?e {{ {values} }} "
        "{ ?e ?p ?n BIND(true AS ?own) } UNION { ?e ?p ?o . ?o ?q ?n FILTER(!isNumeric(?n)) } "
        f"FILTER(isLiteral(?n) && STRLEN(STR(?n)) < {_LONGEST}) }} LIMIT {_ROWS}"
    )
    try:
        rows = bundle.graph.query(trusted(query)).rows
    except (QueryError, LimitExceeded, EndpointError):
        return {}  # the reply is asked about again, as any that is not understood
    out: dict[str, set[str]] = {}
    for node, name, own in rows:
        if node and name:
            known = out.setdefault(node.value, set())
            known.add(fold(name.value))
            if own and (dated := _YEAR.match(name.value)):
                known.add(dated[1])
    return out
