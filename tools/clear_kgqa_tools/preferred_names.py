"""Names in the languages that a user prefers: asked of the graph itself, as an index keeps names without languages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from clear_kgqa_tools.build_report import Progress
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.endpoint_search import EndpointSearch
from clear_kgqa_tools.errors import ConfigError, LimitExceeded
from clear_kgqa_tools.folding import fold
from clear_kgqa_tools.graph import KnowledgeGraph, Limits, trusted
from clear_kgqa_tools.label_index import LabelIndex
from clear_kgqa_tools.label_index_build import LABEL_BONUS
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.profile import Profile
from clear_kgqa_tools.schema import Class, Property, Schema
from clear_kgqa_tools.terms import iri_ref, string_literal

_LIMITS = Limits(seconds=5.0, rows=20_000)
_AT_ONCE = 200
_KEPT = 20_000
_LONGER = 3  # times as many candidates are ranked as are asked for

Entry = TypeVar("Entry", Property, Class)


def in_languages(bundle: GraphBundle, languages: tuple[str, ...], progress: Progress) -> GraphBundle:
    """The bundle with names and descriptions in `languages` (tags, the preferred first) where the graph has them.

    What has no name in them keeps its own. `progress` gets a note where no name of the graph is in any of them.
    Raises ConfigError for what is no language tag.
    """
    if wrong := [tag for tag in languages if not tag.replace("-", "").isalnum() or not tag.isascii()]:
        raise ConfigError(f"{wrong[0]!r} is no language: write tags such as de or pt-br, with commas between them")
    own = bundle.profile.languages
    if not languages or languages == own[: len(languages)]:
        return bundle
    held = _held(bundle)
    if held and not any(tag.lower().split("-")[0] == want.split("-")[0] for tag in held for want in languages):
        known = ", ".join(sorted(t for t in held if t)[:8]) or "no language that is named"
        progress(f"{bundle.name} has no names in {', '.join(languages)}; its own are shown ({known})", 0.0)
        return bundle
    profile = replace(bundle.profile, languages=(*languages, *(tag for tag in own if tag not in languages)))
    if isinstance(bundle.nodes, EndpointSearch):
        bundle = replace(bundle, nodes=EndpointSearch(bundle.graph, profile))
    elif isinstance(bundle.nodes, LabelIndex):
        bundle = replace(bundle, nodes=PreferredNames(bundle.nodes, bundle.graph, profile, languages))
    schema = _schema(bundle.schema, _Texts(bundle.graph, profile.labels, languages), profile)
    return replace(bundle, profile=profile, schema=schema)


def _held(bundle: GraphBundle) -> list[str]:
    """The languages of the graph's labels, where its index has counted them."""
    if bundle.folder is None:
        return []
    meta = json.loads((bundle.folder / "meta.json").read_text(encoding="utf-8"))
    return list(meta.get("languages") or ())


class PreferredNames:
    """A NodeSearch over a label index, with names in the preferred languages and the index's own as fallback."""

    def __init__(self, index: LabelIndex, graph: KnowledgeGraph, profile: Profile, languages: tuple[str, ...]) -> None:
        self._index = index
        self._labels = _Texts(graph, profile.labels, languages)
        self._descriptions = _Texts(graph, profile.descriptions, languages)
        self.known_word = index.known_word

    def search(self, name: str, k: int = 10) -> list[Node]:
        """At most k nodes: exact names first, those that are a preferred label before others."""
        return self._ranked(name, self._index.search(name, _LONGER * k))[:k] if k > 0 else []

    def exact(self, names: list[str]) -> dict[str, list[Node]]:
        """The nodes that carry each name as label or alias, best first; names without any are left out."""
        found = self._index.exact(names)
        self._fetch([node for nodes in found.values() for node in nodes])
        return {name: self._ranked(name, nodes) for name, nodes in found.items()}

    def complete(self, prefix: str, k: int = 10) -> list[Node]:
        """The most popular nodes with a name that starts so."""
        return self._translated(self._index.complete(prefix, k))

    def typos(self, name: str, k: int = 3) -> list[Node]:
        """Nodes whose whole name is one or two typos away."""
        return self._translated(self._index.typos(name, k))

    def describe(self, iris: list[str]) -> dict[str, Node]:
        """The indexed nodes among the IRIs."""
        found = self._index.describe(iris)
        return dict(zip(found, self._translated(list(found.values())), strict=True))

    def _ranked(self, name: str, nodes: list[Node]) -> list[Node]:
        """Exact matches again as the index ranks them, by which name is now the label; the others stay behind."""
        folded = fold(name)
        shown = [_matched(node, folded) for node in self._translated(nodes)]
        exact = [n for n in shown if n.match in ("label", "alias")]
        rest = [n for n in shown if n.match not in ("label", "alias")]
        return sorted(exact, key=lambda n: -(1 + n.popularity) * (LABEL_BONUS if n.match == "label" else 1)) + rest

    def _translated(self, nodes: list[Node]) -> list[Node]:
        self._fetch(nodes)
        labels, descriptions = self._labels.kept, self._descriptions.kept
        return [
            replace(
                node,
                label=labels.get(node.iri) or node.label,
                description=descriptions.get(node.iri) or node.description,
                types=tuple(labels.get(iri) or t for iri, t in zip(node.type_iris, node.types, strict=False)),
            )
            for node in nodes
        ]

    def _fetch(self, nodes: list[Node]) -> None:
        self._labels.fetch(iri for node in nodes for iri in (node.iri, *node.type_iris))
        self._descriptions.fetch(node.iri for node in nodes)


