"""Steps 2 to 9 for a question whose entities are known: rewrite, patterns, reason, expand, verify, answer."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from clear_kgqa.agent.answer import is_empty
from clear_kgqa.agent.tool_specs import SEARCH_GRAPH_PATTERN
from clear_kgqa.agent.verify import form_fault
from clear_kgqa.events import Event, Failed, FailureKind, Observation, Thought, ToolCall
from clear_kgqa.mars.answer_form import in_right_form
from clear_kgqa.mars.enrichment import classes_of, enriched
from clear_kgqa.mars.labels import Labels
from clear_kgqa.mars.offers import Offer, lines, to_json
from clear_kgqa.mars.options import MarsOptions
from clear_kgqa.mars.patterns import Patterns
from clear_kgqa.mars.replies import Decision
from clear_kgqa.mars.runner import Runner
from clear_kgqa.mars.view import View
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.execute import Execution
from clear_kgqa_tools.terms import iri_ref
from clear_kgqa_tools.text import cut, one_line

EXPANDED = 5  # patterns that are looked beyond in one hop


class Reasoner(Protocol):
    """What a language model does in MARS, or the rules that stand in for it."""

    def translate(self, view: View) -> Generator[Event, None, str]:
        """The question in English."""
        ...

    def rewrite(self, view: View) -> Generator[Event, None, str]:
        """The question with the types of its entities."""
        ...

    def decide(self, view: View, forced: bool, faulty: Decision | None) -> Generator[Event, None, Decision]:
        """A query, or the numbers of patterns to expand; `forced` wants a query."""
        ...

    def verify(self, view: View, execution: Execution, fault: str) -> Generator[Event, None, str]:
        """A better query than the executed one, or nothing; `fault` is what is wrong with the answer's form."""
        ...


class Reasoning:
    """The part of the pipeline that follows linking, over one graph."""

    def __init__(
        self,
        bundle: GraphBundle,
        options: MarsOptions,
        patterns: Patterns,
        labels: Labels,
        reasoner: Reasoner,
        runner: Runner,
    ) -> None:
        self._bundle, self._options, self._patterns = bundle, options, patterns
        self._labels, self._reasoner, self._runner = labels, reasoner, runner

    def answer(self, view: View) -> Iterator[Event]:
        """From linked entities to the answer; ends with Answered or Failed."""
        view.rewritten = view.searched
        if self._options.rewriting:
            view.rewritten = yield from self._reasoner.rewrite(view)
            yield Thought(f"Rewritten: {view.rewritten}")
        yield from self._start(view)
        faulty: Decision | None = None
        hop = 1
        while True:
            decision = yield from self._reasoner.decide(view, hop >= self._options.hops, faulty)
            if decision.thought:
                yield Thought(decision.thought)
            if decision.failure:
                yield Failed(*decision.failure, tuple(view.tried))
                return
            if decision.expand and not decision.fault:
                yield from self._expand(view, decision.expand)
                hop, faulty = hop + 1, None
                continue
            execution, fault, kind = yield from self._executed(view, decision)
            if execution is not None:
                yield from self._finish(view, execution, decision)
                return
            if faulty is not None:  # what is wrong is told once
                yield self._failed(view, fault, kind)
                return
            faulty = replace(decision, fault=fault)

    def _executed(self, view: View, decision: Decision) -> Generator[Event, None, tuple[Execution | None, str, str]]:
        """The execution of the decision's query, else what is wrong with it and of what kind that is."""
        if decision.fault:
            return None, decision.fault, "model"
        execution, result = yield from self._runner.query(view, decision.sparql)
        return execution, result.text, result.kind

    def _failed(self, view: View, fault: str, kind: str) -> Failed:
        kinds: dict[str, FailureKind] = {"limit": "limit", "endpoint": "endpoint"}
        return Failed(kinds.get(kind, "model"), one_line(cut(fault, 500)), tuple(view.tried))

    def _start(self, view: View) -> Iterator[Event]:
        starts = [x.ref for x in view.linked] + [iri_ref(c.iri) for c in view.classes]
        sparql = f"VALUES ?e {{ {' '.join(starts)} }}"
        classes = [self._patterns.instances_of(c) for c in view.classes]
        yield from self._offer(view, sparql, lambda: self._patterns.around(view.linked), classes)

    def _expand(self, view: View, numbers: tuple[int, ...]) -> Iterator[Event]:
        chosen = [view.offer(n) for n in view.expandable(numbers)[:EXPANDED]]
        view.expanded.update(o.number for o in chosen)
        sparql = " UNION ".join(f"{{ {o.pattern} }}" for o in chosen)
        yield from self._offer(view, sparql, lambda: [found for o in chosen for found in self._patterns.beyond(o)])

    def _offer(
        self, view: View, sparql: str, find: Callable[[], list[Offer]], always: Sequence[Offer] = ()
    ) -> Iterator[Event]:
        """Rank what is found, add the best `top_n` that are new and those that are offered always, enriched."""
        number = self._runner.announced()
        yield ToolCall(number, SEARCH_GRAPH_PATTERN, {"sparql": sparql, "semantic": view.rewritten})
        known = {o.pattern for o in view.offers}
        fresh = [o for o in find() if o.pattern not in known]
        first = len(view.offers) + 1
        new = self._patterns.ranked(fresh, view.rewritten, first, self._options.top_n)
        new += self._patterns.ranked(always, view.rewritten, first + len(new), len(always))
        if self._options.enrichment:
            new = enriched(new, self._bundle, self._labels)
        view.offers += new
        labels = self._labels.of(classes_of(new))
        told = lines(new, self._options, labels) if new else "No new patterns."
        data = {"found": len(fresh), "patterns": [to_json(o, self._options, labels) for o in new]}
        yield Observation(number, SEARCH_GRAPH_PATTERN, told, data)

    def _finish(self, view: View, execution: Execution, decision: Decision) -> Iterator[Event]:
        sparql, line = decision.sparql, decision.line
        if self._options.verification:
            better = yield from self._reasoner.verify(view, execution, form_fault(view.searched, execution))
            kept = yield from self._kept(view, execution, better)
            if kept is not None:
                execution, sparql, line = kept, better, ""
        right = in_right_form(view.searched, execution, view.linked, self._bundle.profile)
        if right:
            formed, _ = yield from self._runner.query(view, right)
            if formed is not None:
                execution, sparql = formed, right
        if is_empty(execution):
            told = self._runner.line(view, execution, sparql, line)
            yield Failed("empty", "The query found nothing in the graph.", tuple(view.tried), told)
            return
        yield self._runner.answered(view, execution, sparql, line)

    def _kept(self, view: View, before: Execution, better: str) -> Generator[Event, None, Execution | None]:
        """The execution of a better query, if it runs and is not empty or worse in form where the first is neither."""
        if not better or better == before.query.text:
            return None
        execution, _ = yield from self._runner.query(view, better)
        if execution is None or (is_empty(execution) and not is_empty(before)):
            return None
        worse = form_fault(view.searched, execution) and not form_fault(view.searched, before)
        return None if worse else execution
