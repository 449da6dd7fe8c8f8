"""Known words one typo away, by symmetric deletion: two such agree once a letter is dropped from one or both.

The method is that of SymSpell (W. Garbe, 2012); what is left is hashed for all words at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA

from clear_kgqa_tools.label_index_files import load_array, map_bytes

LONGEST = 32
_BLOCK = 50_000
# Polynomial hashes modulo 2^64 in an odd base, whose inverse closes the gap that a dropped letter leaves.
_BASE = 0x9E3779B97F4A7C15
_INVERSE = np.uint64(pow(_BASE, -1, 1 << 64))
_POWERS = np.array([pow(_BASE, i, 1 << 64) for i in range(LONGEST)], np.uint64)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)

Keys = NDArray[np.uint64]


class Spelling:
    """The words of an index (up to 32 letters) by their spelling; reads files written by `write`."""

    def __init__(self, folder: Path) -> None:
        self._keys: Keys = load_array(folder / "spelling_keys.npy")
        self._offsets: Any = load_array(folder / "spelling_offsets.npy")
        self._words = map_bytes(folder / "spelling_words.txt")

    @staticmethod
    def write(folder: Path, words: Sequence[str]) -> None:
        """Save the words and the sorted keys (32 bits of hash, 32 of word number) of all their deletions."""
        kept = [word for word in words if len(word) <= LONGEST]
        encoded = [word.encode() for word in kept]
        (folder / "spelling_words.txt").write_bytes(b"".join(encoded))
        np.save(folder / "spelling_offsets.npy", np.cumsum([0, *map(len, encoded)], dtype=np.uint64))
        keys = np.concatenate([np.empty(0, np.uint64), *_blocks(kept)])
        keys.sort()
        np.save(folder / "spelling_keys.npy", keys)

    def near(self, word: str) -> list[str]:
        """The known words one typo away: a letter changed, left out, put in, or two swapped."""
        if len(word) > LONGEST:
            return []
        hashes = _deletions([word]) & ~_LOW
        starts = np.searchsorted(self._keys, hashes)
        ends = np.searchsorted(self._keys, hashes | _LOW, "right")
        numbers = {int(key & _LOW) for a, b in zip(starts, ends, strict=True) for key in self._keys[a:b]}
        candidates = (self._word(number) for number in sorted(numbers))
        return [other for other in candidates if OSA.distance(word, other, score_cutoff=1) == 1]

    def _word(self, number: int) -> str:
        return self._words[int(self._offsets[number]) : int(self._offsets[number + 1])].decode()


def _blocks(words: list[str]) -> Iterator[Keys]:
    for start in range(0, len(words), _BLOCK):
        yield _deletions(words[start : start + _BLOCK]) + np.uint64(start)


def _deletions(words: list[str]) -> Keys:
    """Keys of each word and of the word without each of its letters; the low half counts the words from 0."""
    lengths = np.array([len(word) for word in words])
    letters = np.array(["".join(words)]).view(np.uint32).astype(np.uint64)
    ends = np.cumsum(lengths)
    numbers = np.repeat(np.arange(len(words)), lengths)
    terms = letters * _POWERS[np.arange(len(letters)) - (ends - lengths)[numbers]]
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
    totals = sums[ends] - sums[ends - lengths]
    before = sums[:-1] - sums[ends - lengths][numbers]
    without = before + (totals[numbers] - before - terms) * _INVERSE
    hashes = np.concatenate([totals, without]) * _MIX
    return (hashes & ~_LOW) | np.concatenate([np.arange(len(words)), numbers]).astype(np.uint64)
