"""The chat's other half: graph, session and store, worked by one thread so that the screen never waits."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.message import Message

from clear_kgqa.clarification import Clarification
from clear_kgqa.events import Asked, Event, Failed, Replied
from clear_kgqa.followup import Bound, Carried, Topic, topic_of
from clear_kgqa.kept_turns import DROPPED, KeptTurns
from clear_kgqa.remembered import ChosenBefore, RememberedChoices, made_choices, option_key
from clear_kgqa.session_store import SessionStore, Turn
from clear_kgqa_tools.errors import Cancelled, ClearKgqaError, EndpointError
from clear_kgqa_tui import messages
from clear_kgqa_tui.jobs import Jobs
from clear_kgqa_tui.opened import Opened, opened

if TYPE_CHECKING:
    from clear_kgqa.settings import Settings

Replies = dict[str, str]
"""Slot -> key of the option to choose without asking (a choice made before, or an entity carried over)."""


class Backend:
    """Every call returns at once; what comes of it is posted as messages, in order. Stopped work posts nothing."""

    def __init__(
        self,
        settings: Settings,
        store: SessionStore,
        choices: RememberedChoices,
        post: Callable[[Message], object],
    ) -> None:
        self.settings, self.store, self.choices = settings, store, choices
        self.session_id = settings.session or uuid.uuid4().hex[:12]
        self.kept = KeptTurns()
        self.opened: Opened | None = None
        self.fault: Exception | None = None
        self.jobs = Jobs(self._failed)
        self._post_message = post
        self._chosen = ChosenBefore()
        self._topic: Topic | None = None
        self._before: Topic | None = None

    @property
    def turns(self) -> list[Turn]:
        """Those of the open session."""
        return self.kept.turns

    def start(self) -> None:
        """Begin with opening the graph and the session."""
        self.jobs.start()
        self.open(self.settings, self.session_id)

    def open(self, settings: Settings, session: str = "") -> None:
        """Change to other settings, another graph or another session (a new one where none is named)."""
        self.jobs.submit(lambda: self._open(settings, session or uuid.uuid4().hex[:12]))

    def ask(self, question: str, swap: bool = False) -> None:
        """Put a question; a clarification that is open is dropped. `swap` carries over the other entity."""
        self.jobs.submit(lambda: self._ask(question, swap, {}))

    def ask_other(self, question: str) -> None:
        """Ask the last follow-up question again with the other entity it could lean on."""
        self._topic = self._before
        self.ask(question, swap=True)

    def reply(self, text: str, remember: tuple[Clarification, int] | None = None) -> None:
        """Answer the open clarification; `remember` keeps the option that was picked for this graph."""
        if remember is not None and self.turns:
            self.choices.remember(self.kg, remember[0], self.turns[-1].asked, remember[1])
        self.jobs.submit(lambda: self._resume(text, kept=remember is not None))

    def undo(self) -> bool:
        """Ask the last question again up to its last clarification; False where no choice was made."""
        turn = self.turns[-1] if self.turns else None
        made = made_choices(turn) if turn else []
        if turn is None or not made:
            return False
        replies = dict(made[:-1])
        self._chosen.forget(turn)
        self.jobs.submit(lambda: self._put(turn.question, turn.asked, None, turn.bound, replies, remember=False))
        return True

    def drop(self) -> None:
        """Close the open clarification without an answer."""
        self.jobs.submit(self._drop)

    def run_query(self, sparql: str) -> None:
        """Run a query of the user's own."""
        self.jobs.submit(lambda: self._run_query(sparql))

    def add_graph(self, name: str, source: str, profile: str) -> None:
        """Build a graph under a name."""
        self.jobs.submit(lambda: self._add_graph(name, source, profile))

    def stop(self) -> None:
        """Stop what runs; nothing of it is posted any more."""
        self.jobs.stop()
        if self.opened is not None:
            self.opened.session.cancel()

    def close(self, seconds: float = 1.0) -> bool:
        """Stop everything; True once all is at rest, False where something (a model's reply) still holds it."""
        self.stop()
        rests = self.jobs.end(seconds)
        if self.opened is not None:
            self.opened.close()
        if rests:
            self.store.close()
        return rests

    def _failed(self, error: Exception) -> None:
        """The chat lives on; `run` raises an internal fault when it is left."""
        if isinstance(error, Cancelled):
            self._post(messages.TurnPaused())
        elif isinstance(error, ClearKgqaError):
            self._post(messages.Trouble(str(error)))
        else:
            self.fault = self.fault or error
            told = f"internal fault ({type(error).__name__}); more is told when you leave"
            self._post(messages.Trouble(told))

    def _post(self, message: Message) -> None:
        if not self.jobs.stale:
            self._post_message(message)

    def _open(self, settings: Settings, session: str) -> None:
        """What is open stays so until the new is there."""
        self._post(messages.Opening("opening the graph"))
        fields = ("kg", "language", "query_timeout", "query_memory")
        same = all(getattr(settings, f) == getattr(self.settings, f) for f in fields)
        now = opened(
            settings, session, self.store, lambda stage, part: self._post(messages.Opening(stage, part)),
            self.opened if same else None,
        )  # fmt: skip
        if self.opened is not None and self.opened.bundle is not now.bundle:
            self.opened.close()
        self.opened, self.settings, self.session_id = now, settings, session
        bundle = now.bundle
        self.kept, self._chosen = KeptTurns(self.store, session, bundle.name), ChosenBefore()
        self._topic = self.kept.topic()
        self._post(messages.Opened(
            bundle.name, bundle.schema.triples, bundle.attribution, session, self.turns, now.session.pending
        ))  # fmt: skip

    def label(self, value: str) -> str:
        """The label of an IRI, any other value as it is."""
        return self.opened.labels([value]).get(value, value) if self.opened and ":" in value else value

    def description(self, iri: str) -> str:
        """What the graph says of a node in a few words; empty where it says nothing."""
        node = self.opened.bundle.nodes.describe([iri]).get(iri) if self.opened and iri else None
        return node.description or ", ".join(node.types) if node else ""

    @property
    def kg(self) -> str:
        """The graph's name as it may be kept: endpoints without their password."""
        return self.opened.bundle.name if self.opened else ""

    def _ask(self, question: str, swap: bool, replies: Replies) -> None:
        assert self.opened is not None
        carried = self.opened.session.follow(question, self._topic, swap)
        asked, bound = (carried.question, carried.bound()) if carried else (question, ())
        self._put(question, asked, carried, bound, replies)

    def _put(
        self, question: str, asked: str, carried: Carried | None, bound: Bound, replies: Replies, remember: bool = True
    ) -> None:
        assert self.opened is not None
        if self.opened.session.pending is not None and self.turns:
            self._happened(self.turns[-1], DROPPED)
        turn = self._begin(question, asked, carried, bound)
        self._pump(turn, self.opened.session.start(asked, bound), replies, remember)

    def _begin(self, question: str, asked: str, carried: Carried | None = None, bound: Bound = ()) -> Turn:
        turn = self.kept.begin(question, asked, bound)
        self._post(messages.TurnBegan(turn, carried))
        return turn

    def _resume(self, text: str, kept: bool) -> None:
        """Pass a reply on; one that is `kept` for the graph need not be kept for this conversation."""
        if self.opened is not None and self.turns:
            turn, session = self.turns[-1], self.opened.session
            events = session.resume(text)
            self._pump(turn, events if kept else self._chosen.noting(session.pending, turn.asked, events), {}, True)

    def _drop(self) -> None:
        if self.opened is not None and self.turns:
            self.opened.session.drop()
            self._happened(self.turns[-1], DROPPED)
        self._post(messages.TurnPaused())

    def _pump(self, turn: Turn, stream: Iterator[Event], replies: Replies, remember: bool) -> None:
        """Pass on a stream's events; reply at once where a choice made before settles what is asked."""
        assert self.opened is not None
        while True:
            turn, asked = self._follow(turn, stream)
            known = self._known(asked, turn.asked, replies, remember) if asked else None
            if asked is None or known is None:
                break
            chosen, why = known
            self._noted(turn, why)
            replies = {slot: key for slot, key in replies.items() if slot != asked.slot}
            stream = self.opened.session.resume(str(chosen + 1))
        self._before, self._topic = self._topic, topic_of(turn.asked, turn.events) or self._topic
        self._post(messages.TurnPaused())

    def _follow(self, turn: Turn, stream: Iterator[Event]) -> tuple[Turn, Clarification | None]:
        """Read one stream to its end; a reply that was a new question goes on as a turn of its own."""
        asked: Clarification | None = None
        try:
            with closing(stream):  # type: ignore[type-var]
                for event in stream:
                    if self.jobs.stale:
                        self._happened(turn, Failed("cancelled", "Stopped."))
                        raise Cancelled("stopped")
                    self._happened(turn, event)
                    if isinstance(event, Replied) and event.kind == "new_question":
                        turn = self._begin(event.text, event.asked or event.text)
                    asked = event.clarification if isinstance(event, Asked) else asked
        except EndpointError as error:
            self._happened(turn, Failed("endpoint", str(error)))
        return turn, asked

    def _happened(self, turn: Turn, event: Event) -> None:
        self.kept.happened(turn, event)
        self._post(messages.TurnEvent(turn, event))

    def _noted(self, turn: Turn, text: str) -> None:
        self.kept.noted(turn, text)
        self._post(messages.Noted(turn, text))

    def _known(self, asked: Clarification, question: str, replies: Replies, remember: bool) -> tuple[int, str] | None:
        """The option that needs no asking, and why."""
        key = replies.get(asked.slot)
        if key is not None:
            carried = next((i for i, o in enumerate(asked.options) if option_key(asked, o) == key), None)
            if carried is not None:
                return carried, "  (as before)"
        if not remember:
            return None
        kept = self.choices.option(self.kg, asked, question)
        if kept is not None:
            return kept, "  (remembered; F4 lists what is)"
        before = self._chosen.option(asked, question)
        return None if before is None else (before, "  (as chosen before; F8 asks again)")

    def _run_query(self, sparql: str) -> None:
        from clear_kgqa.agent.answer import answered

        assert self.opened is not None
        try:
            execution = self.opened.execute(sparql)
        except Cancelled:
            raise
        except ClearKgqaError as error:
            self._post(messages.QueryRan(Failed("limit", str(error), (sparql,))))
            return
        iris = [t.value for row in execution.result.rows[:2000] for t in row if t is not None and t.kind == "iri"]
        bundle = self.opened.bundle
        nodes = bundle.nodes.describe(list(dict.fromkeys(iris)))
        answer = answered(execution, "your own query", nodes, bundle.schema)
        self._post(
            messages.QueryRan(answer if answer.values or answer.form == "ask" else replace(answer, text="No rows."))
        )

    def _add_graph(self, name: str, source: str, profile: str) -> None:
        from clear_kgqa_tools.catalog import kg_add

        report = kg_add(name, source, profile or None, lambda stage, part: self._post(messages.Opening(stage, part)))
        skipped = f", {report.bad_lines:,} lines skipped" if report.bad_lines else ""
        self._post(messages.GraphAdded(name, f"{report.triples:,} triples, {report.records:,} names{skipped}"))
