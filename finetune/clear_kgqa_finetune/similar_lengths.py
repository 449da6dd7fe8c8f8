"""The order of training rows: shuffled, with rows of similar length in a batch, so that little is padded."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

_BATCHES_SORTED = 16


class SimilarLengths:
    """A sampler for DataLoader whose order depends on seed and epoch alone, so that a resumed run sees the
    same rows.
    """

    def __init__(self, lengths: Sequence[int], batch_size: int, seed: int) -> None:
        self._lengths = lengths
        self._batch_size = batch_size
        self._seed = seed
        self._epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Called by the training loop before each epoch."""
        self._epoch = epoch

    def __len__(self) -> int:
        return len(self._lengths)

    def __iter__(self) -> Iterator[int]:
        chance = random.Random(f"{self._seed} {self._epoch}")
        rows = chance.sample(range(len(self._lengths)), len(self._lengths))
        chunk = self._batch_size * _BATCHES_SORTED
        ordered = [at for start in range(0, len(rows), chunk) for at in self._sorted(rows[start : start + chunk])]
        batches = [ordered[at : at + self._batch_size] for at in range(0, len(ordered), self._batch_size)]
        # A short last batch stays last, or the loader would cut all batches after it anew.
        last = [batches.pop()] if batches and len(batches[-1]) < self._batch_size else []
        chance.shuffle(batches)
        yield from (row for batch in [*batches, *last] for row in batch)

    def _sorted(self, rows: Sequence[int]) -> list[int]:
        return sorted(rows, key=self._lengths.__getitem__)
