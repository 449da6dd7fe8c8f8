"""The wrapper ontology: readable terms for native IRIs or property paths, in a file that people edit."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from clear_kgqa.nlkgq.query_text import path_text
from clear_kgqa.nlkgq.query_tree import parse, plain_predicate, triples_of, walk
from clear_kgqa_tools.errors import ConfigError, QueryError
from clear_kgqa_tools.schema import Schema
from clear_kgqa_tools.terms import iri_ref
from clear_kgqa_tools.text import cut, one_line

NAMESPACE = "urn:clear-kgqa:term:"
PREFIX = "w"
_IRI = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]*:[^<>\"{}|^`\\\x00-\x20]*>")
_NAME = re.compile(r"\w(?:[\w-]*\w)?")


@dataclass(frozen=True, slots=True)
class WrapperTerm:
    """A readable name for a native IRI (`<iri>`) or property path (`<p>/<q>`), perhaps elsewhere."""

    name: str
    native: str
    endpoint: str = ""


@dataclass(frozen=True)
class Wrapper:
    """The terms of a wrapper ontology, each name once; `prefixes` hold in native sides and queries."""

    terms: tuple[WrapperTerm, ...]
    prefixes: Mapping[str, str]

    @cached_property
    def paths(self) -> dict[str, Any]:
        """Readable IRI -> predicate tree of its native side. Raises ConfigError for one that is neither."""
        return {NAMESPACE + t.name: _native_predicate(t, self.prefixes) for t in self.terms}

    @cached_property
    def iris(self) -> dict[str, str]:
        """Readable IRI -> native IRI, for the terms that stand for a single IRI."""
        plain = {readable: plain_predicate(path) for readable, path in self.paths.items()}
        return {readable: str(iri) for readable, iri in plain.items() if iri is not None}

    @property
    def shown(self) -> dict[str, str]:
        """Native IRI -> the prefixed name that stands for it in a prompt; the first of several."""
        names: dict[str, str] = {}
        for readable, iri in self.iris.items():
            names.setdefault(iri, f"{PREFIX}:{readable.removeprefix(NAMESPACE)}")
        return names

    @cached_property
    def endpoints(self) -> dict[str, str]:
        """Native IRI -> the endpoint that holds it, for the terms that name one."""
        return {
            str(iri): term.endpoint
            for term in self.terms
            if term.endpoint
            for iri in walk(self.paths[NAMESPACE + term.name])
            if not hasattr(iri, "part") and ":" in str(iri)
        }


def wrapper_of(schema: Schema, prefixes: Mapping[str, str]) -> Wrapper:
    """A wrapper generated from labels: classes in CamelCase, properties in snake_case.

    Equal names get the IRI's local name as a suffix, and a number where that is equal too; the same schema
    always gives the same names.
    """
    wanted = {c.iri: _camel(c.label, c.iri) for c in schema.classes}
    wanted |= {p.iri: _snake(p.label, p.iri) for p in schema.properties}
    return wrapper_of_names(wanted, prefixes)


def wrapper_of_names(wanted: Mapping[str, str], prefixes: Mapping[str, str]) -> Wrapper:
    """A wrapper from IRI -> label or wanted name; names are made valid and told apart."""
    names = _told_apart({iri: "_".join(_words(name, iri)) for iri, name in wanted.items()})
    return Wrapper(tuple(WrapperTerm(name, iri_ref(iri)) for iri, name in names.items()), prefixes)


def _told_apart(wanted: Mapping[str, str]) -> dict[str, str]:
    shared = Counter(wanted.values())
    suffixed = {iri: name if shared[name] == 1 else f"{name}_{_local_name(iri)}" for iri, name in wanted.items()}
    taken: set[str] = set()
    names = {}
    for iri, name in sorted(suffixed.items()):
        number = next(n for n in range(1, len(suffixed) + 1) if _numbered(name, n) not in taken)
        names[iri] = _numbered(name, number)
        taken.add(names[iri])
    return {iri: names[iri] for iri in wanted}


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}_{number}"


def _local_name(iri: str) -> str:
    return "_".join(re.findall(r"\w+", re.split(r"[/#:]", iri.rstrip("/#:"))[-1])) or "term"


def _words(label: str, iri: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKC", label)) or [_local_name(iri)]


def _camel(label: str, iri: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in _words(label, iri))


def _snake(label: str, iri: str) -> str:
    return "_".join(word.lower() for word in _words(label, iri))


def _native_predicate(term: WrapperTerm, prefixes: Mapping[str, str]) -> Any:
    """The native side parsed where a predicate stands, so that it can hold nothing but one."""
    from rdflib import URIRef

    if _IRI.fullmatch(term.native):  # most terms, and parsing takes ten milliseconds
        return URIRef(term.native[1:-1])
    try:
        tree = parse(f"SELECT * {{ ?s {term.native} ?o }}", prefixes)
    except QueryError as error:
        raise ConfigError(f"wrapper term {term.name}: {term.native} is no IRI or property path ({error})") from error
    triples = [t for node in walk(tree) if getattr(node, "name", "") == "TriplesBlock" for t in triples_of(node)]
    if len(triples) != 1 or len(tree.where.part) != 1 or path_text(triples[0][1]).startswith("?"):
        raise ConfigError(f"wrapper term {term.name}: {term.native} is no single IRI or property path")
    return triples[0][1]


def read_wrapper(path: Path) -> Wrapper:
    """A wrapper from a `.yaml` file (see `wrapper_text`) or a `.tsv` of name, native side, endpoint.

    Raises ConfigError for a file that cannot be read, a name used twice, or a native side that is no IRI or
    path.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        terms, prefixes = _from_tsv(text) if path.suffix == ".tsv" else _from_yaml(yaml.safe_load(text))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"cannot read the wrapper {path}: {cut(one_line(str(error)), 200)}") from error
    wrapper = Wrapper(tuple(terms), prefixes)
    names = Counter(t.name for t in wrapper.terms)
    if twice := [t.name for t in wrapper.terms if names[t.name] > 1]:
        raise ConfigError(f"{path}: the term {twice[0]} stands more than once")
    if wrong := [t.name for t in wrapper.terms if not _NAME.fullmatch(t.name)]:
        raise ConfigError(f"{path}: {wrong[0]!r} is no name: letters, digits, _ and - only")
    _ = wrapper.paths
    return wrapper


