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

from clear_kgqa_tools.folding import words
from clear_kgqa_tools.label_index_files import (
    FORMAT,
    META,
    PREFIX_BYTES,
    SortedHashes,
    dump,
    folded_name,
    prefix_key,
    text_digest,
)
from clear_kgqa_tools.label_spelling import Spelling

# An exact label beats an exact alias unless the alias belongs to a node ten times as popular ("US").
LABEL_BONUS = 10.0
_WRITER_BYTES = 96_000_000
_STEP = 10_000
_MOST_POPULAR = 1e15


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
    """tantivy's schema: words of a folded name, the entry's number, the weight that orders results."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("words", tokenizer_name="whitespace", index_option="basic")
    builder.add_integer_field("entry", fast=True)
    builder.add_float_field("weight", fast=True)
    return builder.build()


def known_words(folder: Path) -> list[str]:
    """All words of a committed index."""
    import tantivy

    terms = tantivy.Index.open(str(folder / "words")).searcher().terms_with_prefix("words", "")
    return [word for word, _ in terms]


class IndexWriter:
    """Collects records into the files of a label index; `finish` sorts the arrays and seals it."""

    def __init__(self, folder: Path) -> None:
        import tantivy

        self._folder = folder
        words_folder = folder / "words"
        words_folder.mkdir(parents=True, exist_ok=True)
        (folder / META).unlink(missing_ok=True)
        self._nodes = (folder / "nodes.jsonl").open("wb")
        # One writing thread: it keeps a second core busy while this one reads records.
        self._words = tantivy.Index(word_schema(), str(words_folder), reuse=False).writer(_WRITER_BYTES, 1)
        self._words.delete_all_documents()
        self._offsets, self._weights = array("Q", [0]), array("d")
        self._entry_nodes, self._entry_names = array("I"), array("H")
        self._name_hashes, self._iri_hashes, self._prefixes = bytearray(), bytearray(), bytearray()

    def add(self, record: LabelRecord) -> None:
        """Write one node's payload and an entry for each of its distinct folded names."""
        label = record.label.strip() or local_name(record.iri)
        # JSON has no NaN and no infinity.
        popularity = min(record.popularity, _MOST_POPULAR) if record.popularity > 0.0 else 0.0
        facts = (record.types, record.type_iris, record.description, popularity)
        payload = dump((record.iri, label, record.aliases, *facts))
        self._nodes.write(payload)
        self._iri_hashes += text_digest(record.iri)
        weight = 1.0 + popularity
        folded = folded_name(label)
        self._add_entry(folded, 0, weight * LABEL_BONUS)
        seen = {folded}
        for number, alias in enumerate(record.aliases[:0xFFFE], 1):
            folded = folded_name(alias)
            if folded not in seen:
                seen.add(folded)
                self._add_entry(folded, number, weight)
        self._offsets.append(self._offsets[-1] + len(payload))

    def _add_entry(self, folded: str, number: int, weight: float) -> None:
        if not folded:
            return
        entry = {"words": " ".join(words(folded)), "entry": len(self._weights), "weight": weight}
        self._words.add_json(dump(entry).decode())
        self._entry_nodes.append(len(self._offsets) - 1)
        self._entry_names.append(number)
        self._weights.append(weight)
        self._name_hashes += text_digest(folded)
        self._prefixes += prefix_key(folded).ljust(PREFIX_BYTES, b"\0")

    def finish(self) -> None:
        """Number the entries best first, sort the look-up arrays, commit the word index, write the counts."""
        self._nodes.close()
        self._words.commit()
        self._words.wait_merging_threads()
        self._save("node_offsets", np.frombuffer(self._offsets, np.uint64))
        self._save_entries()
        iris = np.frombuffer(self._iri_hashes, np.uint64)
        SortedHashes.write(self._folder, "iri", iris, np.arange(len(iris), dtype=np.uint32))
        meta = {"format": FORMAT, "nodes": len(iris), **self._name_counts()}
        # Spellings take as much memory as what was collected, which is on disk by now.
        del iris, self._words, self._offsets, self._weights, self._entry_nodes, self._entry_names
        del self._name_hashes, self._iri_hashes, self._prefixes
        Spelling.write(self._folder, sorted(known_words(self._folder)))
        (self._folder / META).write_text(json.dumps(meta))

    def _name_counts(self) -> dict[str, int]:
        names = np.unique(np.frombuffer(self._name_hashes, np.uint64), return_counts=True)[1]
        return {"entries": int(names.sum()), "shared": int((names > 1).sum())}

    def _save_entries(self) -> None:
        order = np.argsort(-np.frombuffer(self._weights, np.float64), kind="stable").astype(np.uint32)
        ranks = np.empty_like(order)
        ranks[order] = np.arange(len(order), dtype=np.uint32)
        self._save("ranks", ranks)
        self._save("entry_nodes", np.frombuffer(self._entry_nodes, np.uint32)[order])
        self._save("entry_names", np.frombuffer(self._entry_names, np.uint16)[order])
        prefixes = np.frombuffer(self._prefixes, f"S{PREFIX_BYTES}")
        by_prefix = np.argsort(prefixes)
        self._save("prefix_keys", prefixes[by_prefix])
        self._save("prefix_entries", ranks[by_prefix])
        SortedHashes.write(self._folder, "name", np.frombuffer(self._name_hashes, np.uint64), ranks)

    def _save(self, name: str, values: Any) -> None:
        np.save(self._folder / f"{name}.npy", values)


def build_files(folder: Path, records: Iterable[LabelRecord], progress: Callable[[int], None] | None = None) -> None:
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
