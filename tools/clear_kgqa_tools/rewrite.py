"""Rewrites of what models write and engines reject: odd names, casts, calls and projections, by tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from clear_kgqa_tools.safety_tokens import Token, declared, expand, scan, significant
from clear_kgqa_tools.terms import XSD, iri_ref

_INTEGERS = (
    "int long short byte nonNegativeInteger positiveInteger negativeInteger nonPositiveInteger unsignedInt "
    "unsignedLong unsignedShort unsignedByte"
)
# Cast functions that SPARQL does not define, and the defined function that does the same.
_CASTS = {XSD + name: iri_ref(XSD + "integer") for name in _INTEGERS.split()}
_CASTS |= {XSD + name: iri_ref(XSD + "string") for name in ("token", "normalizedString")}
_CASTS |= {XSD + "anyURI": "IRI", XSD + "datetime": iri_ref(XSD + "dateTime")}
_AGGREGATES = {"COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT"}
_OPEN, _CLOSE = "({[", ")}]"
# What DBpedia names hold beyond SPARQL's local names: _(this), commas, apostrophes, ampersands, slashes.
_BEYOND = re.compile(
    r"(?:(?<=_)\([^\s(){}<>?$\"]*\)|,(?=_[^\W:])[\w\-.]*\w|['’](?=\w)[\w\-]+|[&!+](?=\w)[\w\-]+"
    r"|/(?=[^\W\d_])(?!a\b)\w[\w\-]*(?![\w:]))+"
)
_ABBREVIATION = re.compile(r"(?:^|[_.])(?:Jr|Sr|Inc|Ltd|Corp|Co|Bros|St|Mt|[A-Z])$")


def supported(text: str, prefixes: Mapping[str, str]) -> tuple[str, list[str]]:
    """The query in forms that every engine takes, and a note for each kind of change; its meaning stays."""
    notes: list[str] = []
    for change in (_dotted_names, _casts, _spacing, _logic, _projections):
        text, note = change(text, {**prefixes, **declared(significant(text))[0]})
        notes += [note] if note else []
    return text, notes


def odd_names(text: str, prefixes: Mapping[str, str]) -> tuple[str, list[str]]:
    """Prefixed names with parentheses, commas, apostrophes or a last dot as IRIs; for what does not parse."""
    known = {**prefixes, **declared(significant(text))[0]}
    at, notes = 0, []
    while token := _next_name(text, at, known):
        end = _odd_end(text, token)
        at = token.end
        if end > token.end:
            iri = iri_ref(str(expand(token, known)) + text[token.end : end])
            notes.append(f"read {text[token.start : end]} as {iri}; write such names as full IRIs")
            text = text[: token.start] + iri + text[end:]
            at = token.start + len(iri)
    return text, notes


def _next_name(text: str, at: int, known: Mapping[str, str]) -> Token | None:
    names = (t for t in scan(text, at) if t.kind == "pname")
    return next((t for t in names if t.text.partition(":")[0] in known), None)


def _odd_end(text: str, token: Token) -> int:
    """Where the name really ends."""
    if token.text.endswith(":"):
        return token.end
    match = _BEYOND.match(text, token.end)
    end = match.end() if match else token.end
    name = text[token.start : end].partition(":")[2]
    return end + 1 if text[end : end + 2] in (". ", ".\n") and _ABBREVIATION.search(name) else end


def _dotted_names(text: str, known: Mapping[str, str]) -> tuple[str, str]:
    """Local names with dots as full IRIs: Oxigraph rejects two or more."""
    for token in reversed(significant(text)):
        iri = expand(token, known) if token.kind == "pname" and "." in token.text.partition(":")[2] else None
        if iri and ":" in iri:
            text = text[: token.start] + iri_ref(iri) + text[token.end :]
    return text, ""


def _casts(text: str, known: Mapping[str, str]) -> tuple[str, str]:
    found = significant(text)
    note = ""
    for name, following in reversed(list(pairwise(found))):
        better = _CASTS.get(expand(name, known) or "") if following.text == "(" else None
        if better:
            text = text[: name.start] + better + text[name.end :]
            note = f"{name.text}() is no SPARQL function: replaced by {better}()"
    return text, note


def _spacing(text: str, known: Mapping[str, str]) -> tuple[str, str]:
    """No white space where it is allowed but not understood: `CONCAT (`, `wdt:P279 *`, `"1" ^^ xsd:int`."""
    for before, following in reversed(list(pairwise(significant(text)))):
        if _adjacent(before, following):
            text = text[: before.end] + text[following.start :]
    return text, ""


def _adjacent(before: Token, following: Token) -> bool:
    if following.text == "(":
        return before.word in ("CONCAT", "COALESCE")
    if following.text in ("*", "+", "?"):
        return before.kind in ("iri", "pname") or before.text == ")"
    if before.kind == "string":
        return following.kind == "lang" or following.text == "^"
    return before.text == "^" and (following.text == "^" or following.kind in ("iri", "pname"))


def _logic(text: str, known: Mapping[str, str]) -> tuple[str, str]:
    """AND and OR (Virtuoso, and the Freebase benchmarks written for it) as SPARQL has them."""
    for token in reversed(significant(text)):
        sign = {"AND": "&&", "OR": "||"}.get(token.word)
        text = text[: token.start] + sign + text[token.end :] if sign else text
    return text, ""


def _projections(text: str, known: Mapping[str, str]) -> tuple[str, str]:
    """Parentheses and an alias for every expression that a SELECT projects bare."""
    note = ""
    found = significant(text)
    for at in reversed([i for i, t in enumerate(found) if t.word == "SELECT"]):
        for start, end in reversed(_projected(found, at + 1)):
            better = _aliased(text, found[start:end])
            if better:
                text = text[: found[start].start] + better + text[found[end - 1].end :]
                found = significant(text)  # later offsets moved; the SELECTs still to come stand before
                note = f"projected expressions need parentheses and a name: {better}"
    return text, note


def _projected(found: list[Token], at: int) -> list[tuple[int, int]]:
    """Index ranges of the projected expressions that follow a SELECT."""
    spans = []
    while at < len(found) and found[at].text != "{" and found[at].word not in ("WHERE", "FROM"):
        start = at
        if found[at].text != "(" and not _called(found, at):
            at += 1
            continue
        at = _closing(found, at if found[at].text == "(" else at + 1) + 1
        if found[start].text != "(" and at + 1 < len(found) and found[at].word == "AS":
            at += 2
        spans.append((start, min(at, len(found))))
    return spans


def _called(found: list[Token], at: int) -> bool:
    following = found[at + 1].text if at + 1 < len(found) else ""
    named = found[at].kind in ("pname", "iri") or found[at].word not in ("", "DISTINCT", "REDUCED")
    return named and following == "("


def _closing(found: list[Token], at: int) -> int:
    """The index of the bracket that closes the one at `at` (the last index where none does)."""
    depth = 0
    for i in range(at, len(found)):
        depth += (found[i].text in _OPEN) - (found[i].text in _CLOSE)
        if depth == 0:
            return i
    return len(found) - 1


def _aliased(text: str, span: list[Token]) -> str | None:
    """The projected expression with parentheses and alias, or None where it has both."""
    inner = text[span[0].start : span[-1].end]
    bare = span[0].text != "("
    named = any(t.word == "AS" and _depth(span, i) == (0 if bare else 1) for i, t in enumerate(span))
    if not bare and (named or span[-1].text != ")"):
        return None
    if not bare:
        inner = inner[1:-1].strip()
    return f"({inner})" if named else f"({inner} AS ?{_fresh_name(text, span)})"


def _depth(span: list[Token], end: int) -> int:
    return sum((t.text in _OPEN) - (t.text in _CLOSE) for t in span[:end])


def _fresh_name(text: str, span: list[Token]) -> str:
    word = next((t.word.lower() for t in span if t.word in _AGGREGATES), "value")
    taken = {t.text[1:] for t in scan(text) if t.kind == "var"}
    names = (word + (str(n) if n > 1 else "") for n in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)
