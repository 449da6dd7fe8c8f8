"""The ontology for a prompt: derived from a graph's schema or given, in compact Turtle, cut to a budget."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from clear_kgqa.nlkgq.ontology_file import read_ontology
from clear_kgqa_tools.schema import Class, Property, Schema
from clear_kgqa_tools.similarity import Similarity
from clear_kgqa_tools.terms import XSD, iri_ref, string_literal
from clear_kgqa_tools.text import one_line

STANDARD = {
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": XSD,
}
_DATATYPES = {"number": "decimal", "date": "date", "text": "string", "boolean": "boolean"}
_LOCAL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?")
_COMMENT = 160
_ALIASES = 3


@dataclass(frozen=True, slots=True)
class OntologyText:
    """Turtle for a prompt, its estimated tokens, and how many classes and properties did not fit."""

    text: str
    tokens: int
    left_out: int


def estimated_tokens(text: str) -> int:
    """How many tokens a model may make of the text, estimated high: four letters or one sign each."""
    return sum((len(word) + 3) // 4 if word[0].isalnum() else len(word) for word in re.findall(r"\w+|[^\w\s]+", text))


def ontology_text(
    schema: Schema,
    question: str,
    similarity: Similarity,
    budget: int = 6_000,
    prefixes: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
) -> OntologyText:
    """Classes and properties with labels, comments, domains, ranges and counts, in at most `budget` tokens.

    What does not fit goes by relevance to the question (cosine with label, aliases and comment); the classes
    that a kept property leads from and to come with it. `prefixes` shorten IRIs; `names` (IRI -> prefixed
    name, see `Wrapper.shown`) replace them.
    """
    printer = _Printer({**(prefixes or {}), **STANDARD}, names or {})
    entries: dict[str, Class | Property] = {c.iri: c for c in schema.classes} | {p.iri: p for p in schema.properties}
    lines = {iri: printer.line(entry) for iri, entry in entries.items()}
    kept: dict[str, None] = {}
    left = budget - estimated_tokens(printer.declarations(list(lines.values())))
    for iri in _by_relevance(entries, question, similarity):
        needed = [i for i in _with_classes(entries, iri) if i not in kept]
        cost = sum(estimated_tokens(lines[i]) for i in needed)
        if cost <= left:
            kept |= dict.fromkeys(needed)
            left -= cost
    chosen = [lines[iri] for iri in entries if iri in kept]
    text = "\n".join([printer.declarations(chosen), *chosen])
    return OntologyText(text, estimated_tokens(text), len(entries) - len(kept))


def whole_ontology(schema: Schema, prefixes: Mapping[str, str]) -> str:
    """All classes, then all properties of a graph as Turtle."""
    printer = _Printer({**prefixes, **STANDARD}, {})
    lines = [*map(printer.line, schema.classes), *map(printer.line, schema.properties)]
    return "\n".join([printer.declarations(lines), *lines]) + "\n"


def given_ontology(path: Path, question: str, similarity: Similarity, budget: int = 6_000) -> OntologyText:
    """The text of an ontology file (Turtle, N-Triples, RDF/XML): as it is where it fits, else cut.

    Raises ConfigError for a file that is no such ontology.
    """
    given = read_ontology(path)
    tokens = estimated_tokens(given.text)
    if tokens <= budget:
        return OntologyText(given.text, tokens, 0)
    return ontology_text(given.schema, question, similarity, budget, given.prefixes)


def _by_relevance(entries: Mapping[str, Class | Property], question: str, similarity: Similarity) -> list[str]:
    """IRIs, the most relevant first; ties by count."""
    iris = list(entries)
    if not iris:
        return []
    vectors = similarity.encode([question, *(_meaning(entries[iri]) for iri in iris)])
    scores = (vectors[1:] @ vectors[0]).tolist()
    rank = {iri: (-score, -entries[iri].count) for iri, score in zip(iris, scores, strict=True)}
    return sorted(iris, key=rank.__getitem__)


def _meaning(entry: Class | Property) -> str:
    told = [entry.label, *entry.aliases[:_ALIASES], entry.comment[:_COMMENT]]
    return ", ".join(t for t in told if t) or entry.iri


def _with_classes(entries: Mapping[str, Class | Property], iri: str) -> list[str]:
    entry = entries[iri]
    around = (*entry.domains, *entry.ranges) if isinstance(entry, Property) else ()
    return list(dict.fromkeys([iri, *(c for c in around if c in entries)]))


class _Printer:
    """Prints schema entries as one line of Turtle each."""

    def __init__(self, prefixes: Mapping[str, str], names: Mapping[str, str]) -> None:
        self._prefixes = sorted(prefixes.items(), key=lambda item: (-len(item[1]), item[0]))
        self._names = names

    def declarations(self, lines: list[str]) -> str:
        """Prefix declarations for the prefixes that the lines use."""
        text = "\n".join(["", *lines])
        used = [(p, ns) for p, ns in sorted(self._prefixes) if re.search(rf"[\n ]{re.escape(p)}:", text)]
        return "\n".join(f"PREFIX {p}: {iri_ref(ns)}" for p, ns in used)

    def line(self, entry: Class | Property) -> str:
        told = self._class(entry) if isinstance(entry, Class) else self._property(entry)
        if entry.label:
            told.append(f"rdfs:label {string_literal(one_line(entry.label)[:_COMMENT])}")
        if entry.comment:
            told.append(f"rdfs:comment {string_literal(one_line(entry.comment)[:_COMMENT])}")
        unit = "instances" if isinstance(entry, Class) else "triples"
        count = f" # {entry.count:,} {unit}" if entry.count else ""
        return f"{self._iri(entry.iri)} {' ; '.join(t for t in told if t)} .{count}"

    def _class(self, entry: Class) -> list[str]:
        parents = ", ".join(self._iri(p) for p in entry.parents)
        return ["a owl:Class", f"rdfs:subClassOf {parents}" if parents else ""]

    def _property(self, entry: Property) -> list[str]:
        datatype = _DATATYPES.get(entry.values, "")
        ranges = [self._iri(r) for r in entry.ranges] or ([f"xsd:{datatype}"] if datatype else [])
        kind = "owl:DatatypeProperty" if datatype else "owl:ObjectProperty"
        return [
            f"a {kind}" if entry.values != "mixed" else "a rdf:Property",
            "rdfs:domain " + ", ".join(self._iri(d) for d in entry.domains) if entry.domains else "",
            "rdfs:range " + ", ".join(ranges) if ranges else "",
        ]

    def _iri(self, iri: str) -> str:
        if iri in self._names:
            return self._names[iri]
        for prefix, namespace in self._prefixes:
            if iri.startswith(namespace) and _LOCAL.fullmatch(iri[len(namespace) :]):
                return f"{prefix}:{iri[len(namespace) :]}"
        return iri_ref(iri)
