"""Search nodes by name in an index on disk: exact label or alias, then prefix, then typos.

The folder is opened read-only and memory-mapped: several processes share it, and opening takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.folding import fold
from clear_kgqa_tools.label_index_build import LabelRecord, build_files, local_name
from clear_kgqa_tools.label_index_files import (
    PREFIX_BYTES,
    NodeTable,
    SortedHashes,
    folded_name,
    load_array,
    lowest,
    prefix_key,
    read_meta,
)
from clear_kgqa_tools.label_search import SHORT, Hit, WordIndex
from clear_kgqa_tools.nodes import Node

__all__ = ["LabelIndex", "LabelRecord", "local_name"]

_NODES_PER_NAME = 50
_PREFIXES_BESIDE_TYPOS = 5
# Names that agree in their first sixteen bytes and are then compared one by one.
_LONG_PREFIXES = 500


class LabelIndex:
    """A label index on disk; safe to read from several threads and processes."""

    def __init__(self, folder: Path) -> None:
        self._meta = read_meta(folder)
        self._table = NodeTable(folder)
        self._names = SortedHashes(folder, "name")
        self._iris = SortedHashes(folder, "iri")
        self._prefix_keys: Any = load_array(folder / "prefix_keys.npy")
        self._prefix_entries: Any = load_array(folder / "prefix_entries.npy")
        self._words = WordIndex(folder, self._table, self._names)

    @staticmethod
    def build(
        folder: Path, records: Iterable[LabelRecord], progress: Callable[[int], None] | None = None
    ) -> LabelIndex:
        """Index the records (distinct IRIs) into the folder; `progress` gets the number of records so far.

        Build into a new folder and move it: an index that is open elsewhere must not be written over.
        """
        build_files(folder, records, progress)
        return LabelIndex(folder)

    @staticmethod
    def open(folder: Path) -> LabelIndex:
        """Open an index. Raises ConfigError where there is none, a damaged one or one of another format."""
        try:
            return LabelIndex(folder)
        except (OSError, ValueError) as error:
            raise ConfigError(f"the label index in {folder} is damaged: add the graph again with `kg add`") from error

    def __len__(self) -> int:
        return len(self._table)

    def shared_labels(self) -> int:
        """How many folded names are carried by more than one node."""
        return int(self._meta["shared"])

    def search(self, name: str, k: int = 10) -> list[Node]:
        """At most k nodes: exact label or alias, names that start so, names with typos or other words.

        Within the first two by popularity (a label counts ten times an alias), within the last by number of
        typos, then popularity. Three characters or fewer are never searched with typos.
        """
        folded = folded_name(name)
        if not folded or k < 1:
            return []
        found: dict[int, Node] = {}
        exact = self._names.find([folded], _NODES_PER_NAME)[0]
        self._take(found, ((entry, self._table.node(entry)) for entry in exact), k)
        starting = self._prefixed(folded, k)
        near = [] if exact or len(folded) <= SHORT else self._near(folded, 1 if starting else 2)
        room = max(min(k, _PREFIXES_BESIDE_TYPOS), k - len(near))
        self._take(found, ((e, self._table.node(e, "prefix")) for e in starting), room)
        self._take(found, ((h.entry, self._table.node(h.entry, "fuzzy", h.score)) for h in near), k)
        return list(found.values())

    def complete(self, prefix: str, k: int = 10) -> list[Node]:
        """The most popular nodes with a name that starts so."""
        found: dict[int, Node] = {}
        entries = self._prefixed(folded_name(prefix), k) if k > 0 else []
        self._take(found, ((e, self._table.node(e, "prefix")) for e in entries), k)
        return list(found.values())

    def typos(self, name: str, k: int = 3) -> list[Node]:
        """Nodes whose whole name is one or two typos away; none for three characters or fewer."""
        folded, found = folded_name(name), dict[int, Node]()
        hits = self._words.whole_name(folded, 1) or self._words.whole_name(folded, 2)
        self._take(found, ((h.entry, self._table.node(h.entry, "fuzzy", h.score)) for h in hits), k)
        return list(found.values())

    def known_word(self, word: str) -> bool:
        """Whether any label or alias holds this word."""
        return self._words.known(folded_name(word))

    def exact(self, names: list[str]) -> dict[str, list[Node]]:
        """The nodes that carry each name as label or alias, best first; names without any are left out."""
        found = self._names.find([folded_name(name) for name in names], _NODES_PER_NAME)
        return {n: [self._table.node(e) for e in entries] for n, entries in zip(names, found, strict=True) if entries}

    def describe(self, iris: list[str]) -> dict[str, Node]:
        """The indexed nodes among the IRIs."""
        found = self._iris.find(iris, 1)
        return {iri: self._table.plain(nodes[0]) for iri, nodes in zip(iris, found, strict=True) if nodes}

    def _take(self, found: dict[int, Node], more: Iterable[tuple[int, Node]], k: int) -> None:
        for entry, node in more:
            if len(found) >= k:
                return
            found.setdefault(int(self._table.entry_nodes[entry]), node)

    def _prefixed(self, folded: str, k: int) -> list[int]:
        """The best entries that start so; 2k of them, as several may be names of one node."""
        key, whole = prefix_key(folded), folded.encode()
        if not key:
            return []
        start = np.searchsorted(self._prefix_keys, np.bytes_(key))
        end = np.searchsorted(self._prefix_keys, np.bytes_(key.ljust(PREFIX_BYTES, b"\xff")), "right")
        best = lowest(self._prefix_entries[start:end], 2 * k if key == whole else _LONG_PREFIXES)
        if key == whole:
            return best
        starting = (e for e in best if fold(self._table.name(e)).startswith(folded))
        return list(islice(starting, 2 * k))

    def _near(self, folded: str, most: int) -> list[Hit]:
        """Two typos in a word are looked for only where one finds nothing."""
        for typos in range(1, most + 1):
            hits = [*self._words.whole_name(folded, typos), *self._words.by_words(folded, typos)]
            if hits:
                # Stable: with as many typos, a whole name comes before one that has other words besides.
                return sorted(hits, key=lambda hit: hit.typos)
        return self._words.loosely(folded)
