"""Candidates for a name that is not in the index as written: typos, missing words, another word order."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from clear_kgqa_tools.folding import fold, words
from clear_kgqa_tools.label_index_build import word_schema
from clear_kgqa_tools.label_index_files import Ids, NodeTable, SortedHashes, load_array
from clear_kgqa_tools.label_spelling import Spelling

SHORT = 3
_CANDIDATES = 60
_WORDS = 12
_SPELLINGS = 30
_COMBINATIONS = 500
_LOOSE_SCORE = 60.0
_ALIKE_SCORE = 85.0


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

    def __init__(self, folder: Path, table: NodeTable, names: SortedHashes) -> None:
        import tantivy

        self._tantivy = tantivy
        self._schema = word_schema()
        self._searcher = _searcher(folder / "words")
        self._table = table
        self._names = names
        self._spelling = Spelling(folder)
        # The n-grams of a question share their words.
        self._near = lru_cache(maxsize=512)(self._look_up_near)
        self._ranks: Ids = load_array(folder / "ranks.npy")

    def known(self, word: str) -> bool:
        """Whether any name holds this folded word."""
        return bool(self._searcher.doc_freq("words", word))

    def whole_name(self, folded: str, typos: int) -> list[Hit]:
        """Names found by correcting unknown words (so many typos in each), or a known word, or a space."""
        found = self._names.find([*self._respelled(folded, typos)], _CANDIDATES)
        hits = self._rank(folded, {entry for entries in found for entry in entries})
        return [hit for hit in hits if hit.typos <= allowed_typos(folded)]

    def by_words(self, folded: str, typos: int) -> list[Hit]:
        """Names that hold every word, in any order; only a word that no name holds may have typos."""
        query_words = words(folded)[:_WORDS]
        spellings = [[word] if self.known(word) else self._near(word, typos) for word in query_words]
        if not all(spellings):
            return []
        parts = [(self._tantivy.Occur.Must, self._any_of(spelling[:_SPELLINGS])) for spelling in spellings]
        return self._rank(folded, self._best(self._tantivy.Query.boolean_query(parts)), query_words)

    def loosely(self, folded: str) -> list[Hit]:
        """Names made of words of the query, or else similar to it as a whole: a last resort."""
        query_words = words(folded)[:_WORDS]
        known = [word for word in query_words if len(word) > SHORT and self.known(word)]
        found = self._searcher.search(self._any_of(known), _CANDIDATES, count=False)
        hits = self._rank(folded, self._entries(found))
        kept = [(self._likeness(hit, query_words), -hit.score, hit) for hit in hits]
        return [hit for likeness, _, hit in sorted(kept, key=lambda rated: rated[:2]) if likeness < 3]

    def _likeness(self, hit: Hit, query_words: list[str]) -> int:
        """0 much like the query, 1 made of its words, 2 like it, 3 unlike."""
        if hit.score >= _ALIKE_SCORE:
            return 0
        if set(words(fold(self._table.name(hit.entry)))) <= set(query_words):
            return 1
        return 2 if hit.score >= _LOOSE_SCORE else 3

    def _respelled(self, folded: str, typos: int) -> Iterator[str]:
        parts = folded.split()[:_WORDS]
        unknown = [not self.known(_core(part)) for part in parts]
        if any(unknown):
            choices = [self._variants(p, typos) if u else [p] for p, u in zip(parts, unknown, strict=True)]
            yield from islice((" ".join(chosen) for chosen in product(*choices)), _COMBINATIONS)
        for at, part in enumerate(parts):
            spelled: Iterable[str] = ()
            if unknown[at]:
                spelled = _with_space(part)
            elif not any(unknown):
                spelled = self._variants(part, 1)
            yield from (" ".join([*parts[:at], variant, *parts[at + 1 :]]) for variant in spelled)
        for at, (left, right) in enumerate(pairwise(parts)):
            moved = (left + right, f"{left[:-1]} {left[-1]}{right}", f"{left}{right[0]} {right[1:]}")
            yield from (" ".join([*parts[:at], *variant.split(), *parts[at + 2 :]]) for variant in moved)

    def _variants(self, part: str, typos: int) -> list[str]:
        """The part with its word spelled as known words are, punctuation around it kept."""
        word = _core(part)
        return [part.replace(word, near) for near in self._near(word, typos)]

    def _look_up_near(self, word: str, typos: int) -> list[str]:
        """Known words within so many typos; for two of them the first two letters must be right."""
        if typos == 1:
            return self._spelling.near(word)
        if allowed_typos(word) == 0:
            return []
        alike = [term for term, _ in self._searcher.terms_with_prefix("words", word[:2])]
        near = process.extract(word, alike, scorer=OSA.distance, score_cutoff=2, limit=_SPELLINGS)
        return [term for term, _, _ in near]

    def _any_of(self, spellings: list[str]) -> Any:
        """A union of terms; tantivy's own set query walks the dictionary, which takes a millisecond."""
        should = self._tantivy.Occur.Should
        return self._tantivy.Query.boolean_query([(should, self._term(word)) for word in spellings])

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
            typos = OSA.distance(folded, name) if query_words is None else _word_typos(query_words, words(name))
            hits.append(Hit(entry, typos, max(fuzz.ratio(folded, name), fuzz.token_sort_ratio(folded, name))))
        return sorted(hits, key=lambda hit: (hit.typos, hit.entry))


def _with_space(part: str) -> Iterator[str]:
    """The part with a space put in, or in the place of a letter."""
    for at in range(1, len(part)):
        yield f"{part[:at]} {part[at:]}"
        yield f"{part[:at]} {part[at + 1 :]}".rstrip()


def _core(part: str) -> str:
    return words(part)[0]


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
