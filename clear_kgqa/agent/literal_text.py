"""Literals as a person reads them: thousands separated, but years and codes as they stand."""

from __future__ import annotations

import re
from itertools import pairwise

from clear_kgqa_tools.harvest_names import term_names
from clear_kgqa_tools.safety_tokens import declared, expand, significant
from clear_kgqa_tools.schema import Schema
from clear_kgqa_tools.terms import XSD, Term

_INTEGERS = ("integer", "int", "long", "short", "nonNegativeInteger", "positiveInteger", "unsignedInt", "unsignedLong")
_NUMBERS = {XSD + n for n in (*_INTEGERS, "decimal", "double", "float")}
_YEARS = re.compile(r"\b(?:year|date|founded|founding|established|inception|released|born|died)\b")
_CODES = re.compile(r"\b(?:codes?|id|identifier|zip|postcode|fips|isbn|issn|phone|telephone)\b")


def readable(term: Term, property_words: str = "") -> str:
    """A literal of a property with these words in its names: no separators in years and codes, no midnight in dates."""
    if term.datatype in _NUMBERS:
        whole, dot, part = term.value.partition(".")
        sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole.lstrip("+"))
        if digits.isdigit() and "e" not in term.value.casefold():
            if not part.strip("0") and _as_it_stands(digits, property_words):
                return f"{sign}{digits}"
            part = part.rstrip("0")
            return f"{sign}{int(digits):,}" + (f".{part}" if dot and part else "")
    return re.sub(r"T00:00:00(?:\.0+)?Z?$", "", term.value) if term.datatype == XSD + "dateTime" else term.value


def property_words(sparql: str, column: str, schema: Schema) -> str:
    """The names, in lower case, of the properties whose values a column of the query holds: "" where it is computed."""
    found = significant(sparql)
    prefixes, _ = declared(found)
    text = " ".join(t.text for t in found)
    taken = re.findall(rf"(?:MIN|MAX|SAMPLE) \( (?:DISTINCT )?[?$](\w+) \) AS [?$]{re.escape(column)} ", text, re.I)
    variables = {column, *taken}
    ends = [
        expand(before, prefixes)
        for before, token in pairwise(found)
        if token.kind == "var" and token.text[1:] in variables and before.kind in ("iri", "pname")
    ]
    return " / ".join(_names(iri, schema) for iri in dict.fromkeys(ends) if iri).casefold()


def _names(iri: str, schema: Schema) -> str:
    known = schema.property_by_iri.get(iri)
    return " / ".join((*((known.label, *known.aliases) if known else ()), *term_names(iri)))


def _as_it_stands(digits: str, words: str) -> bool:
    return bool(_CODES.search(words) or (len(digits) <= 4 and _YEARS.search(words)))
