"""Queries over opaque IRIs shown by label."""

from __future__ import annotations

from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.examples.linearise import linearise
from clear_kgqa.examples.patterns import query_pattern
from clear_kgqa.examples.readable import readable_samples
from clear_kgqa.examples.structure import structural_type
from clear_kgqa.nlkgq.wrapper import NAMESPACE
from clear_kgqa_tools.bundle import GraphBundle

P = "PREFIX ex: <http://ex.org/> "


def test_terms_are_labels_and_equal_labels_stay_apart(bundle: GraphBundle) -> None:
    samples = [
        Sample("1", "Capital of Georgia?", P + "SELECT ?a { ex:georgia ex:capital ?a }"),
        Sample("2", "Cities of Georgia?", P + "SELECT ?a { ?a ex:state ex:georgiaUS . ?a a ex:City }"),
        Sample("3", "Strange?", P + "ASK { ex:unlabelled ex:capital ex:al }"),
    ]
    shown = readable_samples(samples, bundle)
    lines = [linearise(query_pattern(s.sparql), {"": NAMESPACE}) for s in shown]
    assert lines[0] == ":Georgia_georgia [SEP] :capital [SEP] [ROOT] [END]"
    assert lines[1].startswith("[ROOT] [SEP] :state [SEP] :Georgia_georgiaUS [END]")
    assert lines[1].endswith(":City [END]")
    assert "<http://ex.org/unlabelled> [SEP] :capital" in lines[2]
    for before, after in zip(samples, shown, strict=True):
        assert (before.id, before.question) == (after.id, after.question)
    assert structural_type(shown[0].sparql) == structural_type(samples[0].sparql)