def _from_yaml(data: Any) -> tuple[list[WrapperTerm], dict[str, str]]:
    if not isinstance(data, dict) or not isinstance(data.get("terms"), dict):
        raise ValueError("it has no mapping `terms`")
    return [_yaml_term(str(n), v) for n, v in data["terms"].items()], dict(data.get("prefixes") or {})


def _yaml_term(name: str, value: Any) -> WrapperTerm:
    if isinstance(value, str):
        return WrapperTerm(name, value)
    if isinstance(value, dict) and isinstance(value.get("native"), str):
        return WrapperTerm(name, value["native"], str(value.get("endpoint") or ""))
    raise ValueError(f"the term {name} has no native side")


def _from_tsv(text: str) -> tuple[list[WrapperTerm], dict[str, str]]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if short := [line for line in lines if not 2 <= len(line.split("\t")) <= 3]:
        raise ValueError(f"{short[0]!r} has not two or three columns")
    return [WrapperTerm(*(cell.strip() for cell in line.split("\t"))) for line in lines], {}


def wrapper_text(wrapper: Wrapper, tsv: bool = False) -> str:
    """The wrapper as a file for editing: YAML with `prefixes` and `terms`, or TSV with full IRIs."""
    if tsv:
        rows = ("\t".join([t.name, t.native, *([t.endpoint] if t.endpoint else [])]) for t in wrapper.terms)
        return "# name\tnative IRI or path\tendpoint\n" + "".join(f"{row}\n" for row in rows)
    terms = {t.name: {"native": t.native, "endpoint": t.endpoint} if t.endpoint else t.native for t in wrapper.terms}
    body = yaml.safe_dump(
        {"prefixes": dict(wrapper.prefixes), "terms": terms},
        allow_unicode=True,
        sort_keys=False,
        width=10_000,
    )
    return f"# Readable terms and what they stand for: an IRI or a property path. Edit freely.\n{body}"
