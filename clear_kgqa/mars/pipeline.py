"""The MARS strategy: linking with the ask policy, then the pipeline of `reasoning`."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Any

from clear_kgqa.agent import mention_json
from clear_kgqa.agent.given import GivenReader
from clear_kgqa.agent.tool_specs import SEARCH_NODES
from clear_kgqa.agent.toolbox import Toolbox
from clear_kgqa.ambiguity import evidence
from clear_kgqa.ambiguity.evidence import Settled
from clear_kgqa.ambiguity.plugin import AmbiguityPlugin
from clear_kgqa.clarification import Clarification
from clear_kgqa.events import Asked, Event, Failed, Replied
from clear_kgqa.followup import Bound
from clear_kgqa.mars.labels import Labels
from clear_kgqa.mars.linking import link
from clear_kgqa.mars.options import mars_options
from clear_kgqa.mars.patterns import Patterns
from clear_kgqa.mars.reasoning import Reasoner, Reasoning
from clear_kgqa.mars.runner import Runner
from clear_kgqa.mars.view import View
from clear_kgqa.readings.mentions import Mention
from clear_kgqa.readings.reader import Reader
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import Cancelled, ConfigError, EndpointError, LimitExceeded, QueryError

SEARCHES = 12


class Mars:
    """A Strategy that asks back, as the agent does, where two nodes fit a name and the answer depends on it.

    Without a `model` the offline planner's rules stand in for it. `pending` is the open clarification; a reply to it
    resumes at the linking step.
    """

    def __init__(
        self, bundle: GraphBundle, settings: Settings, reader: Reader, model: Any = None, silent: bool = False
    ) -> None:
        self._settings, self._reader, self._silent = settings, reader, silent
        self._options = mars_options(settings)
        # Only entities are asked about: what is asked of them is the reasoner's part.
        self.plugin = AmbiguityPlugin(reader, settings.model_copy(update={"no_intent": True}))
        self._asking = not settings.no_plugin and not settings.no_entity
        spoken = next(iter(settings.languages), "en")
        self._translating = model is not None and not spoken.startswith("en")
        labels = Labels(bundle, spoken)
        self._searched = Labels(bundle, "en") if self._translating else labels
        self._runner = Runner(Toolbox(bundle, reader, settings), labels)
        self._reasoner = self._made(model, bundle, labels)
        patterns = Patterns(reader, labels, self._searched)
        self._reasoning = Reasoning(bundle, self._options, patterns, labels, self._reasoner, self._runner)
        self._bundle, self._stopped = bundle, threading.Event()
        self._view: View | None = None
        self._asked_ever = 0
        self.pending: Clarification | None = None

    def _made(self, model: Any, bundle: GraphBundle, labels: Labels) -> Reasoner:
        if model is None:
            from clear_kgqa.mars.offline_reasoner import OfflineReasoner

            return OfflineReasoner(self._reader, self._options)
        from clear_kgqa.mars.model_reasoner import ModelReasoner

        return ModelReasoner(model, self._settings, bundle, labels, self._options)

    def start(self, question: str, bound: Bound = ()) -> Iterator[Event]:
        """Begin a turn; an open clarification is dropped. `bound` nodes are settled before anything is asked."""
        self.drop()
        view = self._view = View(question, question)
        for iri, span in bound:
            view.settled.append(Settled(f"bound:{iri}", "entity", entity=iri, span=span))
            view.chosen[span] = (iri,)
        yield from self._guarded(self._begin(view))

    def resume(self, reply: str | None) -> Iterator[Event]:
        """Go on with the reply to the pending clarification. Raises ConfigError if none is pending."""
        view, pending = self._view, self.pending
        if view is None or pending is None:
            raise ConfigError("no clarification is waiting for a reply; ask a question first")
        self.pending = None
        yield from self._guarded(self._replied(view, pending, reply))

    def asks_anew(self, reply: str) -> bool:
        """Whether a reply leaves the open clarification for a question of its own."""
        view, pending = self._view, self.pending
        return bool(view and pending and self.plugin.asks_anew(pending, reply, view.mentions))

    def drop(self) -> None:
        """Close the open clarification without a reply."""
        self.pending = None

    def cancel(self) -> None:
        """Stop the running query; the stream ends before its next event."""
        self._stopped.set()
        self._bundle.graph.cancel()

    def _guarded(self, events: Iterator[Event]) -> Iterator[Event]:
        self._stopped.clear()
        try:
            for event in events:
                if self._stopped.is_set():
                    raise Cancelled("stopped")
                yield event
        except Cancelled:
            yield Failed("cancelled", "Stopped.")
        except EndpointError as error:
            yield Failed("endpoint", str(error))
        except LimitExceeded as error:
            yield Failed("limit", str(error), tuple(self._view.tried) if self._view else ())
        except QueryError as error:
            yield Failed("endpoint", f"the graph refused a query of ours: {error}")

    def _begin(self, view: View) -> Iterator[Event]:
        if self._translating:
            view.searched = yield from self._reasoner.translate(view)
        view.mentions = yield from self._mentions(view.searched)
        if self._options.classes:
            view.classes = self._reader.classes(view.searched)
        yield from self._assessed(view)

    def _mentions(self, question: str) -> Generator[Event, None, tuple[Mention, ...]]:
        """What SearchNodes returns for each mention; given nodes are not searched."""
        known = self._reader.mentions(question)
        if isinstance(self._reader, GivenReader):
            return known
        out: list[Mention] = []
        for name in list(dict.fromkeys(m.name for m in known))[:SEARCHES]:
            result = yield from self._runner.call(SEARCH_NODES, {"name": name})
            nodes = [mention_json.node_from_json(n) for n in result.data or []]
            found = mention_json.searched(name, nodes, question, known)
            out += [found] if found else []
        return tuple(out)

    def _assessed(self, view: View) -> Iterator[Event]:
        """Score the readings; ask where it is worth it, else link and reason."""
        spent = view.asked >= self._settings.asks_per_turn or self._asked_ever >= self._settings.asks_per_session
        silent = self._silent or not self._asking or spent
        view.assessment = self.plugin.assess(view.searched, view.mentions, view.settled, view.asked, silent)
        if self._asking:
            yield view.assessment.scored
        if view.assessment.ask is not None:
            self.pending = view.assessment.ask
            yield Asked(self.pending)
            return
        yield from self._linked(view)

    def _replied(self, view: View, pending: Clarification, reply: str | None) -> Iterator[Event]:
        meant, settled = self.plugin.understand(pending, reply, view.mentions, view.searched)
        view.asked, self._asked_ever = view.asked + 1, self._asked_ever + 1
        if put := self.plugin.asked_again(pending, reply, view.mentions, view.asked):
            self.pending = put
            yield Asked(put)
            return
        options = [pending.options[i] for i in meant.chosen]
        yield Replied(pending.id, meant.text, meant.kind, tuple(o.label for o in options), meant.chosen)
        view.settled.append(settled)
        if options:
            view.chosen[pending.span] = tuple(o.iri for o in options)
        elif settled.entity:
            view.chosen[settled.span] = (settled.entity,)
        elif meant.kind == "none":
            view.ruled_out.update(o.iri for o in pending.options)
        yield from self._assessed(view)

    def _linked(self, view: View) -> Iterator[Event]:
        posterior = evidence.apply(self.plugin.posterior(view.searched, view.mentions), view.settled)
        classes = self._bundle.schema.class_by_iri
        view.linked = link(posterior, view.mentions, view.chosen, view.ruled_out, classes)
        if self._translating:
            names = self._searched.of(x.node.iri for x in view.linked if x.value is None)
            labelled = [replace(x.node, label=names.get(x.node.iri, x.node.label)) for x in view.linked]
            view.linked = [replace(x, node=node) for x, node in zip(view.linked, labelled, strict=True)]
        if not view.linked and not view.classes:
            failure = view.assessment.failure if view.assessment else None
            yield Failed(*(failure or ("not_understood", "I found nothing in the graph that this question names.")))
            return
        yield from self._reasoning.answer(view)
