"""Triple patterns as one line of text for sequence models, back again, and the two scores on that text.

Source: methods.md section 5: [SEP] between parts, [ROOT] the answer variable, [TEMP] an intermediate one,
[END] after each triple; further variables of a role are numbered ([TEMP2]).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from clear_kgqa.examples.patterns import QueryPattern, Triple
from clear_kgqa_tools.errors import ConfigError, QueryError
from clear_kgqa_tools.terms import iri_ref

_PART = re.compile(
    r"""\s*(?P<mark>\[(?:SEP|END|ROOT\d*|TEMP\d*)\])
      | \s*(?P<literal>"(?:[^"\\]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^>]*>)?)
      | \s*(?P<iri><[^>]*>)
      | \s*(?P<plain>[^\s<"\[\]]+)""",
    re.VERBOSE,
)
_VARIABLE = re.compile(r"\[(ROOT|TEMP)(\d*)\]")


def linearise(pattern: QueryPattern, prefixes: Mapping[str, str] | None = None) -> str:
    """The pattern's triples in one line; `prefixes` (prefix -> namespace) shorten IRIs.

    >>> ask = "SELECT ?a { <http://e/Dune> <http://e/author> ?x . ?x <http://e/born> ?a }"
    >>> linearise(query_pattern(ask), {"e": "http://e/"})
    'e:Dune [SEP] e:author [SEP] [TEMP] [END] [TEMP] [SEP] e:born [SEP] [ROOT] [END]'
    """
    names: dict[str, str] = {}
    counts = {"ROOT": 0, "TEMP": 0}

    def part(text: str) -> str:
        if not text.startswith("?"):
            return _shorten(text, prefixes or {})
        if text not in names:
            role = "ROOT" if text in pattern.answers else "TEMP"
            counts[role] += 1
            names[text] = f"[{role}{counts[role] if counts[role] > 1 else ''}]"
        return names[text]

    lines = (" [SEP] ".join(part(p) for p in (t.subject, t.relation, t.object)) for t in pattern.triples)
    return " ".join(f"{line} [END]" for line in lines)


def delinearise(text: str, prefixes: Mapping[str, str] | None = None) -> QueryPattern:
    """The pattern behind a line, with variables ?ans, ?ans2, ?x, ?x2, ...; ASK where no [ROOT] stands.

    Raises QueryError where the text is no sequence of three-part triples. Modifiers are not in it, so none
    come back.
    """
    parts: list[list[str]] = [[]]
    triples: list[Triple] = []
    for token in _tokens(text):
        if token == "[SEP]":
            parts.append([])
        elif token == "[END]":
            triples.append(_triple(parts, prefixes or {}))
            parts = [[]]
        else:
            parts[-1].append(token)
    if parts != [[]]:
        raise QueryError("the last triple has no [END]")
    named = dict.fromkeys(p for t in triples for p in (t.subject, t.relation, t.object) if p.startswith("?ans"))
    return QueryPattern("select" if named else "ask", tuple(triples), tuple(named))


def to_sparql(pattern: QueryPattern) -> str:
    """A query with the pattern's triples: SELECT DISTINCT of its answer variables, or ASK."""
    body = " ".join(f"{t.subject} {t.relation} {t.object} ." for t in pattern.triples)
    head = "ASK" if pattern.form == "ask" else f"SELECT DISTINCT {' '.join(pattern.answers)}"
    return f"{head} {{ {body} }}"


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    while at < len(text.rstrip()):
        match = _PART.match(text, at)
        if not match:
            raise QueryError(f"cannot read the linearised triples at {text[at : at + 30]!r}")
        tokens.append(match.group().strip())
        at = match.end()
    return tokens


def _triple(parts: list[list[str]], prefixes: Mapping[str, str]) -> Triple:
    if len(parts) != 3 or any(not p for p in parts):
        raise QueryError("a linearised triple has three parts with [SEP] between them")
    return Triple(*("".join(_expand(token, prefixes) for token in part) for part in parts))


def _expand(token: str, prefixes: Mapping[str, str]) -> str:
    if found := _VARIABLE.fullmatch(token):
        return f"?{'ans' if found[1] == 'ROOT' else 'x'}{found[2]}"
    prefix, colon, local = token.partition(":")
    if token[0] not in '<"' and colon and prefix in prefixes:
        return iri_ref(prefixes[prefix] + local)
    return token


def _shorten(text: str, prefixes: Mapping[str, str]) -> str:
    for prefix, namespace in sorted(prefixes.items(), key=lambda item: -len(item[1])):
        local = text[1 + len(namespace) : -1]
        if text.startswith(f"<{namespace}") and re.fullmatch(r'[^\s<>"\[\]]+', local):
            return f"{prefix}:{local}"
    return text


def bleu(predicted: Sequence[str], gold: Sequence[str]) -> float:
    """Corpus BLEU (0..1) of linearised triples, by sacreBLEU with its default tokeniser.

    Raises ConfigError where the `hf` extra (sacrebleu) is not installed.
    """
    try:
        from sacrebleu import corpus_bleu
    except ImportError as error:
        raise ConfigError("BLEU needs sacrebleu: pip install 'clear-kgqa[hf]'") from error
    return float(corpus_bleu(list(predicted), [list(gold)]).score) / 100


def triple_f1(predicted: str, gold: str) -> float:
    """F1 (0..1) between the sets of triples of two lines; both empty is 1, malformed triples are wrong."""
    found, wanted = _triple_set(predicted), _triple_set(gold)
    if not found and not wanted:
        return 1.0
    return 2 * len(found & wanted) / (len(found) + len(wanted))


def _triple_set(text: str) -> set[tuple[str, ...]]:
    lines = (line for line in text.split("[END]") if line.strip())
    return {tuple(" ".join(part.split()) for part in line.split("[SEP]")) for line in lines}
