"""Candidates for a name that is not in the index as written: typos, missing words, another word order."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from clear_kgqa_tools.folding import fold, words
from clear_kgqa_tools.label_index_build import word_schema
from clear_kgqa_tools.label_index_files import Ids, NodeTable, load_array

SHORT = 3
_CANDIDATES = 60
_WORDS = 12
_LOOSE_SCORE = 60.0


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry met by a name with so many typos; `score` 0..100 by rapidfuzz."""

    entry: int
    typos: int
    score: float


def allowed_typos(text: str) -> int:
    """None up to three characters, one up to seven, then two."""
    return 0 if len(text) <= SHORT else 1 if len(text) < 8 else 2


class WordIndex:
    """tantivy over folded names; the candidates of a query are the heaviest names that match."""

    def __init__(self, folder: Path, table: NodeTable) -> None:
        import tantivy

        self._tantivy = tantivy
        self._schema = word_schema()
        self._searcher = _searcher(folder / "words")
        self._table = table
        self._ranks: Ids = load_array(folder / "ranks.npy")

    def known(self, word: str) -> bool:
        """Whether any name holds this folded word."""
        return bool(self._searcher.doc_freq("words", word))

    def whole_name(self, folded: str, typos: int) -> list[Hit]:
        """Names within so many typos (1 or 2) of this one; none if it is too short for that many."""
        if typos > allowed_typos(folded):
            return []
        query = self._tantivy.Query.fuzzy_term_query(self._schema, "name", folded, typos)
        return [hit for hit in self._rank(folded, self._best(query)) if hit.typos <= typos]

    def by_words(self, folded: str, typos: int) -> list[Hit]:
        """Names that hold every word, in any order; only a word that no name holds may have typos."""
        query_words = words(folded)[:_WORDS]
        parts = [self._word(word, typos) for word in query_words]
        if not parts or None in parts:
            return []
        must = self._tantivy.Occur.Must
        entries = self._best(self._tantivy.Query.boolean_query([(must, part) for part in parts]))
        return self._rank(folded, entries, query_words)

    def loosely(self, folded: str) -> list[Hit]:
        """Names made of words of the query, or else similar to it as a whole: a last resort."""
        query_words = words(folded)[:_WORDS]
        known = [word for word in query_words if len(word) > SHORT and self.known(word)]
        should = self._tantivy.Occur.Should
        parts = [(should, self._term(word)) for word in known]
        found = self._searcher.search(self._tantivy.Query.boolean_query(parts), _CANDIDATES, count=False)
        hits = self._rank(folded, self._entries(found))
        return [h for h in hits if h.score >= _LOOSE_SCORE or self._within(h.entry, query_words)]

    def _within(self, entry: int, query_words: list[str]) -> bool:
        return set(words(fold(self._table.name(entry)))) <= set(query_words)

    def _word(self, word: str, typos: int) -> Any:
        if self.known(word):
            return self._term(word)
        typos = min(typos, allowed_typos(word))
        return self._tantivy.Query.fuzzy_term_query(self._schema, "words", word, typos) if typos else None

    def _term(self, word: str) -> Any:
        return self._tantivy.Query.term_query(self._schema, "words", word)

    def _best(self, query: Any) -> list[int]:
        """The entries of the heaviest names that match."""
        order = self._tantivy.Order.Desc
        return self._entries(self._searcher.search(query, _CANDIDATES, False, "weight", order=order))

    def _entries(self, found: Any) -> list[int]:
        if not found.hits:
            return []
        numbers = self._searcher.fast_field_values("entry", [address for _, address in found.hits])
        entries: list[int] = self._ranks[np.array(numbers, np.intp)].tolist()
        return entries

    def _rank(self, folded: str, entries: Iterable[int], query_words: list[str] | None = None) -> list[Hit]:
        hits = []
        for entry in entries:
            name = fold(self._table.name(entry))
            typos = (
                OSA.distance(folded, name) if query_words is None else _word_typos(query_words, words(name))
            )
            hits.append(Hit(entry, typos, max(fuzz.ratio(folded, name), fuzz.token_sort_ratio(folded, name))))
        return sorted(hits, key=lambda hit: (hit.typos, hit.entry))


def _searcher(folder: Path) -> Any:
    import tantivy

    if os.access(folder, os.W_OK):
        return tantivy.Index.open(str(folder)).searcher()
    # tantivy takes a lock file even to read: where it may not write, it gets a folder of links, needed until
    # all files are mapped.
    with TemporaryDirectory() as links:
        for path in folder.iterdir():
            if not path.name.endswith(".lock"):
                (Path(links) / path.name).symlink_to(path.resolve())
        return tantivy.Index.open(links).searcher()


def _word_typos(query_words: list[str], name_words: list[str]) -> int:
    return sum(min(OSA.distance(word, other) for other in name_words) for word in query_words)
