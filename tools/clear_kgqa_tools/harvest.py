"""One streaming pass over quads: names, types and degrees of nodes, counts and samples of properties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pyoxigraph as ox

from clear_kgqa_tools.harvest_facts import (
    CLASS_TYPES,
    DOMAINS,
    METACLASSES,
    NEVER,
    PROPERTY_TYPES,
    RANGES,
    SAMPLE,
    STRINGS,
    SYMMETRIC,
    Declared,
    NodeFacts,
    PropertyFacts,
)
from clear_kgqa_tools.harvest_names import local_part, node_name, opaque
from clear_kgqa_tools.label_index import LabelRecord
from clear_kgqa_tools.profile import Profile
from clear_kgqa_tools.terms import RDF_TYPE


class Harvest:
    """Collects from a stream of quads what the label index and the schema are made of."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.nodes: dict[str, NodeFacts] = {}
        self.properties: dict[str, PropertyFacts] = {}
        self.instances: Counter[str] = Counter()
        self.class_predicate: dict[str, str] = {}
        self.languages: Counter[str] = Counter()
        self.declared = Declared()
        self.redirects: dict[str, str] = {}
        self.disambiguations: set[str] = set()
        self._labels = list(profile.labels)
        self._aliases = list(profile.aliases)
        self._roles: dict[str, str] = {}
        self._interned: dict[str, str] = {}
        self._tags: dict[str, int] = {}
        self._random = 12345

    def tee(self, quads: Iterable[ox.Quad]) -> Iterator[ox.Quad]:
        """Hand the quads on, learning from each."""
        # One long loop on purpose: it runs once per triple, where every call counts.
        nodes, properties, roles = self.nodes, self.properties, self._roles
        named, literal = ox.NamedNode, ox.Literal
        for quad in quads:
            yield quad
            predicate, target = quad.predicate.value, quad.object
            subject = _key(quad.subject)
            node = nodes.get(subject)
            if node is None:
                node = nodes[subject] = NodeFacts()
            facts = properties.get(predicate)
            if facts is None:
                facts = properties[predicate] = PropertyFacts()
                roles[predicate] = self._role(predicate)
            facts.count += 1
            role = roles[predicate]
            if type(target) is literal:
                value, kind = target.value, target.datatype.value
                if role != "fact" and self._text(role, node, predicate, value, kind, target.language or ""):
                    continue
            elif type(target) is named:
                value, kind = target.value, "iri"
                other = nodes.get(value)
                if other is None:
                    other = nodes[value] = NodeFacts()
                other.incoming += 1
                if role != "fact":
                    self._link(role, subject, node, predicate, value)
            elif isinstance(target, ox.BlankNode):
                value, kind = f"_:{target.value}", "bnode"
                nodes.setdefault(value, NodeFacts()).incoming += 1
            else:
                value, kind = str(target), "triple"
            node.outgoing += 1
            if facts.count <= SAMPLE:
                facts.sample.append((subject, value, kind))
            else:
                # A linear congruence suffices for an even sample and costs a third of random.random.
                self._random = (self._random * 1103515245 + 12345) & 0x7FFFFFFF
                at = self._random % facts.count
                if at < SAMPLE:
                    facts.sample[at] = (subject, value, kind)

    def resolved_profile(self) -> Profile:
        """The profile with the label and alias predicates that were recognised by their local names."""
        return replace(self.profile, labels=tuple(self._labels), aliases=tuple(self._aliases))

    def is_named(self, iri: str) -> bool:
        """Whether the node carries a label or alias of its own."""
        facts = self.nodes.get(iri)
        return facts is not None and facts.rank != NEVER

    def name(self, iri: str) -> str:
        """The node's label, else a name made from its IRI."""
        facts = self.nodes.get(iri)
        return facts.label if facts is not None and facts.label else node_name(iri)

    def records(self) -> Iterator[LabelRecord]:
        """One record per node with a name of its own or a class; no properties, no blank nodes."""
        extra = self._redirected_names()
        skipped = self.schema_properties() | self.redirects.keys() | self.disambiguations
        labels = {c: self.name(c) for c in self.instances}
        for iri, node in self.nodes.items():
            if iri in skipped or iri.startswith("_:") or not self._worth(iri, node):
                continue
            label = node.label or node_name(iri)
            aliases = tuple(a for a in dict.fromkeys((*(node.rest or ()), *extra.get(iri, ()))) if a != label)
            types = tuple(t for t in node.types if t not in METACLASSES)
            degree = node.incoming + node.outgoing
            popularity = float(degree) if node.popularity is None else node.popularity
            yield LabelRecord(iri, label, aliases, tuple(labels[t] for t in types), types, node.description, popularity)

    def schema_properties(self) -> set[str]:
        """IRIs that stand for a property: in use, declared, or the entity that carries a property's label."""
        found = set(self.properties) | self.declared.properties
        found |= {self.property_entity(p) for p in self.properties}
        return found

    def property_entity(self, predicate: str) -> str:
        """The node that carries the labels of a property (itself, where the profile maps no namespace)."""
        for source, target in self.profile.property_namespace:
            if predicate.startswith(source):
                return target + predicate[len(source) :]
        return predicate

    def _worth(self, iri: str, node: NodeFacts) -> bool:
        if node.rank != NEVER:
            return True
        if node.types:
            return not opaque(iri)
        # An IRI only pointed at (dbpedia.org/resource/India) has its local name; files and pages have none.
        return bool(node.incoming) and iri not in METACLASSES and _readable(iri)

    def _redirected_names(self) -> dict[str, list[str]]:
        extra: dict[str, list[str]] = {}
        for source, target in self.redirects.items():
            extra.setdefault(target, []).append(self.name(source))
        return extra

    def _role(self, predicate: str) -> str:
        profile, local = self.profile, local_part(predicate)
        if predicate in profile.type_predicates or predicate == RDF_TYPE:
            return "type"
        if predicate in profile.labels:
            return f"label {profile.labels.index(predicate)}"
        if local in profile.label_names:
            self._labels.append(predicate)
            return f"label {len(profile.labels) + profile.label_names.index(local)}"
        if predicate in profile.aliases:
            return "alias"
        if predicate in profile.descriptions:
            return f"description {profile.descriptions.index(predicate)}"
        if local in profile.alias_names:
            self._aliases.append(predicate)
            return "alias"
        return self._schema_role(predicate)

    def _schema_role(self, predicate: str) -> str:
        profile = self.profile
        roles = (
            (profile.subclass, "parent"),
            (DOMAINS, "domain"),
            (RANGES, "range"),
            (profile.inverse, "inverse"),
            (profile.redirects, "redirect"),
            (profile.disambiguation, "disambiguation"),
            ((profile.popularity,), "popularity"),
        )
        return next((role for predicates, role in roles if predicate in predicates), "fact")

    def _text(self, role: str, node: NodeFacts, predicate: str, value: str, kind: str, language: str) -> bool:
        """Take a literal as name, description or popularity; True where it is nothing else besides."""
        what, _, order = role.partition(" ")
        hidden = predicate in self.profile.hidden
        if what == "popularity":
            node.popularity = _number(value)
            return True
        if kind not in STRINGS or not value.strip():
            return hidden
        if what == "description":
            rank = self._language_rank(language, int(order))
            if rank < node.description_rank:
                node.description, node.description_rank = value, rank
        elif what == "label":
            self.languages[language] += 1
            self._name(node, value, self._language_rank(language, int(order)))
        elif what == "alias" and any(c.isalpha() for c in value):
            self._name(node, value, NEVER // 2 + self._language_rank(language, 0))
        return hidden

    def _language_rank(self, language: str, order: int) -> int:
        """Preferred or no language first, then the predicate's order, then the language's."""
        if not language:
            return order * 100 + len(self.profile.languages)
        rank = self._tags.get(language)
        if rank is None:
            tags = [t.lower() for t in self.profile.languages]
            tag, base = language.lower(), language.lower().split("-")[0]
            rank = tags.index(tag) if tag in tags else 50 + tags.index(base) if base in tags else -1
            self._tags[language] = rank
        return order * 100 + rank if rank >= 0 else 100_000 + order * 100

    def _name(self, node: NodeFacts, value: str, rank: int) -> None:
        if rank < node.rank:
            value, node.label, node.rank = node.label, value, rank
        if value and value != node.label:
            if node.rest is None:
                node.rest = [value]
            elif value not in node.rest:
                node.rest.append(value)

    def _link(self, role: str, subject: str, node: NodeFacts, predicate: str, value: str) -> None:
        declared = self.declared
        if role == "type":
            self._typed(subject, node, predicate, value)
        elif role == "parent":
            declared.parents.setdefault(subject, []).append(value)
            declared.classes.update((subject, value))
        elif role == "domain":
            declared.domains.setdefault(subject, []).append(value)
            declared.properties.add(subject)
        elif role == "range":
            declared.ranges.setdefault(subject, []).append(value)
            declared.properties.add(subject)
        elif role == "inverse":
            declared.inverse[subject] = value
        elif role == "redirect":
            self.redirects[subject] = value
        elif role == "disambiguation":
            self.disambiguations.add(subject)

    def _typed(self, subject: str, node: NodeFacts, predicate: str, value: str) -> None:
        if value in PROPERTY_TYPES:
            self.declared.properties.add(subject)
            if value == SYMMETRIC:
                self.declared.inverse[subject] = subject
        elif value in CLASS_TYPES:
            self.declared.classes.add(subject)
        value = self._interned.setdefault(value, value)
        if value not in node.types:
            node.types = (*node.types, value)
            self.instances[value] += 1
            self.class_predicate.setdefault(value, predicate)


def _key(term: ox.NamedNode | ox.BlankNode | ox.Triple) -> str:
    """The text under which a node is kept: its IRI, or its label after `_:`."""
    return term.value if isinstance(term, ox.NamedNode) else str(term)


def _readable(iri: str) -> bool:
    local = local_part(iri)
    letters = sum(c.isalpha() for c in local)
    return letters >= 3 and letters >= 0.6 * len(local) and "?" not in iri and "." not in local and "@" not in local


def _number(value: str) -> float | None:
    try:
        return max(float(value), 0.0)
    except ValueError:
        return None
