"""Search nodes by name on an endpoint without a local index: its own text search, else exact labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from clear_kgqa_tools.errors import EndpointError, LimitExceeded, QueryError
from clear_kgqa_tools.folding import fold
from clear_kgqa_tools.graph import KnowledgeGraph, trusted
from clear_kgqa_tools.harvest_names import node_name
from clear_kgqa_tools.nodes import Match, Node
from clear_kgqa_tools.profile import Profile
from clear_kgqa_tools.terms import Term, iri_ref, string_literal

_PER_NAME = 30
_PER_QUERY = 100
_DEGREE_LOOKED_AT = 1_000
_WORD_LIMIT = 12
_NAME_LIMIT = 200


class EndpointSearch:
    """A NodeSearch by queries to the endpoint. Its methods raise what the graph raises."""

    def __init__(self, graph: KnowledgeGraph, profile: Profile) -> None:
        self._graph = graph
        self._profile = profile
        self._text_search = profile.name_search
        self._text_search_works = False

    def search(self, name: str, k: int = 10) -> list[Node]:
        """At most k nodes: exact names first, then those of its text search; ties by popularity."""
        name = " ".join(name.split())[:_NAME_LIMIT]
        if not name or k < 1:
            return []
        exact = self._lookup([name]).get(fold(name), {})
        found = dict(exact)
        for iri, label in self._by_text(name) if len(exact) < k else ():
            found.setdefault(iri, label)
        nodes = self._described(list(found))
        ranked = [
            replace(nodes[iri], match=_match(iri in exact, nodes[iri], label), matched=label)
            for iri, label in found.items()
        ]
        return sorted(ranked, key=lambda n: (n.match == "fuzzy", -n.popularity))[:k]

    def exact(self, names: list[str]) -> dict[str, list[Node]]:
        """The nodes that bear each name, most popular first; names without any are left out."""
        found = self._lookup([n[:_NAME_LIMIT] for n in names if n.strip()])
        nodes = self._described([iri for matches in found.values() for iri in matches])
        out = {}
        for name in names:
            matches = found.get(fold(name[:_NAME_LIMIT]), {})
            hits = [replace(nodes[i], match=_match(True, nodes[i], m), matched=m) for i, m in matches.items()]
            if hits:
                out[name] = sorted(hits, key=lambda n: -n.popularity)
        return out

    def describe(self, iris: list[str]) -> dict[str, Node]:
        """The nodes with a label among the IRIs."""
        return {iri: node for iri, node in self._described(iris, popularity=False).items() if node.label}

    def _lookup(self, names: list[str]) -> dict[str, dict[str, str]]:
        """Folded name -> node -> the name it bears, for names in the spellings that labels mostly have."""
        literals = list(dict.fromkeys(lit for name in names for lit in self._spellings(name)))
        predicates = " ".join(map(iri_ref, (*self._profile.labels, *self._profile.aliases)))
        found: dict[str, dict[str, str]] = {}
        for start in range(0, len(literals), _PER_QUERY):
            values = " ".join(literals[start : start + _PER_QUERY])
            text = (
                f"SELECT DISTINCT ?s ?l WHERE {{ VALUES ?l {{ {values} }} VALUES ?p {{ {predicates} }} "
                f"?s ?p ?l "
                f"FILTER(isIRI(?s)) }} LIMIT {_PER_NAME * max(len(names), 1)}"
            )
            for s, label in self._graph.query(trusted(text)).rows:
                if s is not None and label is not None:
                    found.setdefault(fold(label.value), {}).setdefault(s.value, label.value)
        return found

    def _spellings(self, name: str) -> Iterator[str]:
        for text in dict.fromkeys((name, name.lower(), name.title(), name[:1].upper() + name[1:], name.upper())):
            yield string_literal(text)
            yield from (Term(text, language=tag).n3() for tag in self._profile.languages)

    def _by_text(self, name: str) -> list[tuple[str, str]]:
        """Nodes by the endpoint's own text search; one that the endpoint does not have is not tried again."""
        text = {"wikidata": self._wikidata, "virtuoso": self._virtuoso}.get(self._text_search)
        if text is None or not any(c.isalnum() for c in name):
            return []
        try:
            rows = self._graph.query(trusted(text(name))).rows
        except LimitExceeded:
            return []
        except (QueryError, EndpointError):
            if not self._text_search_works:
                self._text_search = "index"
            return []
        self._text_search_works = True
        return [(s.value, label.value) for s, label in rows if s is not None and label is not None]

    def _wikidata(self, name: str) -> str:
        """Wikidata's entity search service, which its own endpoint offers inside SPARQL."""
        language = string_literal(self._profile.languages[0] if self._profile.languages else "en")
        return (
            "SELECT ?s ?l WHERE { SERVICE <http://wikiba.se/ontology#mwapi> { "
            "<http://www.bigdata.com/rdf#serviceParam> "
            '<http://wikiba.se/ontology#endpoint> "www.wikidata.org" ; '
            '<http://wikiba.se/ontology#api> "EntitySearch" ; '
            f"<https://www.mediawiki.org/ontology#API/search> {string_literal(name)} ; "
            f"<https://www.mediawiki.org/ontology#API/language> {language} . "
            "?s <http://wikiba.se/ontology#apiOutputItem> <https://www.mediawiki.org/ontology#API/item> . "
            "?l <http://wikiba.se/ontology#apiOutput> <https://www.mediawiki.org/ontology#API/label> . } "
            f"}} LIMIT {_PER_NAME}"
        )

    def _virtuoso(self, name: str) -> str:
        words = re.findall(r"[^\W_]+", name)
        longer = [word for word in words if len(word) > 1] or words  # of "Queen's" it indexes no "s"
        wanted = string_literal(" AND ".join(f"'{word}'" for word in longer[:_WORD_LIMIT]))
        return (
            f"SELECT DISTINCT ?s ?l WHERE {{ ?s {iri_ref(self._profile.labels[0])} ?l . "
            f"?l <bif:contains> {wanted} "
            f"FILTER(isIRI(?s)) }} LIMIT {_PER_NAME}"
        )

    def _described(self, iris: list[str], popularity: bool = True) -> dict[str, Node]:
        profile, distinct = self._profile, list(dict.fromkeys(iris))
        labels = literals_of(self._graph, distinct, profile.labels, profile)
        about = literals_of(self._graph, distinct, profile.descriptions, profile)
        types = self._types(distinct)
        kinds = literals_of(self._graph, list({t for some in types.values() for t in some}), profile.labels, profile)
        degrees = self._popularity(distinct) if popularity else {}
        return {
            iri: Node(
                iri,
                labels.get(iri, ""),
                tuple(kinds.get(t) or node_name(t) for t in types.get(iri, ())),
                tuple(types.get(iri, ())),
                about.get(iri, ""),
                degrees.get(iri, 0.0),
            )
            for iri in distinct
        }

    def _types(self, iris: list[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for s, _, o in _edges(self._graph, iris, self._profile.type_predicates):
            if o.kind == "iri":
                found.setdefault(s.value, []).append(o.value)
        return found

    def _popularity(self, iris: list[str]) -> dict[str, float]:
        """The profile's number, else how many triples point at the node, counted up to a thousand."""
        if self._profile.popularity:
            edges = _edges(self._graph, iris, (self._profile.popularity,))
            return {s.value: float(o.value) for s, _, o in edges if o.value.isdecimal()}
        degrees: dict[str, float] = {}
        for start in range(0, len(iris), _PER_NAME):
            parts = " UNION ".join(
                f"{{ SELECT ({iri} AS ?s) ?x WHERE {{ ?x ?p {iri} }} LIMIT {_DEGREE_LOOKED_AT} }}"
                for iri in map(iri_ref, iris[start : start + _PER_NAME])
            )
            rows = self._graph.query(trusted(f"SELECT ?s (COUNT(*) AS ?n) WHERE {{ {parts} }} GROUP BY ?s")).rows
            degrees |= {s.value: float(n.value) for s, n in rows if s is not None and n is not None}
        return degrees


def literals_of(graph: KnowledgeGraph, iris: list[str], predicates: Iterable[str], profile: Profile) -> dict[str, str]:
    """One text per node by the profile's order of languages and predicates; nodes without are left out."""
    order = {p: n for n, p in enumerate(predicates)}
    best: dict[str, tuple[tuple[int, int], str]] = {}
    for s, p, o in _edges(graph, iris, order):
        if o.kind == "literal":
            rank = (_language_rank(o.language, profile.languages), order[p.value])
            if s.value not in best or rank < best[s.value][0]:
                best[s.value] = (rank, o.value)
    return {iri: text for iri, (_, text) in best.items()}


def _language_rank(language: str, preferred: tuple[str, ...]) -> int:
    if not language:
        return len(preferred)
    return preferred.index(language) if language in preferred else len(preferred) + 1


def _edges(graph: KnowledgeGraph, iris: list[str], predicates: Iterable[str]) -> Iterator[tuple[Term, Term, Term]]:
    properties = " ".join(map(iri_ref, predicates))
    for start in range(0, len(iris) if properties else 0, _PER_QUERY):
        nodes = " ".join(map(iri_ref, iris[start : start + _PER_QUERY]))
        text = f"SELECT ?s ?p ?o WHERE {{ VALUES ?s {{ {nodes} }} VALUES ?p {{ {properties} }} ?s ?p ?o }}"
        for s, p, o in graph.query(trusted(text)).rows:
            if s is not None and p is not None and o is not None:
                yield s, p, o


def _match(exact: bool, node: Node, name: str) -> Match:
    if not exact:
        return "fuzzy"
    return "label" if fold(node.label) == fold(name) else "alias"
