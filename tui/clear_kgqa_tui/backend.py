"""The chat's other half: graph, session and store, worked by one thread so that the screen never waits."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from queue import Queue
from typing import TYPE_CHECKING

from textual.message import Message

from clear_kgqa.clarification import Clarification
from clear_kgqa.events import Asked, Event, Failed, Replied
from clear_kgqa.export import chosen_options
from clear_kgqa.followup import Carried, Topic, carry_over
from clear_kgqa.remembered import RememberedChoices, option_key
from clear_kgqa.session_store import SessionStore, Turn
from clear_kgqa_tools.errors import Cancelled, ClearKgqaError, EndpointError
from clear_kgqa_tui import messages
from clear_kgqa_tui.topic import topic_of

if TYPE_CHECKING:
    from clear_kgqa.readings.reader import Reader
    from clear_kgqa.session import Session
    from clear_kgqa.settings import Settings
    from clear_kgqa_tools.bundle import GraphBundle
    from clear_kgqa_tools.execute import ExecuteSPARQL

DROPPED = Failed("gave_up", "The question was dropped.")
Replies = dict[str, str]
"""Slot -> key of the option to choose without asking (a choice made before, or an entity carried over)."""


class Backend:
    """Every call returns at once; what comes of it is posted as messages, in order.

    Jobs run one after the other. `stop` makes the running one stale: its later events are dropped.
    """

    def __init__(
        self,
        settings: Settings,
        store: SessionStore,
        choices: RememberedChoices,
        post: Callable[[Message], object],
    ) -> None:
        self.settings, self.store, self.choices = settings, store, choices
        self.session_id = settings.session or uuid.uuid4().hex[:12]
        self.turns: list[Turn] = []
        self.bundle: GraphBundle | None = None
        self._post_message = post
        self._reader: Reader | None = None
        self._session: Session | None = None
        self._execute: ExecuteSPARQL | None = None
        self._jobs: Queue[tuple[int, Callable[[], None]] | None] = Queue()
        self._stamp = 0
        self._running = 0
        self.fault: Exception | None = None
        self._topic: Topic | None = None
        self._before: Topic | None = None
        self._thread = threading.Thread(target=self._work, daemon=True, name="chat")

    def start(self) -> None:
        """Begin with opening the graph and the session."""
        self._thread.start()
        self._submit(self._open)

    def open(self, settings: Settings, session: str = "") -> None:
        """Change to other settings, another graph or another session (a new one where none is named)."""
        self._submit(lambda: self._reopen(settings, session))

    def ask(self, question: str, swap: bool = False) -> None:
        """Put a question; a clarification that is open is dropped. `swap` carries over the other entity."""
        self._submit(lambda: self._ask(question, swap, {}))

    def ask_other(self, question: str) -> None:
        """Ask the last follow-up question again with the other entity it could lean on."""
        self._topic = self._before
        self.ask(question, swap=True)

    def reply(self, text: str, remember: tuple[Clarification, int] | None = None) -> None:
        """Answer the open clarification; `remember` keeps the option that was picked for this graph."""
        if remember is not None and self.turns:
            self.choices.remember(self.kg, remember[0], self.turns[-1].asked, remember[1])
        self._submit(lambda: self._resume(text))

    def undo(self) -> bool:
        """Ask the last question again up to its last clarification; False where no choice was made."""
        turn = self.turns[-1] if self.turns else None
        made = made_choices(turn) if turn else []
        if turn is None or not made:
            return False
        replies = dict(made[:-1])
        self._submit(lambda: self._put(turn.question, turn.asked, None, replies, remember=False))
        return True

    def drop(self) -> None:
        """Close the open clarification without an answer."""
        self._submit(self._drop)

    def run_query(self, sparql: str) -> None:
        """Run a query of the user's own."""
        self._submit(lambda: self._run_query(sparql))

    def add_graph(self, name: str, source: str, profile: str) -> None:
        """Build a graph under a name."""
        self._submit(lambda: self._add_graph(name, source, profile))

    def stop(self) -> None:
        """Stop what runs; nothing of it is posted any more."""
        self._stamp += 1
        if self.bundle is not None:
            self.bundle.graph.cancel()

    def close(self, seconds: float = 1.0) -> bool:
        """Stop everything; True once the thread is at rest, False where something (a model's reply) still holds it."""
        self.stop()
        self._jobs.put(None)
        self._thread.join(seconds)
        if self.bundle is not None:
            self.bundle.close()
        if self._thread.is_alive():
            return False
        self.store.close()
        return True

    @property
    def idle(self) -> bool:
        """Nothing runs, not even something that was stopped."""
        return self._jobs.unfinished_tasks == 0

    def _submit(self, job: Callable[[], None]) -> None:
        self._jobs.put((self._stamp, job))

    def _work(self) -> None:
        while (item := self._jobs.get()) is not None:
            self._running, job = item
            if self._running == self._stamp:
                self._do(job)
            self._jobs.task_done()

    def _do(self, job: Callable[[], None]) -> None:
        try:
            job()
        except Cancelled:
            self._post(messages.TurnPaused())
        except ClearKgqaError as error:
            self._post(messages.Trouble(str(error)))
        except Exception as error:  # the thread's outermost edge: the chat lives on, `run` raises it when left
            self.fault = self.fault or error
            told = f"internal fault ({type(error).__name__}); more is told when you leave"
            self._post(messages.Trouble(told))

    def _post(self, message: Message) -> None:
        if self._running == self._stamp:
            self._post_message(message)

    def _open(self) -> None:
        """Open the graph first: it says what is wrong with a mistyped name before the agent is loaded."""
        self._post(messages.Opening("opening the graph"))
        from clear_kgqa_tools.graph import Limits
        from clear_kgqa_tools.open_bundle import open_bundle

        limits = Limits(self.settings.query_timeout, self.settings.query_memory)
        opened = open_bundle(self.settings.kg, lambda stage, part: self._post(messages.Opening(stage, part)), limits)
        if self.bundle is not None:
            self.bundle.close()
        self.bundle = opened
        self._post(messages.Opening("loading the agent"))
        from clear_kgqa.readings.reader import Reader

        self._reader = Reader(opened)
        self._open_session()

    def _open_session(self) -> None:
        from clear_kgqa.session import make_session
        from clear_kgqa_tools.execute import ExecuteSPARQL
        from clear_kgqa_tools.graph import Limits

        assert self.bundle is not None
        self._session = make_session(
            self.bundle,
            self.settings,
            reader=self._reader,
            thread=self.session_id,
            checkpointer=self.store.checkpointer(),
        )
        limits = Limits(self.settings.query_timeout, self.settings.query_memory)
        self._execute = ExecuteSPARQL(self.bundle.graph, self.bundle.profile.prefixes, self._labels, limits=limits)
        self.turns = self.store.turns(self.session_id)
        self._topic = next((t for turn in reversed(self.turns) if (t := topic_of(turn))), None)
        self._post(messages.Opened(
            self.bundle.name, self.bundle.schema.triples, self.bundle.attribution, self.session_id, self.turns,
            self._session.pending,
        ))  # fmt: skip

    def _reopen(self, settings: Settings, session: str) -> None:
        other = settings.kg != self.settings.kg or self.bundle is None
        self.settings, self.session_id = settings, session or uuid.uuid4().hex[:12]
        if other:
            self._open()
        else:
            self._open_session()

    def label(self, value: str) -> str:
        """The label of an IRI, any other value as it is."""
        return self._labels([value]).get(value, value) if ":" in value else value

    def description(self, iri: str) -> str:
        """What the graph says of a node in a few words; empty where it says nothing."""
        node = self.bundle.nodes.describe([iri]).get(iri) if self.bundle and iri else None
        return node.description or ", ".join(node.types) if node else ""

    def _labels(self, iris: list[str]) -> dict[str, str]:
        assert self.bundle is not None
        return {iri: node.label for iri, node in self.bundle.nodes.describe(iris).items()}

    def _ask(self, question: str, swap: bool, replies: Replies) -> None:
        assert self._reader is not None
        carried = None
        if self._topic is not None:
            carried = carry_over(question, self._topic, self._reader.mentions(question), swap)
        if carried is not None and carried.iri:
            replies = {**replies, f"entity:{carried.label.casefold()}": carried.iri}
        self._put(question, carried.question if carried else question, carried, replies)

    def _put(self, question: str, asked: str, carried: Carried | None, replies: Replies, remember: bool = True) -> None:
        assert self._session is not None
        if self._session.pending is not None and self.turns:
            self._happened(self.turns[-1], DROPPED)
        turn = self._begin(question, asked, carried)
        self._pump(turn, self._session.start(asked), replies, remember)

    def _begin(self, question: str, asked: str, carried: Carried | None = None) -> Turn:
        turn = Turn(question, asked)
        self.turns.append(turn)
        self.store.begin_turn(self.session_id, self.kg, len(self.turns) - 1, question, asked)
        self._post(messages.TurnBegan(turn, carried))
        return turn

    @property
    def kg(self) -> str:
        """The graph's name as it may be kept: endpoints without their password."""
        return self.bundle.name if self.bundle else ""

    def _resume(self, text: str) -> None:
        if self._session is not None and self.turns:
            self._pump(self.turns[-1], self._session.resume(text), {}, True)

    def _drop(self) -> None:
        if self._session is not None and self.turns:
            self._session.drop()
            self._happened(self.turns[-1], DROPPED)
        self._post(messages.TurnPaused())

    def _pump(self, turn: Turn, stream: Iterator[Event], replies: Replies, remember: bool) -> None:
        """Pass on a stream's events; reply at once where a choice made before settles what is asked."""
        assert self._session is not None
        while True:
            turn, asked = self._follow(turn, stream)
            known = self._known(asked, turn.asked, replies, remember) if asked else None
            if asked is None or known is None:
                break
            chosen, why = known
            self._post(messages.Noted(turn, why))
            replies = {slot: key for slot, key in replies.items() if slot != asked.slot}
            stream = self._session.resume(str(chosen + 1))
        self._before, self._topic = self._topic, topic_of(turn) or self._topic
        self._post(messages.TurnPaused())

    def _follow(self, turn: Turn, stream: Iterator[Event]) -> tuple[Turn, Clarification | None]:
        """Read one stream to its end; a reply that was a new question goes on as a turn of its own."""
        asked: Clarification | None = None
        try:
            with closing(stream):  # type: ignore[type-var]
                for event in stream:
                    if self._running != self._stamp:
                        self._happened(turn, Failed("cancelled", "Stopped."))
                        raise Cancelled("stopped")
                    self._happened(turn, event)
                    if isinstance(event, Replied) and event.kind == "new_question":
                        turn = self._begin(event.text, event.text)
                    asked = event.clarification if isinstance(event, Asked) else asked
        except EndpointError as error:
            self._happened(turn, Failed("endpoint", str(error)))
        return turn, asked

    def _happened(self, turn: Turn, event: Event) -> None:
        turn.events.append(event)
        self.store.record(self.session_id, self.turns.index(turn), event)
        self._post(messages.TurnEvent(turn, event))

    def _known(self, asked: Clarification, question: str, replies: Replies, remember: bool) -> tuple[int, str] | None:
        """The option that needs no asking, and why."""
        key = replies.get(asked.slot)
        if key is not None:
            carried = next((i for i, o in enumerate(asked.options) if option_key(asked, o) == key), None)
            if carried is not None:
                return carried, "  (as before)"
        kept = self.choices.option(self.kg, asked, question) if remember else None
        return None if kept is None else (kept, "  (remembered; F4 lists what is)")

    def _run_query(self, sparql: str) -> None:
        from clear_kgqa.agent.answer import answered

        assert self._execute is not None and self.bundle is not None
        try:
            execution = self._execute(sparql)
        except Cancelled:
            raise
        except ClearKgqaError as error:
            self._post(messages.QueryRan(Failed("limit", str(error), (sparql,))))
            return
        iris = [t.value for row in execution.result.rows[:2000] for t in row if t is not None and t.kind == "iri"]
        answer = answered(execution, "your own query", self.bundle.nodes.describe(list(dict.fromkeys(iris))))
        self._post(
            messages.QueryRan(answer if answer.values or answer.form == "ask" else replace(answer, text="No rows."))
        )

    def _add_graph(self, name: str, source: str, profile: str) -> None:
        from clear_kgqa_tools.catalog import kg_add

        report = kg_add(name, source, profile or None, lambda stage, part: self._post(messages.Opening(stage, part)))
        skipped = f", {report.bad_lines:,} lines skipped" if report.bad_lines else ""
        self._post(messages.GraphAdded(name, f"{report.triples:,} triples, {report.records:,} names{skipped}"))


def made_choices(turn: Turn) -> list[tuple[str, str]]:
    """(slot, key) of every clarification of the turn that was answered with one option (key "" for other replies)."""
    out: list[tuple[str, str]] = []
    asked: Clarification | None = None
    for event in turn.events:
        if isinstance(event, Asked):
            asked = event.clarification
        elif isinstance(event, Replied) and asked is not None:
            chosen = [option_key(asked, option) for option in chosen_options(asked, event)]
            out.append((asked.slot, chosen[0] if len(chosen) == 1 else ""))
    return out
