"""The question as words with offsets, stems and a few function words; English rules, harmless for other languages."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

FUNCTION_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "by",
        "to",
        "for",
        "from",
        "with",
        "and",
        "or",
        "as",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "am",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "can",
        "could",
        "will",
        "would",
        "shall",
        "should",
        "may",
        "might",
        "must",
        "i",
        "me",
        "my",
        "we",
        "us",
        "our",
        "you",
        "your",
        "he",
        "him",
        "his",
        "she",
        "her",
        "it",
        "its",
        "they",
        "them",
        "their",
        "this",
        "that",
        "these",
        "those",
        "there",
        "here",
        "who",
        "whom",
        "whose",
        "which",
        "what",
        "when",
        "where",
        "why",
        "how",
        "many",
        "much",
        "some",
        "any",
        "all",
        "each",
        "every",
        "both",
        "not",
        "no",
        "only",
        "also",
        "than",
        "then",
        "so",
        "too",
        "very",
        "just",
        "into",
        "onto",
        "out",
        "up",
        "down",
        "over",
        "under",
        "about",
        "between",
        "s",
        "please",
        "tell",
        "show",
        "give",
        "list",
        "name",
        "find",
        "get",
        "know",
        "want",
        "need",
        "if",
        "but",
        "which's",
    ]
)
WH_WORDS = frozenset(
    ["who", "whom", "whose", "which", "what", "when", "where", "why", "how", "whats", "whos", "wheres", "hows"]
)
# Nouns that ask for an example or a name rather than say anything about the graph.
FILLER = frozenset(
    [
        "name",
        "names",
        "example",
        "examples",
        "kind",
        "kinds",
        "type",
        "types",
        "sort",
        "instance",
        "instances",
        "list",
        "someone",
        "somebody",
        "something",
        "thing",
        "called",
        "named",
        "known",
        "one",
        "ones",
        "way",
    ]
)
_WORD = re.compile(r"[\w][\w.+#/&'’\-]*[\w+#]|[\w]|[!@$%&*+#]{2,}", re.UNICODE)
_IRREGULAR = {
    "people": "person",
    "men": "man",
    "women": "woman",
    "children": "child",
    "wrote": "write",
    "written": "write",
    "countries": "country",
    "born": "birth",
    "died": "death",
    "dead": "death",
    "die": "death",
    "spoke": "speak",
    "spoken": "speak",
    "made": "make",
    "won": "win",
    "feet": "foot",
    "movies": "film",
    "movie": "film",
    "films": "film",
    "sung": "sing",
    "sang": "sing",
    "led": "lead",
    "founded": "found",
    "geographic": "geography",
    "located": "location",
    "series": "series",
    "species": "species",
    "genres": "genre",
    "marri": "spouse",
    "lives": "live",
}


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a question; `start` and `end` are character offsets, `stem` a light stem of the lower-cased word."""

    text: str
    start: int
    end: int
    lower: str
    stem: str

    @property
    def content(self) -> bool:
        return self.lower not in FUNCTION_WORDS and self.lower not in WH_WORDS and self.lower not in FILLER


def singular(word: str) -> str:
    """The singular of a regular English plural ("countries" -> "country"); other words unchanged."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A light stem that joins the inflections of one word and little else."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    word = singular(word)
    if word.endswith("our") and len(word) > 5:
        word = word[:-2] + "r"  # "neighbour" and "neighbor"
    for ending in ("ating", "ated", "ator", "ation", "ing", "ers", "ed", "er", "or", "ion", "ment"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            break
    return word.rstrip("e") if len(word) > 4 else word


def tokenize(text: str) -> list[Word]:
    """The words of a text in order; a possessive "'s" is split off and dropped."""
    words = []
    for match in _WORD.finditer(text):
        raw, start = match.group(), match.start()
        for ending in ("'s", "’s", "'", "’", "."):
            if raw.endswith(ending) and len(raw) > len(ending):
                raw = raw[: -len(ending)]
        lower = unicodedata.normalize("NFC", raw).casefold()
        words.append(Word(raw, start, start + len(raw), lower, stem(lower)))
    return words


@lru_cache(maxsize=16384)
def content_stems(text: str) -> frozenset[str]:
    """The stems of a text's content words."""
    return frozenset(w.stem for w in tokenize(text) if w.content)
