"""What a graph says about candidate entities, for the texts that likelihoods are conditioned on."""

from __future__ import annotations

from collections.abc import Sequence

from clear_kgqa.likelihood.context import ContextStyle, Described, entity_contexts
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.graph import trusted
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.schema import Property
from clear_kgqa_tools.terms import iri_ref


def candidate_contexts(bundle: GraphBundle, iris: Sequence[str], style: ContextStyle = "full") -> list[str]:
    """One context per candidate, in the given order; an IRI that the index does not hold is described by
    itself.
    """
    return entity_contexts(describe(bundle, iris), style)


def describe(bundle: GraphBundle, iris: Sequence[str]) -> list[Described]:
    """Label, types, description and askable properties of each entity. Raises what `KnowledgeGraph.query`
    raises.
    """
    nodes = bundle.nodes.describe(list(iris))
    typing = {c.predicate for c in bundle.schema.classes}
    askable = [p for p in bundle.schema.properties if p.iri not in typing]
    return [_described(bundle, nodes[iri], askable) if iri in nodes else Described(iri) for iri in iris]


def _described(bundle: GraphBundle, node: Node, askable: Sequence[Property]) -> Described:
    return Described(node.label, node.types, _properties(bundle, node, askable), node.description)


def _properties(bundle: GraphBundle, node: Node, askable: Sequence[Property]) -> tuple[str, ...]:
    """Labels of the entity's own properties, or of those its types may carry where the graph holds no facts
    of it.
    """
    result = bundle.graph.query(trusted(f"SELECT DISTINCT ?p WHERE {{ {iri_ref(node.iri)} ?p ?o }}"))
    used = {term.value for term in result.column("p") if term}
    own = tuple(p.label for p in askable if p.iri in used)
    types = set(node.type_iris)
    return own or tuple(p.label for p in askable if types.intersection(p.domains))
