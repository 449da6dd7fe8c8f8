"""Graph profiles: what is particular to a vocabulary (label predicates, type predicates, prefixes), kept in YAML."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Profile:
    """How to read one family of graphs.

    Predicates are IRIs, in order of preference. `type_predicates` assign classes; `popularity` is a property whose
    number says how well known a node is (empty: degree is used). `hidden` lists property IRIs that are bookkeeping, never
    an answer (labels, descriptions, identifiers). `property_namespace` maps a statement property to the entity that carries
    its label (Wikidata: wdt:P31 -> wd:P31) as (from, to) prefixes. `name_search` is "index", "wikidata", "virtuoso" or "qlever".
    `label_names` and `alias_names` are local names of predicates that serve as labels and aliases whatever their namespace;
    `inverse` declares inverse properties; `detect` lists IRI prefixes of predicates that tell this family of graphs.
    """

    name: str = "generic"
    labels: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    descriptions: tuple[str, ...] = ()
    type_predicates: tuple[str, ...] = ()
    subclass: tuple[str, ...] = ()
    popularity: str = ""
    hidden: tuple[str, ...] = ()
    mediator_types: tuple[str, ...] = ()
    redirects: tuple[str, ...] = ()
    disambiguation: tuple[str, ...] = ()
    property_namespace: tuple[tuple[str, str], ...] = ()
    qualifiers: bool = False
    languages: tuple[str, ...] = ("en",)
    prefixes: dict[str, str] = field(default_factory=dict)
    name_search: str = "index"
    detect: tuple[str, ...] = ()
    label_names: tuple[str, ...] = ()
    alias_names: tuple[str, ...] = ()
    inverse: tuple[str, ...] = ()
