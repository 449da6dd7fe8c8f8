"""The example set made ready: vectors, structural types and the type classifier, cached on disk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.examples.structure import structural_type
from clear_kgqa.examples.type_classifier import TypeClassifier, question_features, train_classifier
from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.similarity import Similarity, Vectors

_FORMAT = "1"


@dataclass(frozen=True)
class ExampleIndex:
    """`vectors` has shape (len(examples), dimensions); `types` are empty where a query cannot be parsed."""

    examples: tuple[Sample, ...]
    vectors: Vectors
    types: tuple[str, ...]
    classifier: TypeClassifier

    @cached_property
    def by_type(self) -> dict[str, NDArray[np.int64]]:
        """The numbers of the examples of each structural type; those without one are left out."""
        return {key: numbers for key, numbers in _groups(self.types).items() if key}

    @cached_property
    def typed(self) -> NDArray[np.int64]:
        """The numbers of the examples that have a type."""
        return np.flatnonzero(self.types)

    @cached_property
    def by_question(self) -> dict[str, NDArray[np.int64]]:
        """The numbers of the examples with each (folded) question."""
        return _groups([folded(e.question) for e in self.examples])

    @property
    def unparsed(self) -> int:
        """How many queries cannot be parsed; the type-based selectors never choose their examples."""
        return sum(not t for t in self.types)


def build_index(
    train: Sequence[Sample], similarity: Similarity, seed: int = 0, cache: Path | None = None
) -> ExampleIndex:
    """Embed the questions, type the queries and train the classifier.

    `cache` is a folder where the result is kept, keyed by the examples, the similarity's name and the seed.
    """
    examples = tuple(train)
    stored = None if cache is None else cache / f"examples-{_key(examples, similarity.name, seed)}.npz"
    if stored is not None and (kept := _load(stored, examples)):
        return kept
    questions = [e.question for e in examples]
    vectors = similarity.encode(questions)
    types = tuple(_type_of(e.sparql) for e in examples)
    typed = [i for i, t in enumerate(types) if t]
    features = question_features([questions[i] for i in typed], vectors[typed])
    index = ExampleIndex(examples, vectors, types, train_classifier(features, [types[i] for i in typed], seed))
    if stored is not None:
        _save(stored, index)
    return index


def folded(question: str) -> str:
    """The question without case, final punctuation and repeated spaces."""
    return " ".join(question.casefold().split()).rstrip(" ?.!")


def _groups(keys: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    groups: dict[str, list[int]] = {}
    for i, key in enumerate(keys):
        groups.setdefault(key, []).append(i)
    return {key: np.array(numbers, dtype=np.int64) for key, numbers in groups.items()}


def _type_of(sparql: str) -> str:
    try:
        return structural_type(sparql)
    except QueryError:
        return ""


def _key(examples: Sequence[Sample], similarity: str, seed: int) -> str:
    content = json.dumps([_FORMAT, similarity, seed, [[e.id, e.question, e.sparql] for e in examples]])
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def _save(path: Path, index: ExampleIndex) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part.npz")
    np.savez(
        part,
        vectors=index.vectors,
        types=np.array(index.types, dtype=np.str_),
        weights=index.classifier.weights,
        names=np.array(index.classifier.types, dtype=np.str_),
    )
    part.replace(path)


def _load(path: Path, examples: tuple[Sample, ...]) -> ExampleIndex | None:
    """The kept index, or None where there is none or a write was cut short."""
    try:
        with np.load(path, allow_pickle=False) as kept:
            classifier = TypeClassifier(tuple(map(str, kept["names"])), kept["weights"])
            return ExampleIndex(examples, kept["vectors"], tuple(map(str, kept["types"])), classifier)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
