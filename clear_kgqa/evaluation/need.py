"""What a simulated user wants, and which offered option fits it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.evaluation.gold import Gold
from clear_kgqa.evaluation.metrics import answer_f1
from clear_kgqa.evaluation.query_shape import QueryShape, shape_of
from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.readings.words import FUNCTION_WORDS
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.folding import fold
from clear_kgqa_tools.nodes import Node

_WORD = re.compile(r"\w+")

Describe = Callable[[list[str]], Mapping[str, Node]]
"""Labels, types and descriptions of the nodes, classes and properties among the IRIs."""
Answers = Callable[[str], tuple[str, ...]]
"""The answers of a query on the graph; empty where it cannot be run."""

FITS = 0.5
"""F1 from which on an option counts as the one that was meant, whatever its entity."""
NAMED = 0.3
"""Agreement in words from which on a user who reads labels takes an option for what was meant."""


@dataclass(frozen=True, slots=True)
class Need:
    """The gold of one question as its user knows it; of `nodes` the gold entity is the first.

    `names` are the words of all labels in the gold query, `words` also those of types and descriptions.
    """

    question: str
    answers: tuple[str, ...] = ()
    nodes: tuple[Node, ...] = ()
    predicates: tuple[Node, ...] = ()
    form: str = "select"
    words: frozenset[str] = field(default=frozenset())
    names: frozenset[str] = field(default=frozenset())

    @property
    def iris(self) -> frozenset[str]:
        return frozenset(n.iri for n in self.nodes)


def need_of(sample: Sample, gold: Gold, describe: Describe) -> Need:
    """The need behind a sample; answers are known only where the gold query ran on the graph."""
    shape = _shape(sample.sparql)
    nodes = dict.fromkeys([sample.intended] if sample.intended else [])
    nodes |= dict.fromkeys(shape.nodes if shape else ())
    predicates = shape.predicates if shape else ()
    known = describe([*nodes, *predicates])
    return Need(
        sample.question,
        gold.answers if gold.status == "run" else (),
        tuple(known.get(iri, Node(iri, "")) for iri in nodes),
        tuple(known.get(iri, Node(iri, "")) for iri in predicates),
        shape.form if shape else "select",
        frozenset(w for n in known.values() for t in (n.label, *n.types, n.description) for w in _words(t)),
        frozenset(w for n in known.values() for w in _content(n.label)),
    )


def topic_entities(sample: Sample, bundle: GraphBundle) -> list[Node]:
    """The nodes that the gold query is about: those it names, classes left out; none where nothing tells."""
    shape = _shape(sample.sparql)
    profile = bundle.profile
    typing = {*profile.type_predicates, *profile.subclass, *(c.predicate for c in bundle.schema.classes)} - {""}
    typed = {o for _, p, o in shape.triples if any(t in p for t in typing)} if shape else set()
    iris = [sample.intended] if sample.intended else [iri for iri in shape.nodes if iri not in typed] if shape else []
    return list(bundle.nodes.describe(iris).values())


def describer(bundle: GraphBundle) -> Describe:
    """Describe nodes by the graph's index, properties and classes by its schema."""

    def describe(iris: list[str]) -> Mapping[str, Node]:
        named: dict[str, Node] = {}
        for iri in iris:
            part = bundle.schema.property_by_iri.get(iri) or bundle.schema.class_by_iri.get(iri)
            if part:
                named[iri] = Node(iri, part.label, description=part.comment)
        return {**named, **bundle.nodes.describe(iris)}

    return describe


def _shape(sparql: str) -> QueryShape | None:
    try:
        return shape_of(sparql) if sparql.strip() else None
    except QueryError:
        return None


def fitting(need: Need, clarification: Clarification, answers: Answers) -> int | None:
    """The option that the gold query stands behind: by answers and IRIs, else by predicates and form; or None."""
    options = clarification.options
    by_answers = _best([_fit(need, option, answers) for option in options])
    if by_answers is not None or (need.answers and clarification.kind not in ("intent", "form")):
        return by_answers
    return _best([_shape_fit(need, clarification.kind, option) for option in options])


def fitting_by_text(need: Need, clarification: Clarification) -> int | None:
    """The option that fits by words alone, for a user who knows labels and descriptions, never an IRI."""
    return _best([_text_fit(need, option) for option in clarification.options])


def _best(values: Sequence[float]) -> int | None:
    best = max(range(len(values)), key=values.__getitem__, default=None)
    return best if best is not None and values[best] > 0 else None


def _fit(need: Need, option: Option, answers: Answers) -> float:
    """How well an option fits by its answers, or by its entity where it stands for an entity alone; 0: not."""
    entity = option.iri in need.iris
    if not option.sparql:
        first = bool(need.nodes) and option.iri == need.nodes[0].iri
        return 1.0 + first if entity or option.iri in {p.iri for p in need.predicates} else 0.0
    f1 = answer_f1(need.answers, answers(option.sparql), "lenient") if need.answers else 0.0
    if f1 < FITS and not (f1 and entity):
        return 0.0
    same_path = _same_path(need, option)
    if need.form in ("count", "ask") and not same_path:
        return 0.0  # numbers and truth values agree by chance
    return f1 + 0.1 * same_path


def _shape_fit(need: Need, kind: str, option: Option) -> float:
    """How well an option fits by what its query asks for, where no option's answers do; 0: not."""
    shape = _shape(option.sparql)
    if shape is None:
        return 0.0
    entity = option.iri in need.iris and not need.answers
    return 0.5 * entity + 0.4 * _same_path(need, option) + 0.2 * (kind == "form" and shape.form == need.form)


def _same_path(need: Need, option: Option) -> bool:
    shape = _shape(option.sparql)
    asked = set(shape.predicates) if shape else set()
    return bool(asked) and asked <= {p.iri for p in need.predicates}


def _text_fit(need: Need, option: Option) -> float:
    """How many of the option's words the user has in mind, and how many of those the option says; what tells apart
    options of one name counts less. 0: no fit."""
    said = _content(option.label)
    named = 2 * len(said & need.names) / max(1, len(said) + len(need.names))
    words = _words(option.line())
    known = sum(w in need.words for w in words) / len(words) if words else 0.0
    return named + known / 2 if named >= NAMED or known >= FITS else 0.0


def _content(text: str) -> frozenset[str]:
    return frozenset(_words(text)) - FUNCTION_WORDS


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))
