"""Similarity without a model: hashed words, stems and character n-grams."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np

from clear_kgqa_tools.folding import fold, words
from clear_kgqa_tools.similarity import Vectors

DIMENSIONS = 512
_SUFFIXES = tuple("ations ation ingly ities ing ies ity ed es er or ly al s e y".split())  # noqa: SIM905
_COMMON_WORDS = (
    "a an and are as at be by did do does for from had has have how in into is it its many much of "
    "on or that the their to was were what when where which who whom whose will with"
)
_COMMON = frozenset(_COMMON_WORDS.split())
_COMMON_WEIGHT, _WORD_WEIGHT, _STEM_WEIGHT, _GRAM_WEIGHT = 0.1, 1.0, 1.0, 0.35


class LexicalSimilarity:
    """Texts that share words, stems or spelling are similar; the same on every machine, without any extra."""

    name = "lexical-1"

    def encode(self, texts: list[str]) -> Vectors:
        """Unit vectors, shape (len(texts), 512), float32."""
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for feature, weight in _features(text):
                code = zlib.crc32(feature.encode("utf-8", "replace"))
                row[code % DIMENSIONS] += weight if code & 0x8000_0000 else -weight
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        # Weights that cancel out leave nothing to compare: such a row points along an axis of its own.
        vectors[lengths[:, 0] == 0.0, 0] = 1.0
        unit: Vectors = (vectors / np.where(lengths == 0.0, 1.0, lengths)).astype(np.float32)
        return unit


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in words(fold(text)):
        if word in _COMMON:
            yield f"w {word}", _COMMON_WEIGHT
            continue
        yield f"w {word}", _WORD_WEIGHT
        yield f"s {stem(word)}", _STEM_WEIGHT
        framed = f"^{word}$"
        for size in (3, 4):
            for start in range(len(framed) - size + 1):
                yield f"g {framed[start : start + size]}", _GRAM_WEIGHT


def stem(word: str) -> str:
    """The word without a common English ending if four letters remain: "director" and "directed" meet."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word.removesuffix(suffix)
    return word
