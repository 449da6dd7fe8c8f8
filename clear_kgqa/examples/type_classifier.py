"""The structural type of a question, predicted from its text by multinomial logistic regression."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clear_kgqa_tools.similarity import Similarity, Vectors

_WORD_BUCKETS = 512
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class TypeClassifier:
    """Weights, shape (features + 1, len(types)), over what `question_features` makes of a question."""

    types: tuple[str, ...]
    weights: NDArray[np.float32]

    def predict(self, features: NDArray[np.float32]) -> list[str]:
        """The likeliest type of each row of `features` (see `question_features`)."""
        if not self.types:
            return [""] * len(features)
        return [self.types[i] for i in np.argmax(_with_bias(features) @ self.weights, axis=1)]


def question_features(questions: Sequence[str], vectors: Vectors) -> NDArray[np.float32]:
    """Sentence vectors beside unit vectors of hashed words and word pairs: structure hides in small words."""
    words = np.zeros((len(questions), _WORD_BUCKETS), dtype=np.float32)
    for row, question in zip(words, questions, strict=True):
        found = ["^", *_WORD.findall(question.lower()), "$"]
        for gram in [*found, *(" ".join(pair) for pair in pairwise(found))]:
            row[zlib.crc32(gram.encode()) % _WORD_BUCKETS] += 1
        row /= max(float(np.linalg.norm(row)), 1e-9)
    return np.hstack([vectors, words])


def train_classifier(
    features: NDArray[np.float32], types: Sequence[str], seed: int = 0, epochs: int = 30, decay: float = 1e-4
) -> TypeClassifier:
    """Fit by Adam (batches of 64, rate 0.02 falling to 0) on the cross-entropy with an L2 penalty."""
    names = tuple(sorted(set(types)))
    target = np.array([names.index(t) for t in types], dtype=np.int64)
    data = _with_bias(features)
    weights = np.zeros((data.shape[1], len(names)), dtype=np.float32)
    mean: NDArray[Any] = np.zeros_like(weights)
    square: NDArray[Any] = np.zeros_like(weights)
    random = np.random.default_rng(seed)
    batches = [
        order[i : i + 64]
        for order in (random.permutation(len(data)) for _ in range(epochs))
        for i in range(0, len(data), 64)
    ]
    for step, rows in enumerate(batches, start=1):
        gradient = data[rows].T @ _residual(data[rows] @ weights, target[rows]) / len(rows) + decay * weights
        mean += 0.1 * (gradient - mean)
        square += 0.001 * (gradient**2 - square)
        rate = 0.02 * (1 - step / len(batches))
        weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return TypeClassifier(names, weights)


def cross_validated_accuracy(
    questions: Sequence[str], types: Sequence[str], similarity: Similarity, folds: int = 5, seed: int = 0
) -> tuple[float, float]:
    """Share of held-out questions whose type is predicted, and the share of the most frequent type.

    Questions with the same text stay in one fold.
    """
    features = question_features(questions, similarity.encode(list(questions)))
    groups = {q: i for i, q in enumerate(dict.fromkeys(q.casefold() for q in questions))}
    fold_of_group = np.random.default_rng(seed).permutation(len(groups)) % folds
    fold = np.array([fold_of_group[groups[q.casefold()]] for q in questions])
    right = 0
    for held in range(folds):
        train, test = np.flatnonzero(fold != held), np.flatnonzero(fold == held)
        model = train_classifier(features[train], [types[i] for i in train.tolist()], seed)
        right += sum(p == types[i] for p, i in zip(model.predict(features[test]), test.tolist(), strict=True))
    return right / len(types), max(Counter(types).values()) / len(types)


def _with_bias(features: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.hstack([features, np.ones((len(features), 1), dtype=np.float32)])


def _residual(scores: NDArray[np.float32], target: NDArray[np.int64]) -> NDArray[np.float32]:
    """Softmax of the scores minus the one-hot targets."""
    shares: NDArray[np.float32] = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    shares[np.arange(len(target)), target] -= 1
    return shares
