"""Unambiguous questions: a benchmark's questions rewritten from their gold query and the dialogue.

The template engine needs no model: a query of one triple becomes a question of its own, any other question
keeps its words and names beside them what its nodes are and which properties it asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from clear_kgqa.evaluation.gold import Gold
from clear_kgqa.evaluation.need import Need, need_of
from clear_kgqa.evaluation.query_shape import shape_of
from clear_kgqa.evaluation.run import EvaluateGraph
from clear_kgqa.evaluation.samples import Sample, read_samples, write_samples
from clear_kgqa.evaluation.transcripts import Record, read_transcripts
from clear_kgqa.evaluation.user_model import meaning
from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.folding import fold
from clear_kgqa_tools.nodes import Node

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_UNKNOWN = Gold((), "stored")
_ROLE = """Rewrite the question so that it has one meaning only. Keep it short and natural, name the entity
and what is asked of it, and never add the answer. Reply with the rewritten question alone."""


def rewritten(sample: Sample, need: Need, said: Sequence[str] = ()) -> Sample:
    """The sample with an unambiguous question; `said` are the wordings the user chose in the dialogue."""
    return replace(sample, question=_one_triple(sample, need) or _annotated(sample.question, need, said))


def rewritten_by_model(model: BaseChatModel, sample: Sample, need: Need, said: Sequence[str] = ()) -> Sample:
    """The same by a chat model, which is told the gold in words; the template where it says nothing."""
    told = f"Question: {sample.question}\nMeant: {meaning(need)}\nSaid when asked back: {'; '.join(said) or '-'}"
    content = model.invoke([("system", _ROLE), ("user", told)]).content
    lines = content.strip().splitlines() if isinstance(content, str) else []
    return replace(sample, question=lines[-1].strip()) if lines else rewritten(sample, need, said)


def said_in(records: Iterable[Record]) -> dict[str, list[str]]:
    """For every recorded question the labels of the options that its user chose."""
    return {r["id"]: [label for c in r.get("clarifications", ()) for label in c["chosen"]] for r in records}


def _one_triple(sample: Sample, need: Need) -> str:
    try:
        shape = shape_of(sample.sparql)
    except QueryError:
        return ""
    if len(shape.triples) != 1 or len(shape.predicates) != 1 or shape.constraints or shape.form == "ask":
        return ""
    labels = {n.iri: n for n in (*need.nodes, *need.predicates) if n.label}
    subject, _, object_ = shape.triples[0]
    node, predicate = labels.get(subject) or labels.get(object_), labels.get(shape.predicates[0])
    if node is None or predicate is None:
        return ""
    name = _named(node, need.predicates)
    if object_ in labels:
        return (
            f"How many have the {predicate.label} {name}?"
            if shape.form == "count"
            else (f"What has the {predicate.label} {name}?")
        )
    if shape.form == "count":
        return f"How many values of {predicate.label} does {name} have?"
    return f"What is the {predicate.label} of {name}?"


def _named(node: Node, asked: Sequence[Node]) -> str:
    """The node with what tells it apart, but for what the asked properties say of it: that would be the answer."""
    names = [fold(p.label) for p in asked if p.label]
    parts = (node.description or ", ".join(node.types)).split(", ")
    told = ", ".join(part for part in parts if not any(name in fold(part) for name in names))
    return f"{node.label} ({told})" if told else node.label


def _annotated(question: str, need: Need, said: Sequence[str]) -> str:
    named = [_named(n, need.predicates) for n in need.nodes if n.label and fold(n.label) in fold(question)]
    asked = [p.label for p in need.predicates if p.label]
    notes = list(dict.fromkeys([*named, *said, *asked]))
    return f"{question.rstrip(' ?')} ({'; '.join(notes)})?" if notes else question


def rewrite_file(source: Path, out: Path, graph: EvaluateGraph, model: BaseChatModel | None = None) -> int:
    """Write the rewritten questions of a run folder (with its dialogues) or of a questions file (gold alone).

    Returns how many questions changed. Raises ConfigError for sources that cannot be read.
    """
    if source.is_dir():
        records = list(read_transcripts(source))
        samples, said = [_sample_of(r) for r in records], said_in(records)
    else:
        samples, said = read_samples(source), {}
    new = []
    for sample in samples:
        need, words = need_of(sample, _UNKNOWN, graph.describe), said.get(sample.id, [])
        new.append(rewritten_by_model(model, sample, need, words) if model else rewritten(sample, need, words))
    write_samples(out, new)
    return sum(a.question != b.question for a, b in zip(samples, new, strict=True))


def _sample_of(record: Record) -> Sample:
    gold = record.get("gold") or {}
    return Sample(
        record["id"],
        record["question"],
        gold.get("sparql", ""),
        type=record["type"],
        language=record["language"],
    )
