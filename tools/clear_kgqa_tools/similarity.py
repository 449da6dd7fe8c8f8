"""Meaning of short texts as vectors: MiniLM where the `offline` extra is installed, else hashed character n-grams."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Similarity(Protocol):
    """Encodes texts so that a dot product is their cosine similarity."""

    @property
    def name(self) -> str:
        """Model and version, for provenance and as a cache key."""
        ...

    def encode(self, texts: list[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dimensions), float32; repeated texts are served from a cache."""
        ...
