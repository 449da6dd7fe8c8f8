"""The texts about candidates that a likelihood is conditioned on, alike at training and at scoring."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

ContextStyle = Literal["full", "properties", "fits"]


@dataclass(frozen=True, slots=True)
class Described:
    """What a graph says about one candidate: label, type labels, labels of what it can be asked for,
    description.
    """

    label: str
    types: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    description: str = ""


def entity_contexts(candidates: Sequence[Described], style: ContextStyle = "full") -> list[str]:
    """One line per candidate: name, then what tells it from the others, then its description.

    Types and properties that every candidate shares are left out: they cannot tell candidates apart and would
    only push the telling ones past a token limit. Properties stand before the description, so that a cut
    loses prose first. "properties" leaves out types and description: short, and best where a graph holds a
    schema but no facts. "fits" names what only this candidate has and what all of them have: enough to judge
    whether a question can be asked of it.
    """
    types = _shared(c.types for c in candidates)
    properties = _shared(c.properties for c in candidates)
    if style == "properties":
        return [f"{c.label}: {_telling(c.properties, properties) or 'nothing'}" for c in candidates]
    if style == "fits":
        return [_fits(c, properties) for c in candidates]
    return [_line(c, types, properties) for c in candidates]


def _shared(lists: Iterable[tuple[str, ...]]) -> frozenset[str]:
    sets = [frozenset(names) for names in lists]
    return frozenset.intersection(*sets) if len(sets) > 1 else frozenset()


def _line(candidate: Described, shared_types: frozenset[str], shared_properties: frozenset[str]) -> str:
    types = _telling(candidate.types, shared_types)
    properties = _telling(candidate.properties, shared_properties)
    parts = [f"{candidate.label} ({types})" if types else candidate.label]
    if properties:
        parts.append(f"has {properties}")
    if told := " ".join(candidate.description.split()):
        parts.append(told)
    return ". ".join(parts)


def _fits(candidate: Described, shared: frozenset[str]) -> str:
    common = ", ".join(name for name in dict.fromkeys(candidate.properties) if name in shared)
    return f"This one has {_telling(candidate.properties, shared) or 'nothing'}. All have {common or 'nothing'}."


def _telling(names: Iterable[str], shared: frozenset[str]) -> str:
    return ", ".join(name for name in dict.fromkeys(names) if name not in shared)
