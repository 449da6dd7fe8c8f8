"""The texts about candidates that a likelihood is conditioned on; the same at training and at scoring time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Described:
    """What a graph says about one candidate: label, type labels, labels of what it can be asked for, description."""

    label: str
    types: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    description: str = ""


def entity_contexts(candidates: Sequence[Described]) -> list[str]:
    """One line per candidate: name, then what tells it from the others, then its description.

    Types and properties that every candidate shares are left out: they cannot tell candidates apart and would only
    push the telling ones past a token limit. Properties stand before the description, so that a cut loses prose first.
    """
    types = _shared(c.types for c in candidates)
    properties = _shared(c.properties for c in candidates)
    return [_line(c, types, properties) for c in candidates]


def _shared(lists: Iterable[tuple[str, ...]]) -> frozenset[str]:
    sets = [frozenset(names) for names in lists]
    return frozenset.intersection(*sets) if len(sets) > 1 else frozenset()


def _line(candidate: Described, shared_types: frozenset[str], shared_properties: frozenset[str]) -> str:
    types = ", ".join(t for t in dict.fromkeys(candidate.types) if t not in shared_types)
    properties = ", ".join(p for p in dict.fromkeys(candidate.properties) if p not in shared_properties)
    parts = [f"{candidate.label} ({types})" if types else candidate.label]
    if properties:
        parts.append(f"has {properties}")
    if told := " ".join(candidate.description.split()):
        parts.append(told)
    return ". ".join(parts)
