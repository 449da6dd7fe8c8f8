"""Which examples stand in a prompt: random or most similar ones, of all or of the predicted type."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.examples.index import ExampleIndex, build_index, folded
from clear_kgqa.examples.type_classifier import question_features
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.similarity import Similarity

# Names as in the paper.
STRATEGIES = {
    "fr": "fully random",
    "ss": "most similar",
    "str": "random of the same type",
    "stss": "most similar of the same type",
}
TYPED = ("str", "stss")
TypeOf = Callable[[str], str]
_NONE = np.arange(0)


@dataclass(frozen=True)
class Selector:
    """Picks `shots` examples for a question from its text alone; the same question gets the same ones.

    An example with the same question is never picked: its query would be the answer. `type_of` replaces the
    trained classifier; with gold types (an upper bound, to be labelled as such) it must be given on purpose.
    """

    strategy: str
    shots: int
    index: ExampleIndex
    similarity: Similarity
    seed: int = 0
    type_of: TypeOf | None = None

    def select(self, question: str) -> list[Sample]:
        """At most `shots` examples, the best one last (nearest to the question in a prompt)."""
        if self.shots == 0:
            return []
        scores = self._cosines(question) if self.strategy in ("ss", "stss") else self._random(question)
        scores[self._same(question)] = -np.inf
        rows = self.index.by_type.get(self.question_type(question), _NONE) if self.strategy in TYPED else None
        found = scores if rows is None else scores[rows]
        best = _best(found, self.shots)
        return [self.index.examples[i] for i in reversed((best if rows is None else rows[best]).tolist())]

    def question_type(self, question: str) -> str:
        """The structural type that the question is taken to have.

        A question that is among the examples has the type of the most similar other one: the classifier has
        learnt from its query.
        """
        if self.type_of is not None:
            return self.type_of(question)
        same = self._same(question)
        if not len(same):
            features = question_features([question], self.similarity.encode([question]))
            return self.index.classifier.predict(features)[0]
        scores = self._cosines(question)
        scores[same] = -np.inf
        [*best] = self.index.typed[_best(scores[self.index.typed], 1)]
        return self.index.types[best[0]] if best else ""

    def _cosines(self, question: str) -> NDArray[np.float32]:
        """How similar each example is to the question."""
        found: NDArray[np.float32] = self.index.vectors @ self.similarity.encode([question])[0]
        return found

    def _random(self, question: str) -> NDArray[np.float32]:
        """Scores drawn from the seed and the question, so that order and concurrency do not matter."""
        digest = hashlib.sha256(f"{self.seed}\n{question}".encode()).digest()
        generator = np.random.default_rng(int.from_bytes(digest[:8], "big"))
        return generator.random(len(self.index.examples), dtype=np.float32)

    def _same(self, question: str) -> NDArray[np.int64]:
        """The examples that ask what the question asks."""
        return self.index.by_question.get(folded(question), _NONE)


def _best(scores: NDArray[np.float32], most: int) -> NDArray[np.int64]:
    """The places of the best scores above minus infinity, best first; ties by their order."""
    places = np.arange(len(scores))
    if len(scores) > most:
        places = np.sort(np.argpartition(-scores, most - 1)[:most])
    order: NDArray[np.int64] = places[np.argsort(-scores[places], kind="stable")]
    return order[scores[order] > -np.inf]


def make_selector(
    spec: str, train: Sequence[Sample], similarity: Similarity, seed: int = 0, cache: Path | None = None
) -> Selector:
    """A selector from `fr`, `ss`, `str` or `stss` and a number of shots (`stss:3`; without a number 3).

    `cache` is a folder for the index of vectors, types and classifier. Raises ConfigError for any other name.
    """
    strategy, shots = parse_spec(spec)
    return Selector(strategy, shots, build_index(train, similarity, seed, cache), similarity, seed)


def strategies_in(text: str) -> list[str]:
    """The strategies of a list such as `ss,stss`, all of them for an empty one. Raises ConfigError."""
    found = [name.strip().lower() for name in text.split(",") if name.strip()] or list(STRATEGIES)
    if unknown := [name for name in found if name not in STRATEGIES]:
        raise ConfigError(f"there is no selector {unknown[0]!r}; there are {', '.join(STRATEGIES)}")
    return found


def parse_spec(spec: str) -> tuple[str, int]:
    """Strategy and number of shots of `stss:3`. Raises ConfigError."""
    strategy, _, shots = spec.lower().partition(":")
    if strategy not in STRATEGIES or not (shots or "3").isdecimal():
        raise ConfigError(f"--examples {spec}: write one of {', '.join(STRATEGIES)} and a number, such as stss:3")
    return strategy, int(shots or "3")
