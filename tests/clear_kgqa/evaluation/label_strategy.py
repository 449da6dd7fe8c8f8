"""A strategy over a tiny graph, for tests; as a script, a whole evaluation that a test can kill."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions, evaluate
from clear_kgqa.events import Answered, Asked, Event, Failed, Observation, Replied, Scored, ToolCall
from clear_kgqa_tools.embedded import EmbeddedGraph
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.graph import KnowledgeGraph, trusted
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.safety import check
from clear_kgqa_tools.terms import iri_ref, string_literal

X = "http://x.example/"


def labels_of(graph: KnowledgeGraph, iris: list[str]) -> dict[str, str]:
    """The rdfs:labels of nodes and properties."""
    values = " ".join(iri_ref(iri) for iri in iris)
    label = iri_ref("http://www.w3.org/2000/01/rdf-schema#label")
    rows = graph.query(trusted(f"SELECT ?x ?l {{ VALUES ?x {{ {values} }} ?x {label} ?l }}")).rows
    return {row[0].value: row[1].value for row in rows if row[0] and row[1]}


class LabelStrategy:
    """Answers "author of NAME": asks which node where names are shared; takes the last when told nothing."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._graph = graph
        self._pending: Clarification | None = None

    def start(self, question: str) -> Iterator[Event]:
        name = question.rstrip("?").split(" of ")[-1]
        yield ToolCall("1", "SearchNodes", {"name": name})
        if name == "crash":
            raise RuntimeError("broken on purpose by the test question")
        found = self._nodes(name)
        yield Observation("1", "SearchNodes", "", [iri for iri, _ in found])
        if not found:
            yield Failed("not_in_graph", f"nothing is called {name}")
            return
        options = tuple(
            Option(
                iri,
                name,
                type=kind,
                path="author",
                sparql=self._sparql(iri),
                share=1 / len(found),
                readings=(at,),
            )
            for at, (iri, kind) in enumerate(found)
        )
        yield Scored((), 1 - 1 / len(found), 0.3, 0.02, tuple(self._reading(o) for o in options))
        if len(options) == 1:
            yield from self._answer(options[0])
            return
        self._pending = Clarification("c1", "entity", "entity", f"Which {name}?", options)
        yield Asked(self._pending)

    def resume(self, reply: str | None) -> Iterator[Event]:
        if self._pending is None:
            raise ConfigError("no clarification is pending")
        clarification, self._pending = self._pending, None
        at = _chosen(clarification, reply)
        kind = "delegate" if at is None else "options"
        chosen = () if at is None else (clarification.options[at].line(),)
        yield Replied(clarification.id, reply or "", kind, chosen)
        yield from self._answer(clarification.options[-1 if at is None else at])

    def cancel(self) -> None:
        self._graph.cancel()

    def _nodes(self, name: str) -> list[tuple[str, str]]:
        label = iri_ref("http://www.w3.org/2000/01/rdf-schema#label")
        pattern = f"?x {label} {string_literal(name)} ; {iri_ref(X + 'kind')} ?k"
        query = f"SELECT ?x ?k {{ {pattern} }} ORDER BY DESC(?k)"
        return [(row[0].value, row[1].value) for row in self._graph.query(trusted(query)).rows if row[0] and row[1]]

    def _reading(self, option: Option) -> dict[str, object]:
        answers = [row[0].value for row in self._graph.query(check(option.sparql)).rows if row[0]]
        return {
            "sparql": option.sparql,
            "p": option.share,
            "answers": answers,
            "class": answers[0],
            "entity": option.iri,
            "path": "author",
        }

    @staticmethod
    def _sparql(iri: str) -> str:
        return f"SELECT ?a WHERE {{ {iri_ref(iri)} {iri_ref(X + 'author')} ?a }}"

    def _answer(self, option: Option) -> Iterator[Event]:
        rows = self._graph.query(check(option.sparql)).rows
        cells = tuple(tuple(None if t is None else t.to_json() for t in row) for row in rows)
        values = tuple(cell for row in cells for cell in row if cell)
        yield Answered("select", ("a",), cells, values, None, option.sparql, option.line(), "", seconds=0.1)


@lru_cache
def _ordinals() -> dict[str, int]:
    return {str(at + 1): at for at in range(9)}


def _chosen(clarification: Clarification, reply: str | None) -> int | None:
    if reply in _ordinals():
        return _ordinals()[reply or ""]
    last = (reply or "").split("sorry")[-1]
    found = [at for at, option in enumerate(clarification.options) if option.type in last]
    return found[0] if len(found) == 1 else None


def evaluate_graph(graph: EmbeddedGraph) -> EvaluateGraph:
    """The tiny graph as an evaluation takes it."""

    def describe(iris: list[str]) -> dict[str, Node]:
        return {iri: Node(iri, label) for iri, label in labels_of(graph, iris).items()}

    return EvaluateGraph(graph, check, describe, "tiny", "sha")


def main(store: str, questions: str, out: str, user: str, concurrency: str) -> None:
    """Evaluate a questions file over a store."""
    graph = EmbeddedGraph(Path(store))
    options = EvaluateOptions(Path(questions), Path(out), user=user, concurrency=int(concurrency))
    evaluate(options, lambda _: LabelStrategy(graph), evaluate_graph(graph))
    graph.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
