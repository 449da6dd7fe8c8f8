"""Readable names from IRIs, for nodes, properties and classes that carry no label."""

from __future__ import annotations

import re
from urllib.parse import unquote

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DOTTED = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)+")
_OPAQUE = re.compile(
    r"[A-Za-z]{0,2}[._-]?\d[\d._-]*|[0-9a-fA-F]{6,}|m\.[0-9a-z_]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)
_LEADING = re.compile(r"(?:has|have|is|was|are) (?=\w)", re.IGNORECASE)


def local_part(iri: str) -> str:
    """What follows the last "#", "/" or ":" of the IRI, percent-decoded."""
    end = iri.rstrip("/#")
    for mark in "#/:":
        head, _, tail = end.rpartition(mark)
        if head and tail:
            return unquote(tail)
    return unquote(end)


def namespace(iri: str) -> str:
    """The IRI without its local part."""
    return iri[: max(iri.rfind("#"), iri.rfind("/"), iri.rfind(":")) + 1]


def opaque(iri: str) -> bool:
    """Whether the local part is an identifier that tells a reader nothing (Q42, m.02mjmr, 0011b0ae2aab)."""
    return _OPAQUE.fullmatch(local_part(iri)) is not None


def split_words(name: str) -> str:
    """Separate words: `hasProductManager` -> "has product manager"; acronyms keep their case."""
    spaced = _CAMEL.sub(" ", name.replace("_", " ").replace("-", " "))
    return " ".join(w if w.isupper() and len(w) > 1 else w.lower() for w in spaced.split()) or name


def node_name(iri: str) -> str:
    """A name for a node without label: `Paul_Lucas` -> "Paul Lucas", `NewYork` -> "New York"."""
    local = local_part(iri)
    spaced = local.replace("_", " ").strip() if "_" in local or " " in local else _CAMEL.sub(" ", local)
    return spaced or iri


def term_names(iri: str) -> tuple[str, ...]:
    """Names for a property or class, the best first.

    `music.musician.instruments_played` -> "instruments played", "music musician instruments played";
    `hasProductManager` -> "has product manager", "product manager".
    """
    local = local_part(iri)
    if _DOTTED.fullmatch(local):
        return split_words(local.rpartition(".")[2]), split_words(local.replace(".", " "))
    words = split_words(local)
    return tuple(dict.fromkeys((words, _LEADING.sub("", words, count=1))))
