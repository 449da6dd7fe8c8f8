"""The English word lists that readings lean on."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from clear_kgqa.readings.words import stem


@cache
def lexicon() -> dict[str, Any]:
    """The English word lists of data/english.yaml."""
    text = files("clear_kgqa").joinpath("data/english.yaml").read_text(encoding="utf-8")
    loaded: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return loaded


@cache
def synonyms() -> dict[str, frozenset[str]]:
    """For a word, the stems of what else may be called so ("nationality": citizenship, country)."""
    return {word: frozenset(stem(n) for n in names) for word, names in lexicon()["synonyms"].items()}
