"""Steps 7 and 9 by a language model: a query or pattern numbers, and one verification."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from clear_kgqa.agent.context import tokens
from clear_kgqa.agent.prompts import text
from clear_kgqa.agent.usage import usage
from clear_kgqa.events import Event
from clear_kgqa.examples.chosen import chosen_selector, queries_shown
from clear_kgqa.mars.enrichment import classes_of
from clear_kgqa.mars.labels import Labels
from clear_kgqa.mars.linking import Linked
from clear_kgqa.mars.offered_iris import not_offered, offered_iris
from clear_kgqa.mars.offers import lines
from clear_kgqa.mars.options import MarsOptions
from clear_kgqa.mars.replies import REASONER_SCHEMA, Decision, read_decision, read_text, read_verdict
from clear_kgqa.mars.rewriting import rewriting_request, translation_request
from clear_kgqa.mars.view import View
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import LimitExceeded, QueryError
from clear_kgqa_tools.execute import Execution
from clear_kgqa_tools.terms import iri_ref
from clear_kgqa_tools.text import cut, one_line, visible

_RESULT = 2_000  # characters of a result in the verification
_AROUND = 1_100  # tokens of what stands around the patterns, the system's message not counted
_FORMAT = {"type": "json_schema", "json_schema": {"name": "decision", "strict": True, "schema": REASONER_SCHEMA}}


class ModelReasoner:
    """A Reasoner that asks a chat model, in single requests that each hold all that was offered."""

    def __init__(
        self, model: Any, settings: Settings, bundle: GraphBundle, labels: Labels, options: MarsOptions
    ) -> None:
        self._model, self._settings, self._bundle = model, settings, bundle
        self._labels, self._options = labels, options
        self._selector = chosen_selector(settings, bundle)

    def translate(self, view: View) -> Generator[Event, None, str]:
        """The question in English; as it is where the model gives no translation."""
        said = yield from self._ask(view, translation_request(view.question))
        return read_text(said, "english") or view.question

    def rewrite(self, view: View) -> Generator[Event, None, str]:
        """The question with types; as it is where the model gives none."""
        said = yield from self._ask(view, rewriting_request(view.searched, view.linked))
        return read_text(said, "rewritten") or view.searched

    def decide(self, view: View, forced: bool, faulty: Decision | None) -> Generator[Event, None, Decision]:
        """A query or numbers; `faulty` is the last reply, which is told what is wrong with it."""
        messages = self.request(view, forced)
        if faulty is not None:
            messages += [AIMessage(faulty.said or "(empty)"), HumanMessage(faulty.fault)]
        said = yield from self._ask(view, messages, response_format=_FORMAT)
        decision = read_decision(said)
        fault = decision.fault or self._fault(decision, view, forced)
        return replace(decision, fault=fault, said=said)

    def verify(self, view: View, execution: Execution, fault: str) -> Generator[Event, None, str]:
        """A better query than the executed one, or nothing; one that uses what was not offered is none."""
        filled = text("mars/verify.md").replace("{fault}", f"\n{fault}" if fault else "")
        filled = filled.replace("{result}", cut(execution.text, _RESULT)).replace("{query}", execution.query.text)
        asked = HumanMessage(filled.replace("{question}", view.question))
        said = yield from self._ask(view, [*self.request(view, False), AIMessage(_told(execution.query.text)), asked])
        sparql = read_verdict(said)
        return "" if not sparql or self._unoffered(sparql, view) else sparql

    def request(self, view: View, forced: bool) -> list[BaseMessage]:
        """Instructions, then the question in its own language with entities and patterns."""
        system = SystemMessage(text("mars/reason.md") + self._examples(view.question))
        parts = [
            f"Question: {view.question}",
            "Entities, as data:",
            *(self._entity(view, i) for i in range(len(view.linked))),
            "Patterns, as data:",
            self._patterns(view, tokens([system])),
            text("mars/forced.md").strip() if forced else "",
        ]
        return [system, HumanMessage("\n".join(p for p in parts if p))]

    def _examples(self, question: str) -> str:
        """Questions like this one with their queries, for their shape; none where no examples are asked for."""
        found = self._selector.select(question) if self._selector else []
        return text("mars/examples.md") + queries_shown(found) if found else ""

    def _patterns(self, view: View, system: int) -> str:
        """All that was offered; where that is too long for the context beside `system` tokens, of what came before
        the last hop only the best, without instances."""
        settings, options = self._settings, self._options
        labels = self._labels.of(classes_of(view.offers))
        room = settings.context_tokens - min(settings.reply_tokens, settings.context_tokens // 4) - system - _AROUND
        told = lines(view.offers, options, labels)
        last = view.offers[-options.top_n :]
        older = sorted(view.offers[: -options.top_n], key=lambda o: -o.score)
        for kept in (len(older), len(older) // 2, options.top_n, 0):
            if tokens([HumanMessage(told)]) <= room:
                break
            best = sorted(older[:kept], key=lambda o: o.number)
            parts = [lines(best, replace(options, enrichment=False), labels), lines(last, options, labels)]
            told = "\n".join(p for p in parts if p)
        return told

    def _entity(self, view: View, at: int) -> str:
        x = view.linked[at]
        shown: dict[str, Any] = {
            "name": view.searched[slice(*x.span)],
            "label": cut(visible(self._label(x)), 100),
            "types": [cut(visible(t), 60) for t in x.node.types[:3]],
            "description": cut(visible(x.node.description), 200),
            "sparql": x.ref,
        }
        if x.node.iri in view.chosen.get(x.span, ()):
            shown["chosen_by_the_user"] = True
        return json.dumps(shown, ensure_ascii=False)

    def _label(self, linked: Linked) -> str:
        return linked.node.label if linked.value else self._labels.of([linked.node.iri])[linked.node.iri]

    def _fault(self, decision: Decision, view: View, forced: bool) -> str:
        if decision.sparql:
            return self._unoffered(decision.sparql, view)
        if forced:
            return "No more patterns can be looked at. Reply with a query."
        if not view.expandable(decision.expand):
            return "Those numbers were not offered, or were expanded already. Use numbers that stand below, or a query."
        return ""

    def _unoffered(self, sparql: str, view: View) -> str:
        profile = self._bundle.profile
        try:
            wrong = not_offered(sparql, offered_iris(view.offers, view.linked, view.classes, profile), profile)
        except QueryError as error:
            return f"The query cannot be run: {one_line(str(error))}"
        if not wrong:
            return ""
        named = ", ".join(one_line(cut(iri_ref(iri), 200)) for iri in wrong[:5])
        return f"Not offered, so not to be used: {named}. Use only IRIs of the entities and patterns."

    def _ask(self, view: View, messages: list[BaseMessage], **options: Any) -> Generator[Event, None, str]:
        budget = self._settings.token_budget
        if budget is not None and view.tokens >= budget:
            raise LimitExceeded(f"The model took {view.tokens:,} tokens; token_budget allows {budget:,}.")
        message = self._model.invoke(messages, **options)
        if message.usage_metadata:
            view.tokens += message.usage_metadata["total_tokens"]
            yield usage(message.usage_metadata, self._settings)
        return str(message.text)


def _told(sparql: str) -> str:
    return json.dumps({"thought": "", "expand": [], "sparql": sparql}, ensure_ascii=False)
