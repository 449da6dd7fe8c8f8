"""IO: the model answers from memory in one call; a baseline that shows what the graph adds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import json_repair
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from clear_kgqa.agent.prompts import text
from clear_kgqa.agent.repair import without_thinking
from clear_kgqa.agent.usage import usage
from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.events import Answered, Event, Failed, Thought
from clear_kgqa.examples.selectors import Selector
from clear_kgqa.settings import Settings
from clear_kgqa.strategies.one_query import OneQuery
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import Cancelled, EndpointError, LimitExceeded, QueryError
from clear_kgqa_tools.terms import XSD, iri_ref, string_literal

_ANSWER = re.compile(r"^[\s*#>-]*(?:final\s+)?answers?[\s*]*:[\s*]*", re.IGNORECASE | re.MULTILINE)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOST = 200
_MOST_SHOWN = 20  # answers of a worked example
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]+")


class FromMemory(OneQuery):
    """A Strategy without a graph query: the model's names are looked up among the nodes, so that they can be scored.

    The answer's query only lists what the model said; text and interpretation say that it is unchecked. Examples
    of a `selector` stand before the question as turns of their own.
    """

    prompt = "io.md"

    def __init__(self, bundle: GraphBundle, settings: Settings, model: Any, selector: Selector | None = None) -> None:
        super().__init__(bundle, settings)
        self._model, self._settings, self._selector = model, settings, selector

    def start(self, question: str) -> Iterator[Event]:
        """One call; ends with Answered or Failed."""
        try:
            yield from self._answer(question)
        except Cancelled:
            yield Failed("cancelled", "Stopped.")
        except EndpointError as error:
            yield Failed("endpoint", str(error))

    def write(self, question: str) -> str:
        """A query that lists what the model answers."""
        return self._listing(read_answer(self._said(question)[0])[1] or [])

    def _said(self, question: str) -> tuple[str, Any]:
        examples = self._selector.select(question) if self._selector else []
        turns = [message for sample in examples for message in self._turns(sample)]
        message = self._model.invoke([SystemMessage(text(self.prompt)), *turns, HumanMessage(question)])
        return str(message.text), message.usage_metadata

    def _turns(self, sample: Sample) -> list[BaseMessage]:
        """A worked example as two messages; none where its answers are not known."""
        try:
            names = self._names(sample)
        except (QueryError, LimitExceeded):
            return []
        answer = f"Answer: {json.dumps(names, ensure_ascii=False)}"
        return [HumanMessage(sample.question), AIMessage(self.reasoning(sample) + answer)] if names else []

    def _names(self, sample: Sample) -> list[str]:
        """The example's answers by name: those of the file, else those of its query on this graph."""
        answers = sample.answers
        if answers is None:
            result = self._execute(sample.sparql).result
            answers = tuple(row[0].value for row in result.rows if row and row[0])
            if result.boolean is not None:
                answers = ("true",) if result.boolean else ("false",)
        found = [a.partition(" | ")[0] for a in answers[:_MOST_SHOWN]]
        labels = {
            iri: node.label for iri, node in self.bundle.nodes.describe(list(filter(_IRI.fullmatch, found))).items()
        }
        return [{"true": "yes", "false": "no"}.get(a, labels.get(a, a)) for a in found]

    def reasoning(self, sample: Sample) -> str:
        """What stands before the answer of a worked example."""
        return ""

    def _answer(self, question: str) -> Iterator[Event]:
        said, metadata = self._said(question)
        if metadata:
            yield usage(metadata, self._settings)
        thought, names = read_answer(said)
        if thought:
            yield Thought(thought)
        if names is None:
            yield Failed("model", "The model gave no line that begins with Answer:.")
        elif not names:
            yield Failed("not_understood", "The model says that it does not know.")
        else:
            for event in self._run(self._listing(names)):
                yield _unchecked(event) if isinstance(event, Answered) else event

    def _listing(self, names: list[str]) -> str:
        if [n.casefold() for n in names] in (["yes"], ["no"]):
            return "ASK { }" if names[0].casefold() == "yes" else "ASK { FILTER(false) }"
        return f"SELECT DISTINCT ?answer WHERE {{ VALUES ?answer {{ {' '.join(map(self._term, names))} }} }}"

    def _term(self, name: str) -> str:
        """The node of that very label or alias (the best known one), else the name as a literal."""
        if _NUMBER.fullmatch(name):
            return name
        if _DATE.fullmatch(name):
            return f"{string_literal(name)}^^{iri_ref(XSD + 'date')}"
        exact = [n for n in self.bundle.nodes.search(name, 10) if n.match in ("label", "alias")]
        return iri_ref(max(exact, key=lambda n: n.popularity).iri) if exact else string_literal(name)


def read_answer(said: str) -> tuple[str, list[str] | None]:
    """(what stands before the answer, the answers); None where there is no answer line."""
    said, _ = without_thinking(said)
    found = list(_ANSWER.finditer(said))
    if not found:
        return said, None
    told = said[found[-1].end() :].strip()
    value = json_repair.loads(told) if told.startswith("[") else [told]
    names = [str(v).strip() for v in (value if isinstance(value, list) else [value])]
    return said[: found[-1].start()].strip(), [n for n in names if n][:_MOST]


def _unchecked(answer: Answered) -> Answered:
    told = f"From the model's memory, not from the graph: {answer.text}"
    return replace(answer, interpretation="what the model remembers, unchecked", text=told)
