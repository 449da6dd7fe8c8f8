"""What a label index keeps on disk besides its words: node payloads and sorted hashes, memory-mapped."""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.folding import fold
from clear_kgqa_tools.nodes import Match, Node

FORMAT = 2
NAME_LIMIT = 256
PREFIX_BYTES = 16
META = "labels.json"

Ids = NDArray[np.uint32]
Hashes = NDArray[np.uint64]


def folded_name(name: str) -> str:
    """The name as it is indexed and looked up: folded and cut at 256 characters."""
    return fold(name if len(name) < NAME_LIMIT else name[: 2 * NAME_LIMIT])[:NAME_LIMIT]


def text_digest(text: str) -> bytes:
    """8 bytes of BLAKE2b; among ten million names a false hit has odds of 1 in 10^12: none is re-checked."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()


def prefix_key(folded: str) -> bytes:
    return folded.encode("utf-8", "replace")[:PREFIX_BYTES]


def read_meta(folder: Path) -> dict[str, Any]:
    """The index's counts. Raises ConfigError where there is no index or one of another format."""
    try:
        meta: dict[str, Any] = json.loads((folder / META).read_text())
    except (OSError, ValueError) as error:
        raise ConfigError(f"there is no usable label index in {folder}: add the graph again with `kg add`") from error
    if meta.get("format") != FORMAT:
        raise ConfigError(
            f"the label index in {folder} is of format {meta.get('format')}, this version reads {FORMAT}: "
            "add the graph again with `kg add`"
        )
    return meta


class SortedHashes:
    """Text hash -> numbers, as two parallel sorted arrays on disk."""

    def __init__(self, folder: Path, name: str) -> None:
        self.hashes: Hashes = load_array(folder / f"{name}_hashes.npy")
        self.values: Ids = load_array(folder / f"{name}_values.npy")

    @staticmethod
    def write(folder: Path, name: str, hashes: Hashes, values: Ids) -> None:
        """Sort by hash, then by value, and save."""
        order = np.lexsort((values, hashes))
        np.save(folder / f"{name}_hashes.npy", hashes[order])
        np.save(folder / f"{name}_values.npy", values[order])

    def find(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """For each text its values, lowest first, at most `limit`."""
        wanted = np.frombuffer(b"".join(map(text_digest, texts)), np.uint64)
        starts = np.searchsorted(self.hashes, wanted, "left")
        ends = np.minimum(np.searchsorted(self.hashes, wanted, "right"), starts + limit)
        return [self.values[a:b].tolist() if b > a else [] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]


class NodeTable:
    """Node payloads by number, and the entries (names of nodes, best first) that point at them."""

    def __init__(self, folder: Path) -> None:
        self.offsets: NDArray[np.uint64] = load_array(folder / "node_offsets.npy")
        self.entry_nodes: Ids = load_array(folder / "entry_nodes.npy")
        self.entry_names: NDArray[np.uint16] = load_array(folder / "entry_names.npy")
        self._blob = map_bytes(folder / "nodes.jsonl")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def payload(self, node: int) -> list[Any]:
        """[iri, label, aliases, types, type IRIs, description, popularity]."""
        loaded: list[Any] = orjson.loads(self._blob[int(self.offsets[node]) : int(self.offsets[node + 1])])
        return loaded

    def name(self, entry: int) -> str:
        """The label or alias behind an entry."""
        return _name(self.payload(int(self.entry_nodes[entry])), int(self.entry_names[entry]))

    def node(self, entry: int, match: Match | None = None, score: float = 100.0) -> Node:
        """The node of an entry; without `match` it is "label" or "alias" as the entry is."""
        name = int(self.entry_names[entry])
        payload = self.payload(int(self.entry_nodes[entry]))
        return _node(payload, match or ("alias" if name else "label"), _name(payload, name), score)

    def plain(self, node: int) -> Node:
        """The node by its number, met by its label."""
        payload = self.payload(node)
        return _node(payload, "label", payload[1], 100.0)


def _name(payload: list[Any], name: int) -> str:
    return str(payload[2][name - 1] if name else payload[1])


def _node(payload: list[Any], match: Match, matched: str, score: float) -> Node:
    iri, label, _, types, type_iris, description, popularity = payload
    return Node(iri, label, tuple(types), tuple(type_iris), description, popularity, match, matched, score)


def dump(row: Any) -> bytes:
    """One line of JSON; a lone surrogate, which UTF-8 cannot hold, becomes a question mark."""
    try:
        return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def load_array(path: Path) -> Any:
    """An array on disk, memory-mapped and read-only."""
    loaded = np.load(path, mmap_mode="r")
    return loaded.view(np.ndarray)


def lowest(values: Ids, count: int) -> list[int]:
    """The lowest values in order, at most `count`."""
    chosen = np.partition(values, count - 1)[:count] if len(values) > count else values
    lowest_first: list[int] = np.sort(chosen).tolist()
    return lowest_first


def map_bytes(path: Path) -> mmap.mmap | bytes:
    """A file's bytes, memory-mapped and read-only."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
