"""Harvest an endpoint's names, types and properties page by page, to search them locally."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any

from clear_kgqa_tools.build import build_graph, replace_folder
from clear_kgqa_tools.build_report import BuildReport, Progress
from clear_kgqa_tools.endpoint_search import literals_of
from clear_kgqa_tools.errors import ConfigError, EndpointError, LimitExceeded, QueryError
from clear_kgqa_tools.graph import KnowledgeGraph, Limits, trusted
from clear_kgqa_tools.harvest_names import local_part, term_names
from clear_kgqa_tools.profile import Profile
from clear_kgqa_tools.profiles_detect import detect_profile
from clear_kgqa_tools.schema import Property, Schema
from clear_kgqa_tools.terms import XSD, QueryResult, Term, iri_ref

PAGE, SMALLEST_PAGE = 10_000, 250
SAMPLED_EDGES = 200
PROPERTIES = 2_000
DEGREE = "urn:clear-kgqa:degree"
_DEGREES = 200_000
_QUERY_SECONDS = 60.0
_FAILURES = (LimitExceeded, EndpointError, QueryError)
_WIKIBASE = "http://wikiba.se/ontology#directClaim"


def endpoint_properties(
    graph: KnowledgeGraph, seconds: float = _QUERY_SECONDS, whole: float = math.inf
) -> dict[str, int]:
    """The endpoint's most used properties with their counts (0 where it would not count).

    A question takes `seconds` at most, and none so much of the `whole` that the next ones have less. Raises
    EndpointError where it answers none of the questions.
    """
    end = monotonic() + whole
    texts = (
        f"SELECT ?p (COUNT(*) AS ?n) WHERE {{ ?s ?p ?o }} GROUP BY ?p ORDER BY DESC(?n) LIMIT {PROPERTIES}",
        f"SELECT DISTINCT ?p WHERE {{ ?s ?p ?o }} LIMIT {PROPERTIES}",
        f"SELECT DISTINCT ?p WHERE {{ ?e {iri_ref(_WIKIBASE)} ?p }} LIMIT {PROPERTIES}",
    )
    failure: Exception | None = None
    for asked, text in enumerate(texts):
        share = max(end - monotonic(), 0.0) / (len(texts) - asked)
        try:
            result = graph.query(trusted(text), Limits(min(seconds, share), rows=PROPERTIES))
        except _FAILURES as error:
            failure = error
            continue
        if result.rows:
            return {row[0].value: _count(row) for row in result.rows if row[0] is not None}
    raise EndpointError(str(failure) if failure else "the endpoint holds no data in its default graph")


def _count(row: tuple[Term | None, ...]) -> int:
    return int(row[1].value) if len(row) > 1 and row[1] is not None else 0


def with_names_in_use(profile: Profile, predicates: Iterable[str]) -> Profile:
    """The profile with label and alias predicates that are in use, those known by their local names too."""
    used = {p: local_part(p) for p in predicates}
    labels = [p for p in profile.labels if p in used]
    labels += [p for p, local in used.items() if local in profile.label_names and p not in labels]
    aliases = [p for p in profile.aliases if p in used]
    aliases += [p for p, local in used.items() if local in profile.alias_names and p not in aliases]
    return replace(profile, labels=tuple(labels) or profile.labels, aliases=tuple(aliases))


@dataclass
class _State:
    """How far the harvest of a source has come; written after every page."""

    source: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    step: int = 0
    offset: int = 0
    size: int = 0


class EndpointHarvest:
    """One harvest into a folder of its own, taken up again where an earlier one stopped."""

    def __init__(
        self, graph: KnowledgeGraph, source: str, profile: Profile | None, work: Path, progress: Progress
    ) -> None:
        self._graph, self._progress = graph, progress
        self._file, self._state_file = work / "pages.nt", work / "state.json"
        work.mkdir(parents=True, exist_ok=True)
        self._state = self._read_state(f"{source} {profile.name if profile else ''}")
        if not self._state.counts:
            progress("asking for the endpoint's properties", 0.0)
            self._state.counts = endpoint_properties(graph)
        self.profile = profile or detect_profile(self._state.counts)
        self._page = PAGE

    @property
    def counts(self) -> dict[str, int]:
        """Property IRIs with their numbers of triples."""
        return self._state.counts

    def run(self) -> Path:
        """Fetch what is missing; returns a file of N-Triples. Raises EndpointError, keeping what it has."""
        steps = self._steps()
        with self._file.open("ab") as file:
            file.truncate(self._state.size)
            while self._state.step < len(steps):
                kind, predicate = steps[self._state.step]
                for rows in self._pages(predicate) if kind == "names" else [self._once(kind, predicate)]:
                    file.write("".join(rows).encode("utf-8", "replace"))
                    file.flush()
                    self._state.size = file.tell()
                    self._write_state()
                    self._progress("harvesting names and properties", self._state.step / len(steps))
                self._state.step, self._state.offset = self._state.step + 1, 0
                self._write_state()
        return self._file

    def _steps(self) -> list[tuple[str, str]]:
        """Every name, type and schema predicate in full, samples of the others, the most linked nodes."""
        profile = with_names_in_use(self.profile, self.counts)
        schema = "http://www.w3.org/2000/01/rdf-schema#"
        whole = [
            *profile.labels,
            *profile.aliases,
            *profile.descriptions,
            *profile.type_predicates,
            *profile.subclass,
            *profile.redirects,
            *profile.disambiguation,
            *profile.inverse,
            profile.popularity,
            schema + "domain",
            schema + "range",
        ]
        names = [p for p in dict.fromkeys(whole) if p in self.counts]
        samples = [p for p in self.counts if p not in names and p not in profile.hidden]
        degrees = [] if profile.popularity in self.counts else [("degree", DEGREE)]
        return [*(("names", p) for p in names), *(("sample", p) for p in samples), *degrees]

    def _pages(self, predicate: str) -> Iterator[list[str]]:
        """Pages until an empty one, since servers cut rows without saying so."""
        while True:
            text = f"SELECT ?s ?o WHERE {{ ?s {iri_ref(predicate)} ?o }}"
            result = self._smaller_until_answered(text)
            if not result.rows:
                return
            self._state.offset += len(result.rows)
            yield _lines(result, predicate)

    def _smaller_until_answered(self, text: str) -> QueryResult:
        while True:
            try:
                return self._graph.query(
                    trusted(f"{text} LIMIT {self._page} OFFSET {self._state.offset}"),
                    Limits(seconds=_QUERY_SECONDS, rows=self._page),
                )
            except (LimitExceeded, EndpointError):
                if self._page <= SMALLEST_PAGE:
                    raise
                self._page //= 2

    def _once(self, kind: str, predicate: str) -> list[str]:
        """A sample of a property, or the nodes that most triples point at; nothing where it gives up."""
        text = f"SELECT ?s ?o WHERE {{ ?s {iri_ref(predicate)} ?o }} LIMIT {SAMPLED_EDGES}"
        if kind == "degree":
            text = (
                "SELECT ?s (COUNT(*) AS ?o) WHERE { ?x ?p ?s FILTER(isIRI(?s)) } "
                f"GROUP BY ?s ORDER BY DESC(?o) LIMIT {_DEGREES}"
            )
        try:
            return _lines(self._graph.query(trusted(text), Limits(_QUERY_SECONDS, rows=_DEGREES)), predicate)
        except _FAILURES:
            return []

    def _read_state(self, source: str) -> _State:
        try:
            state = _State(**json.loads(self._state_file.read_text()))
        except (OSError, ValueError, TypeError):
            state = _State()
        return state if state.source == source else _State(source)

    def _write_state(self) -> None:
        new = self._state_file.with_suffix(".new")
        new.write_text(json.dumps(vars(self._state)))
        new.replace(self._state_file)


def add_endpoint(
    graph: KnowledgeGraph, url: str, folder: Path, profile: Profile | None, progress: Progress
) -> BuildReport:
    """Build the label index and schema of an endpoint; interrupted, the next call goes on from there."""
    work = folder.parent / f".{folder.name}.harvest"
    harvest = EndpointHarvest(graph, url, profile, work, progress)
    pages = harvest.run()
    if not pages.stat().st_size:
        shutil.rmtree(work)
        raise ConfigError(f"{url} gave no names, types or properties to build an index from")
    used = (
        harvest.profile if harvest.profile.popularity in harvest.counts else replace(harvest.profile, popularity=DEGREE)
    )
    built = work / "graph"
    report = build_graph(pages, built, used, progress, origin=url)
    triples = sum(harvest.counts.values())
    schema = Schema.from_json(json.loads((built / "schema.json").read_text(encoding="utf-8")))
    properties = tuple(
        replace(p, count=harvest.counts.get(p.iri, 0), subjects=0, objects=0)
        for p in schema.properties
        if p.iri != DEGREE
    )
    counted = replace(schema, triples=triples, properties=tuple(sorted(properties, key=lambda p: (-p.count, p.iri))))
    _write(built / "schema.json", counted.to_json())
    meta = json.loads((built / "meta.json").read_text(encoding="utf-8"))
    _write(built / "meta.json", {**meta, "endpoint": url, "sha256": "", "triples": triples})
    shutil.rmtree(built / "store")
    replace_folder(built, folder)
    shutil.rmtree(work)
    return replace(report, triples=triples, data_hash="")


def minimal_schema(graph: KnowledgeGraph, counts: dict[str, int], profile: Profile) -> Schema:
    """The properties alone, with their labels where the endpoint has some."""
    shown = [p for p in counts if p not in profile.hidden]
    carriers = {p: _carrier(p, profile) for p in shown}
    labels = literals_of(graph, list(carriers.values()), profile.labels, profile)
    properties = (
        Property(
            p,
            labels.get(carriers[p]) or labels.get(p) or term_names(p)[0],
            count=counts[p],
            values="mixed",
            mediator=profile.qualifiers and p.startswith("http://www.wikidata.org/prop/P"),
        )
        for p in shown
    )
    return Schema(tuple(properties), triples=sum(counts.values()))


def _carrier(predicate: str, profile: Profile) -> str:
    return next(
        (to + predicate[len(of) :] for of, to in profile.property_namespace if predicate.startswith(of)),
        predicate,
    )


def _lines(result: QueryResult, predicate: str) -> list[str]:
    """Rows of (subject, object) as N-Triples; blank nodes, which mean nothing elsewhere, are left out."""
    lines = []
    for s, o in result.rows:
        if s is not None and o is not None and s.kind == "iri" and o.kind in ("iri", "literal"):
            value = Term(o.value, "literal", XSD + "integer") if predicate == DEGREE else o
            lines.append(f"{s.n3()} {iri_ref(predicate)} {value.n3()} .\n")
    return lines


def _write(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
