"""Building a label index: one pass over the records, memory of about sixty bytes a name."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from clear_kgqa_tools.folding import fold, words
from clear_kgqa_tools.label_index_files import (
    FORMAT,
    META,
    PREFIX_BYTES,
    SortedHashes,
    dump,
    prefix_key,
    text_hash,
)

NAME_LIMIT = 256
# An exact label beats an exact alias unless the alias belongs to a node ten times as popular ("US").
LABEL_BONUS = 10.0
_WRITER_BYTES = 96_000_000
_STEP = 10_000


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """What the index holds of one node; without a label the IRI's local name takes its place."""

    iri: str
    label: str
    aliases: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    type_iris: tuple[str, ...] = ()
    description: str = ""
    popularity: float = 0.0


def local_name(iri: str) -> str:
    """The readable end of an IRI: "http://e.org/Paul_Lucas_%28politician%29" -> "Paul Lucas (politician)"."""
    end = iri.rstrip("/#")
    for mark in "#/:":
        if mark in end:
            end = end.rsplit(mark, 1)[1]
            break
    return unquote(end).replace("_", " ").strip() or iri


def word_schema() -> Any:
    """tantivy's schema: the whole folded name, its words, and the entry number that orders results."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("name", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("words", tokenizer_name="whitespace", index_option="basic")
    builder.add_integer_field("entry", fast=True)
    return builder.build()


class IndexWriter:
    """Collects records into the files of a label index; `finish` sorts, indexes the words and seals it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / META).unlink(missing_ok=True)
        self._folder = folder
        self._nodes = (folder / "nodes.jsonl").open("wb")
        self._names = (folder / "names.tmp").open("w", encoding="utf-8", errors="replace", newline="\n")
        self._offsets, self._iris = array("Q", [0]), array("Q")
        self._entry_nodes, self._entry_names = array("I"), array("H")
        self._weights, self._hashes, self._prefixes = array("d"), array("Q"), bytearray()

    def add(self, record: LabelRecord) -> None:
        """Write one node's payload and an entry for each of its distinct folded names."""
        node = len(self._iris)
        label = record.label.strip() or local_name(record.iri)
        payload = dump(
            [
                record.iri,
                label,
                record.aliases,
                record.types,
                record.type_iris,
                record.description,
                record.popularity,
            ]
        )
        self._nodes.write(payload)
        self._offsets.append(self._offsets[-1] + len(payload))
        self._iris.append(text_hash(record.iri))
        seen: set[str] = set()
        for number, name in enumerate((label, *record.aliases)[:0xFFFF]):
            folded = fold(name[: 2 * NAME_LIMIT])[:NAME_LIMIT]
            if folded and folded not in seen:
                seen.add(folded)
                weight = (1.0 + max(record.popularity, 0.0)) * (1.0 if number else LABEL_BONUS)
                self._add_entry(folded, node, number, weight)

    def _add_entry(self, folded: str, node: int, number: int, weight: float) -> None:
        self._entry_nodes.append(node)
        self._entry_names.append(number)
        self._weights.append(weight)
        self._hashes.append(text_hash(folded))
        self._prefixes += prefix_key(folded).ljust(PREFIX_BYTES, b"\0")
        self._names.write(folded + "\n")

    def finish(self) -> None:
        """Number the entries best first, sort the look-up arrays, build the word index, write the counts."""
        self._nodes.close()
        self._names.close()
        order = np.argsort(-np.frombuffer(self._weights, np.float64), kind="stable").astype(np.uint32)
        ranks = np.empty_like(order)
        ranks[order] = np.arange(len(order), dtype=np.uint32)
        self._save("entry_nodes", np.frombuffer(self._entry_nodes, np.uint32)[order])
        self._save("entry_names", np.frombuffer(self._entry_names, np.uint16)[order])
        self._save("node_offsets", np.frombuffer(self._offsets, np.uint64))
        hashes, iris = np.frombuffer(self._hashes, np.uint64), np.frombuffer(self._iris, np.uint64)
        SortedHashes.write(self._folder, "name", hashes, ranks)
        SortedHashes.write(self._folder, "iri", iris, np.arange(len(iris), dtype=np.uint32))
        prefixes = np.frombuffer(bytes(self._prefixes), f"S{PREFIX_BYTES}")
        by_prefix = np.argsort(prefixes)
        self._save("prefix_keys", prefixes[by_prefix])
        self._save("prefix_entries", ranks[by_prefix])
        self._index_words(ranks)
        counts = np.unique(hashes, return_counts=True)[1]
        meta = {
            "format": FORMAT,
            "nodes": len(iris),
            "entries": len(ranks),
            "shared": int((counts > 1).sum()),
        }
        (self._folder / META).write_text(json.dumps(meta))

    def _index_words(self, ranks: Any) -> None:
        import tantivy

        folder = self._folder / "words"
        folder.mkdir(exist_ok=True)
        index = tantivy.Index(word_schema(), str(folder), reuse=False)
        writer = index.writer(_WRITER_BYTES, 1)
        writer.delete_all_documents()
        names = self._folder / "names.tmp"
        with names.open(encoding="utf-8", newline="\n") as lines:
            for rank, line in zip(ranks.tolist(), lines, strict=True):
                folded = line[:-1]
                writer.add_document(tantivy.Document(name=folded, words=" ".join(words(folded)), entry=rank))
        writer.commit()
        writer.wait_merging_threads()
        names.unlink()

    def _save(self, name: str, values: Any) -> None:
        np.save(self._folder / f"{name}.npy", values)


def build_files(
    folder: Path, records: Iterable[LabelRecord], progress: Callable[[int], None] | None = None
) -> None:
    """Write the index of all records into the folder; `progress` gets the number of records so far."""
    writer, done = IndexWriter(folder), 0
    for record in records:
        writer.add(record)
        done += 1
        if progress and done % _STEP == 0:
            progress(done)
    writer.finish()
    if progress:
        progress(done)
