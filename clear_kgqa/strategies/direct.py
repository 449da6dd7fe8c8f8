"""Direct: a fine-tuned sequence model writes the query from the question alone (DeCAF's role)."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from clear_kgqa.events import Event
from clear_kgqa.examples.chosen import on_one_line
from clear_kgqa.examples.generative import GenerativeModel
from clear_kgqa.examples.linearise import delinearise, to_sparql
from clear_kgqa.examples.selectors import Selector
from clear_kgqa.settings import Settings
from clear_kgqa.strategies.one_query import OneQuery
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import Cancelled


class Direct(OneQuery):
    """A Strategy: the question goes to the model as it is, or behind examples where a `selector` is given.

    The model may write SPARQL or linearised triples, in which the profile's prefixes hold: the vocabulary of
    T5 models has no braces and no angle brackets.
    """

    def __init__(
        self,
        bundle: GraphBundle,
        settings: Settings,
        model: GenerativeModel,
        selector: Selector | None = None,
    ) -> None:
        super().__init__(bundle, settings)
        self._model, self._selector = model, selector
        self._stopped = threading.Event()

    def start(self, question: str) -> Iterator[Event]:
        """Write one query and run it; ends with Answered or Failed."""
        self._stopped.clear()
        yield from super().start(question)

    def cancel(self) -> None:
        """Stop the model's writing or the running query."""
        self._stopped.set()
        super().cancel()

    def write(self, question: str) -> str:
        """The model's continuation of the question."""
        examples = self._selector.select(question) if self._selector else []
        shown = [f"Question: {s.question}\nQuery: {on_one_line(s.sparql)}\n" for s in examples]
        asked = "\n".join([*shown, f"Question: {question}\nQuery:"]) if shown else question
        [text] = self._model.generate([asked], self._stopped.is_set)
        if self._stopped.is_set():
            raise Cancelled("stopped")
        return text

    def rewrite(self, written: str) -> str:
        """SPARQL as it is, linearised triples as the query they stand for."""
        if "[SEP]" not in written:
            return written
        return to_sparql(delinearise(written, self.bundle.profile.prefixes))
