"""The nodes that a question is about, told beforehand: the published ablation "gold entities given"."""

from __future__ import annotations

from collections.abc import Sequence

from clear_kgqa.agent.context import GIVEN
from clear_kgqa.agent.mention_json import locate
from clear_kgqa.readings.mentions import Mention
from clear_kgqa.readings.reader import Reader
from clear_kgqa.readings.reading import Span
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.terms import iri_ref
from clear_kgqa_tools.text import cut, one_line


class GivenReader(Reader):
    """Reads like `reader`, whose caches it shares, but takes no node for a name but the `nodes` given."""

    def __init__(self, reader: Reader, nodes: Sequence[Node]) -> None:
        vars(self).update(vars(reader))
        self.nodes = tuple(nodes)

    def mentions(self, question: str) -> tuple[Mention, ...]:
        """The mentions of given nodes; one that no span names is mentioned where the question is most like its label,
        else by the last word that names no property either ("the hexagon")."""
        iris = {n.iri for n in self.nodes}
        narrowed = ((m, tuple(n for n in m.nodes if n.iri in iris)) for m in super().mentions(question))
        kept = [Mention(m.span, m.name, nodes, m.variant, m.words) for m, nodes in narrowed if nodes]
        named = {n.iri for m in kept for n in m.nodes}
        rest = [n for n in self.nodes if n.iri not in named]
        words = ((n, n.label or n.iri) for n in rest)
        return (*kept, *(Mention(self._place(w, question), w, (n,), "", len(w.split())) for n, w in words))

    def _place(self, name: str, question: str) -> Span:
        strange = [w for w in self._cues(question).words if w.content and w.lower not in self._vocabulary_set]
        place = locate(name, question)
        return place if place != (0, 0) or not strange else (strange[-1].start, strange[-1].end)

    def told(self, question: str) -> str:
        """The question with the given nodes named, for a model."""
        return question + GIVEN + "; ".join(f"{iri_ref(n.iri)} {cut(one_line(n.label), 60)}" for n in self.nodes)
