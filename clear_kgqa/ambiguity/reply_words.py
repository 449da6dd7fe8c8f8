"""The words of a reply beside those that the options show."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from clear_kgqa.clarification import Option
from clear_kgqa.readings.english import lexicon
from clear_kgqa.readings.words import WH_WORDS, stem, tokenize
from clear_kgqa_tools.folding import fold

_DATED = re.compile(r"\b([0-9]{4})-[0-9]{2}-[0-9]{2}")
LONG = 5  # letters from which a word is taken to be misspelt rather than another
EMPTY = frozenset(
    ["the", "one", "ones", "that", "is", "it", "in", "of", "a", "an", "i", "mean", "meant", "want", "please",
     "and", "with", "by", "as", "about", "to", "was", "from"]
).union(WH_WORDS)  # fmt: skip


def option_words(option: Option) -> Counter[str]:
    """The stems that tell what an option is; words of its label count once more."""
    return Counter(w.stem for w in tokenize(told_of(option)))


def told_of(option: Option) -> str:
    """Everything that an option shows, the years of its dates as words of their own."""
    told = " ".join((option.label, option.type, option.description, option.fact, option.path))
    return " ".join((told, *_DATED.findall(told)))


def words_left(reply: str, options: Iterable[Option]) -> float:
    """The share of a reply's content words that none of the `options` explains, 0..1."""
    known = {w for o in options for w in option_words(o)}
    words = {w.stem for w in tokenize(reply) if w.content and w.lower not in EMPTY}
    return len(words - known) / len(words) if words else 0.0


def spelt(text: str, options: Iterable[Option]) -> str:
    """The text with words that nearly are a word of an option put right ("Missuri")."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    known = sorted({w.lower for o in options for w in tokenize(told_of(o)) if len(w.lower) >= LONG})
    for word in reversed(tokenize(text)):
        if word.content and len(word.lower) >= LONG and word.lower not in known:
            typos = 1 if len(word.lower) < 2 * LONG - 2 else 2
            near = process.extractOne(word.lower, known, scorer=OSA.distance, score_cutoff=typos)
            if near and near[0][0] == word.lower[0]:
                text = text[: word.start] + near[0] + text[word.end :]
    return text


def countries(text: str) -> list[str]:
    """The countries whose adjectives a text holds ("the Canadian one")."""
    known = lexicon()["demonyms"]
    return [known[w.lower] for w in tokenize(text) if w.lower in known]


def overlap(text: str, bags: list[Counter[str]]) -> list[float]:
    """Inverse-frequency weighted share of words: a word in every option weighs nothing."""
    unknown = (w.text for w in tokenize(text) if not any(w.stem in b for b in bags))
    said = " ".join((text, *countries(" ".join(unknown))))
    words = {w.stem for w in tokenize(said) if w.lower not in EMPTY} | {
        stem(w) for w in fold(said).split() if w not in EMPTY
    }
    weight = {w: math.log((len(bags) + 0.0) / n) for w in words if (n := sum(w in b for b in bags))}
    return [sum(v for w, v in weight.items() if w in b) for b in bags]
