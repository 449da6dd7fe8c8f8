"""Linking: which nodes and classes of the graph a question means, by the readings of what SearchNodes returned."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass

from clear_kgqa.readings.mentions import Mention
from clear_kgqa.readings.posterior import Posterior
from clear_kgqa.readings.reading import Span
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.terms import Term, iri_ref

MOST_LINKED = 6
MOST_PER_SPAN = 2
CLOSE = 0.5  # share of the best node's mass from which a second node of the same name is kept
LEAST = 0.01  # mass below which a mention that is not met as written is left out
_LITERAL = {"label": 3, "alias": 2, "prefix": 1, "fuzzy": 0}


@dataclass(frozen=True, slots=True)
class Linked:
    """A node (or a literal `value`) that a span of the question is taken to mean, with its probability mass."""

    node: Node
    span: Span
    mass: float
    value: Term | None = None

    @property
    def ref(self) -> str:
        """The node or value as it stands in a query."""
        return iri_ref(self.node.iri) if self.value is None else self.value.n3()


def link(
    posterior: Posterior,
    mentions: tuple[Mention, ...],
    chosen: Mapping[Span, tuple[str, ...]],
    ruled_out: Collection[str],
    classes: Container[str] = (),
) -> list[Linked]:
    """The nodes that the question's mentions mean, heaviest first; spans do not overlap.

    A node's mass is the probability of the readings that use it. `chosen` holds the nodes that the user settled on,
    `ruled_out` those that the user meant in no case; of the `classes` only those are linked that a reading asks about.
    """
    found: dict[Span, list[Linked]] = {}
    for linked in sorted(_weighed(posterior), key=lambda x: -x.mass):
        found.setdefault(linked.span, []).append(linked)
    for mention in _by_length(mentions):
        if mention.span not in found:
            found[mention.span] = [Linked(n, mention.span, 0.0) for n in mention.nodes]
        for node in mention.nodes:
            if node.iri in chosen.get(mention.span, ()) and all(x.node.iri != node.iri for x in found[mention.span]):
                found[mention.span].append(Linked(node, mention.span, 0.0))
    out: list[Linked] = []
    for span, nodes in sorted(found.items(), key=lambda item: (item[0] not in chosen, -sum(x.mass for x in item[1]))):
        left = [x for x in nodes if x.node.iri not in ruled_out and (x.mass >= LEAST or x.node.iri not in classes)]
        if left and len(out) < MOST_LINKED and not any(_overlap(span, x.span) for x in out) and not _idle(left, out):
            out += _kept(left, chosen.get(span, ()))
    return out


def _weighed(posterior: Posterior) -> Iterator[Linked]:
    mass: dict[tuple[Span, str], float] = {}
    anchors = {}
    for reading, p in zip(posterior.readings, posterior.p, strict=True):
        for anchor in reading.entities:
            key = (anchor.span, anchor.ref)
            mass[key] = mass.get(key, 0.0) + float(p)
            anchors[key] = anchor
    for key, total in mass.items():
        yield Linked(anchors[key].node, anchors[key].span, total, anchors[key].value)


def _by_length(mentions: tuple[Mention, ...]) -> list[Mention]:
    held = [m for m in mentions if m.nodes]
    return sorted(held, key=lambda m: (-m.words, -_LITERAL[m.nodes[0].match], m.span))


def _idle(nodes: list[Linked], linked: list[Linked]) -> bool:
    """Beside others, a name that is not met as written and that no reading speaks for."""
    return bool(linked) and sum(x.mass for x in nodes) < LEAST and nodes[0].node.match in ("prefix", "fuzzy")


def _kept(nodes: list[Linked], chosen: tuple[str, ...]) -> list[Linked]:
    if chosen:
        return [x for x in nodes if x.node.iri in chosen]
    least = CLOSE * nodes[0].mass
    return [x for i, x in enumerate(nodes[:MOST_PER_SPAN]) if i == 0 or (x.mass > 0 and x.mass >= least)]


def _overlap(a: Span, b: Span) -> bool:
    return a[0] < b[1] and b[0] < a[1]
