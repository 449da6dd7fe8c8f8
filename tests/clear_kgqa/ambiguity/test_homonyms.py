"""The homonym injector: shared names, who is asked, and that the graph with them can be built."""

from __future__ import annotations

import json
from pathlib import Path

import pyoxigraph as ox
import pytest

from clear_kgqa.ambiguity.homonyms import Homonym, Injected, Kind, inject, quads_with, with_node
from clear_kgqa.cli import main
from clear_kgqa.evaluation.samples import Sample, read_samples
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.execute import ExecuteSPARQL
from clear_kgqa_tools.open_bundle import open_bundle

EX = "http://ex.org/"
SAMPLES = [
    Sample("1", "What is the population of Lyon?", f"SELECT ?x {{ <{EX}lyon> <{EX}population> ?x }}"),
    Sample("2", "Who directed Heat?", f"PREFIX ex: <{EX}> SELECT ?x {{ ex:heat1995 ex:director ?x }}"),
    Sample("3", "What is the capital of France?", f"SELECT ?x {{ <{EX}france> <{EX}capital> ?x }}"),
    Sample("4", "Which city?", f"SELECT ?x {{ <{EX}lyon> <{EX}country> ?x }}"),
    Sample("5", "No query here"),
    Sample("6", "Broken", "SELECT ?x {"),
]


def injected(bundle: GraphBundle, kind: Kind, seed: int = 0) -> Injected:
    return inject(bundle, SAMPLES, ExecuteSPARQL(bundle.graph, bundle.profile.prefixes).check, kind, seed)


def test_same_type(bundle: GraphBundle) -> None:
    made = injected(bundle, "same")
    lyon = made.samples[0]
    assert lyon.intended == EX + "lyon" and lyon.candidates[0] == EX + "lyon"
    assert lyon.needs_clarification  # every city has a population, and another one
    assert all(h.same_type for h in made.homonyms)
    other = bundle.nodes.describe([lyon.candidates[1]])[lyon.candidates[1]]
    assert other.type_iris == (EX + "City",)
    named = {EX + "lyon", EX + "heat1995", EX + "france"}
    assert not named & {h.iri for h in made.homonyms}


def test_different_types_seldom_need_a_clarification(bundle: GraphBundle) -> None:
    made = injected(bundle, "different")
    assert made.homonyms and not any(h.same_type for h in made.homonyms)
    assert made.samples[1].needs_clarification is False  # nothing but a film has a director


def test_questions_that_name_nothing_stay(bundle: GraphBundle) -> None:
    assert injected(bundle, "both").samples[3:] == SAMPLES[3:]


def test_the_seed_decides(bundle: GraphBundle) -> None:
    assert injected(bundle, "both", 1) == injected(bundle, "both", 1)
    assert len({tuple(h.iri for h in injected(bundle, "same", s).homonyms) for s in range(5)}) > 1


def test_labels_are_replaced_and_nothing_else() -> None:
    a, label, note = ox.NamedNode(EX + "a"), ox.NamedNode("http://l"), ox.NamedNode("http://n")
    quads = [
        ox.Quad(a, label, ox.Literal("A", language="en")), ox.Quad(a, note, ox.Literal("A")), ox.Quad(ox.NamedNode(EX + "b"), label, ox.Literal("B")),
    ]  # fmt: skip
    out = list(quads_with(quads, [Homonym(EX + "a", "Heat", EX + "heat", True)], ["http://l"]))
    assert out == [ox.Quad(a, label, ox.Literal("Heat", language="en")), *quads[1:]]


def test_a_query_about_another_node() -> None:
    old, new = EX + "a", EX + "n"
    assert with_node(f"SELECT * {{ <{old}> ?p <{old}b> }}", old, new) == f"SELECT * {{ <{new}> ?p <{old}b> }}"
    prefixed = f"PREFIX e: <{EX}> SELECT * {{ e:a ?p 'e:a' }}"
    assert with_node(prefixed, old, new) == f"PREFIX e: <{EX}> SELECT * {{ <{new}> ?p 'e:a' }}"


def test_the_command_writes_a_graph_that_works(
    bundle: GraphBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from clear_kgqa.evaluation.samples import write_samples

    monkeypatch.setenv("CLEAR_KGQA_CACHE", str(tmp_path / "cache"))
    write_samples(tmp_path / "q.jsonl", SAMPLES[:4])
    source = tmp_path / "g.ttl"
    source.write_text(_turtle(bundle), encoding="utf-8")
    out = tmp_path / "out"
    command = ["homonyms", "--kg", str(source), "--questions", str(tmp_path / "q.jsonl"), "--out", str(out)]
    assert main([*command, "--kind", "same"]) == 0
    assert "names shared" in capsys.readouterr().out
    samples = read_samples(out / "questions.jsonl")
    items = [json.loads(line) for line in (out / "items.jsonl").read_text().splitlines()]
    assert [i["label"] for i in items] == [int(bool(s.needs_clarification)) for s in samples if s.candidates]
    opened = open_bundle(str(out / "kg.nq.gz"))
    try:
        found = opened.nodes.exact(["Lyon"])["Lyon"]
        assert {n.iri for n in found} == set(samples[0].candidates)
    finally:
        opened.close()
    assert main([*command, "--kind", "odd"]) == 2


def _turtle(bundle: GraphBundle) -> str:
    assert bundle.folder is not None
    store = ox.Store.read_only(str(bundle.folder / "store"))
    return ox.serialize(
        [ox.Triple(q.subject, q.predicate, q.object) for q in store], format=ox.RdfFormat.TURTLE
    ).decode()
