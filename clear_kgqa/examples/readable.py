"""Samples over a graph of opaque IRIs, rewritten to readable terms so that a model can be shown them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.nlkgq.query_tree import parse, walk
from clear_kgqa.nlkgq.rewriter import to_readable
from clear_kgqa.nlkgq.wrapper import wrapper_of_names
from clear_kgqa_tools.bundle import GraphBundle


def readable_samples(samples: Sequence[Sample], bundle: GraphBundle) -> list[Sample]:
    """The samples with each IRI of their queries replaced by a term made of its label (`w:Peru`).

    One term stands for one IRI in all samples, so equal names are told apart; IRIs without a label stay.
    Raises QueryError where a query cannot be parsed.
    """
    iris = {str(node) for s in samples for node in walk(parse(s.sparql)) if _is_iri(node)}
    labels = {iri: node.label for iri, node in bundle.nodes.describe(sorted(iris)).items()}
    labels |= {c.iri: c.label[:1].upper() + c.label[1:] for c in bundle.schema.classes if c.iri in iris}
    labels |= {p.iri: p.label for p in bundle.schema.properties if p.iri in iris}
    wrapper = wrapper_of_names(labels, {})
    return [replace(s, sparql=to_readable(s.sparql, wrapper)) for s in samples]


def _is_iri(node: object) -> bool:
    from rdflib import URIRef

    return isinstance(node, URIRef)