def _matched(node: Node, folded: str) -> Node:
    """The match told by the label that is shown."""
    if node.match in ("label", "alias"):
        return replace(node, match="label" if fold(node.label) == folded else "alias")
    return node


class _Texts:
    """One text per node in the preferred languages, by some predicates; `kept` has "" for nodes without one."""

    def __init__(self, graph: KnowledgeGraph, predicates: tuple[str, ...], languages: tuple[str, ...]) -> None:
        self._graph, self._predicates, self._languages = graph, predicates, languages
        self.kept: dict[str, str] = {}

    def fetch(self, iris: Iterable[str]) -> None:
        """See to it that `kept` has an entry for every IRI."""
        wanted = list(dict.fromkeys(iris)) if self._predicates else []
        if len(self.kept) > _KEPT:
            self.kept = {}
        new = [iri for iri in wanted if iri not in self.kept]
        for at in range(0, len(new), _AT_ONCE):
            part = new[at : at + _AT_ONCE]
            self.kept |= dict.fromkeys(part, "") | self._asked(part)

    def _asked(self, iris: list[str]) -> dict[str, str]:
        wanted = " || ".join(f"LANGMATCHES(LANG(?text), {string_literal(tag)})" for tag in self._languages)
        query = (
            f"SELECT ?node ?p ?text WHERE {{ VALUES ?node {{ {' '.join(map(iri_ref, iris))} }} "
            f"VALUES ?p {{ {' '.join(map(iri_ref, self._predicates))} }} ?node ?p ?text FILTER({wanted}) }}"
        )
        try:
            rows = self._graph.query(trusted(query), _LIMITS).rows
        except LimitExceeded:
            return {}  # the index's own names serve as well
        best: dict[str, tuple[tuple[int, int, str], str]] = {}
        for node, predicate, text in rows:
            if node is not None and predicate is not None and text is not None:
                rank = (self._rank(text.language), self._predicates.index(predicate.value), text.value)
                if node.value not in best or rank < best[node.value][0]:
                    best[node.value] = (rank, text.value)
        return {iri: text for iri, (_, text) in best.items()}

    def _rank(self, language: str) -> int:
        """The place of the language among the preferred; "de-at" stands for "de" where it is all there is."""
        tag = language.lower()
        return next(
            2 * i + (tag != want) for i, want in enumerate(self._languages) if tag == want or tag.startswith(f"{want}-")
        )


def _schema(schema: Schema, texts: _Texts, profile: Profile) -> Schema:
    """Properties and classes under their preferred labels; the names they had become aliases."""

    def holder(iri: str) -> str:
        start = next(((a, b) for a, b in profile.property_namespace if iri.startswith(a)), None)
        return start[1] + iri.removeprefix(start[0]) if start else iri

    texts.fetch([*(holder(p.iri) for p in schema.properties), *(c.iri for c in schema.classes)])

    def named(entry: Entry, at: Callable[[str], str]) -> Entry:
        label = texts.kept.get(at(entry.iri)) or entry.label
        aliases = (entry.label, *entry.aliases) if label != entry.label else entry.aliases
        return replace(entry, label=label, aliases=tuple(a for a in dict.fromkeys(aliases) if a != label))

    return replace(
        schema,
        properties=tuple(named(p, holder) for p in schema.properties),
        classes=tuple(named(c, str) for c in schema.classes),
    )
