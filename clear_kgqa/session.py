"""A session: one conversation over one graph. It alone owns the ask-and-resume loop; everyone else reads its events."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from clear_kgqa.agent import mention_json
from clear_kgqa.agent.given import GivenReader
from clear_kgqa.agent.graph import compile_graph
from clear_kgqa.agent.nodes import AgentSteps
from clear_kgqa.agent.reminders import Reminders
from clear_kgqa.agent.state import AgentState, fresh
from clear_kgqa.agent.toolbox import Toolbox
from clear_kgqa.ambiguity.evidence import Settled
from clear_kgqa.ambiguity.plugin import AmbiguityPlugin
from clear_kgqa.ambiguity.replies import interpret
from clear_kgqa.clarification import GIVEN_UP, Clarification
from clear_kgqa.events import Asked, Event, Failed, Replied, Usage, to_json
from clear_kgqa.followup import Bound, Carried, Topic, asked_about
from clear_kgqa.readings.reader import Reader
from clear_kgqa.settings import Settings
from clear_kgqa.strategies import LOCAL, Making, check_model, needing_model, pipelines
from clear_kgqa.user import User
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import Cancelled, ConfigError, EndpointError
from clear_kgqa_tools.nodes import Node

if TYPE_CHECKING:
    from clear_kgqa.agent.recording import Recorder
    from clear_kgqa.strategies import Asking
    from clear_kgqa.strategy import Strategy

AGENT_STRATEGIES = ("clear", "interactive")
REPLAY = "replay:"
"""What the name of a model that is a recording begins with."""


class Session:
    """A Strategy over the agent graph. `pending` is the open clarification, kept in the checkpoints and so after a crash.

    `model` is cancelled with the turn; `recorder` writes down what was asked and what came; `given` holds the nodes
    that questions are about, where they are told; `plugin` tells a reply from a new question. `tokens` counts those of the model.
    """

    def __init__(
        self,
        bundle: GraphBundle,
        graph: Any,
        thread: str,
        model: Any = None,
        recorder: Recorder | None = None,
        given: GivenReader | None = None,
        plugin: AmbiguityPlugin | None = None,
    ) -> None:
        self.bundle = bundle
        self.tokens = 0
        self._stopped = threading.Event()
        self._graph, self._model, self._recorder, self._given = graph, model, recorder, given
        self._plugin = plugin
        self._config = {"configurable": {"thread_id": thread}, "recursion_limit": 1000}

    @property
    def pending(self) -> Clarification | None:
        """The clarification that waits for a reply, if any."""
        tasks = self._graph.get_state(self._config).tasks
        found = [i.value for t in tasks for i in t.interrupts]
        return Clarification.from_json(found[0]) if found else None

    def start(self, question: str, bound: Bound = ()) -> Iterator[Event]:
        """Begin a turn; an open clarification is closed first, so that the history stays valid for a strict API.

        `bound` nodes are settled before anything is asked.
        """
        told = {"question": question, "bound": bound} if bound else question
        yield from self._noted("start", told, self._begin(question, bound))

    def _begin(self, question: str, bound: Bound = ()) -> Iterator[Event]:
        self._close_open_calls()
        settled = [Settled(f"bound:{iri}", "entity", entity=iri, span=span).to_json() for iri, span in bound]
        yield from self._run({**self._fresh(question), "settled": settled})

    def follow(self, question: str, topic: Topic | None, swap: bool = False) -> Carried | None:
        """A question that leans on the turn before, made complete; None where it stands by itself.

        `swap` takes the other entity that it could lean on.
        """
        return self._plugin.completed(question, topic, swap) if self._plugin and topic else None

    def _fresh(self, question: str) -> AgentState:
        """The state of a new turn; the offline planner takes given nodes from its reader, not from words."""
        given = self._given
        if given is None:
            return fresh(question, [HumanMessage(question)])
        text = given.told(question) if self._model else question
        mentions = [mention_json.to_json(m) for m in given.mentions(question)]
        return {**fresh(question, [HumanMessage(text)]), "mentions": mentions}

    def resume(self, reply: str | None) -> Iterator[Event]:
        """Go on with a reply. A reply that is a new question closes the old one and starts a turn of its own."""
        yield from self._noted("resume", reply, self._go_on(reply))

    def _go_on(self, reply: str | None) -> Iterator[Event]:
        pending = self.pending
        if pending is None:
            raise ConfigError("no clarification is waiting for a reply; ask a question first")
        if reply is not None and interpret(reply, pending).kind == "why":
            yield Replied(pending.id, reply, "why")
            yield Asked(pending)
            return
        if reply is not None and (carried := self._carried(pending, reply)):
            yield Replied(pending.id, reply, "new_question", asked=carried.question)
            yield from self._begin(carried.question, carried.bound())
            return
        if reply is not None and self._asks_anew(pending, reply):
            yield Replied(pending.id, reply, "new_question")
            yield from self._begin(reply)
            return
        yield from self._continue(reply)

    def _carried(self, pending: Clarification, reply: str) -> Carried | None:
        """A reply that fits no option and leans on the open question ("what about Oslo?"), made a complete question."""
        if self._plugin is None or self._plugin.meaning(pending, reply).kind not in ("unclear", "new_question"):
            return None
        return self._plugin.completed(reply, asked_about(self._question(), pending))

    def _question(self) -> str:
        """The question of the open clarification."""
        return str(self._graph.get_state(self._config).values["question"])

    def _asks_anew(self, pending: Clarification, reply: str) -> bool:
        """Whether a reply leaves the open clarification for a question of its own."""
        if self._plugin is None:
            return interpret(reply, pending).kind == "new_question"
        state = self._graph.get_state(self._config).values
        return self._plugin.asks_anew(pending, reply, tuple(mention_json.from_json(m) for m in state["mentions"]))

    def _continue(self, reply: str | None) -> Iterator[Event]:
        # LangGraph takes a bare None for "nothing to resume with".
        yield from self._run(Command(resume={"reply": reply}))

    def drop(self) -> None:
        """Close the open clarification without a reply."""
        self._close_open_calls()

    def cancel(self) -> None:
        """Stop the running query or reply; the stream ends with Failed("cancelled") and the next turn works."""
        self._stopped.set()  # between two queries or replies there is nothing else to stop
        self.bundle.graph.cancel()
        if self._model is not None:
            self._model.cancel()

    def close(self) -> None:
        """Close the connections to the model and a recording; the bundle is closed by its owner."""
        if self._model is not None:
            self._model.close()
        if self._recorder:
            self._recorder.close()

    def _noted(self, kind: str, told: Any, events: Iterator[Event]) -> Iterator[Event]:
        """The events, counted and, where a recording is made, written down."""
        if self._recorder:
            self._recorder.write(kind, told)
        for event in events:
            if isinstance(event, Usage):
                self.tokens += event.sent + event.received
            if self._recorder:
                self._recorder.write("event", to_json(event))
            yield event

    def _run(self, given: Any) -> Iterator[Event]:
        self._stopped.clear()
        try:
            for mode, chunk in self._graph.stream(given, self._config):
                if self._stopped.is_set():
                    raise Cancelled("stopped")
                if mode == "custom":
                    yield chunk
                elif "__interrupt__" in chunk:
                    yield Asked(Clarification.from_json(chunk["__interrupt__"][0].value))
        except Cancelled:
            yield Failed("cancelled", "Stopped.")
        except EndpointError as error:
            yield Failed("endpoint", str(error))

    def _close_open_calls(self) -> None:
        """Answer every tool call that never got its observation (a question left open, a turn that was stopped)."""
        messages = self._graph.get_state(self._config).values.get("messages") or []
        done = {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}
        open_calls = [c for m in messages if isinstance(m, AIMessage) for c in m.tool_calls if c["id"] not in done]
        if open_calls:
            closing = [
                ToolMessage("Closed: the user went on without it.", tool_call_id=c["id"], name=c["name"])
                for c in open_calls
            ]
            self._graph.update_state(self._config, {"messages": closing}, as_node="finish")


def converse(session: Session, question: str, user: User) -> Iterator[Event]:
    """One question to its end, with the user's replies to every clarification."""
    events = session.start(question)
    while True:
        asked: Clarification | None = None
        for event in events:
            yield event
            if isinstance(event, Asked):
                asked = event.clarification
        if asked is None:
            return
        events = session.resume(user.reply(asked) if asked.tries < GIVEN_UP else None)


class SingleTurns(Session):
    """A strategy that never asks back, as a session: every question stands alone."""

    def __init__(self, bundle: GraphBundle, strategy: Strategy, model: Any, recorder: Recorder | None = None) -> None:
        super().__init__(bundle, None, "", model, recorder)
        self._strategy = strategy

    @property
    def pending(self) -> Clarification | None:
        """Nothing is ever asked."""
        return None

    def _begin(self, question: str, bound: Bound = ()) -> Iterator[Event]:
        return self._strategy.start(question)

    def drop(self) -> None:
        """There is nothing open."""

    def cancel(self) -> None:
        """Stop the running query or reply."""
        self._strategy.cancel()
        if self._model is not None:
            self._model.cancel()


class Pipeline(SingleTurns):
    """A fixed pipeline that may ask back, as a session: every question stands alone, an open one is not kept on disk."""

    def __init__(self, bundle: GraphBundle, strategy: Asking, model: Any, recorder: Recorder | None = None) -> None:
        super().__init__(bundle, strategy, model, recorder)
        self._asking, self._plugin, self._put = strategy, strategy.plugin, ""

    def _begin(self, question: str, bound: Bound = ()) -> Iterator[Event]:
        self._put = question
        return self._asking.start(question, bound)

    def _asks_anew(self, pending: Clarification, reply: str) -> bool:
        return self._asking.asks_anew(reply)

    def _question(self) -> str:
        return self._put

    @property
    def pending(self) -> Clarification | None:
        """The clarification that waits for a reply, if any."""
        return self._asking.pending

    def _continue(self, reply: str | None) -> Iterator[Event]:
        return self._asking.resume(reply)

    def drop(self) -> None:
        """Close the open clarification without a reply."""
        self._asking.drop()


def make_session(
    bundle: GraphBundle,
    settings: Settings,
    *,
    reader: Reader | None = None,
    thread: str | None = None,
    checkpointer: Any = None,
    silent: bool = False,
    given: Sequence[Node] = (),
) -> Session:
    """A session by the settings' strategy and model. Share one `reader` between sessions over one graph.

    `given` are the nodes that the question is about, for an agent that need not find them. Raises ConfigError where
    the strategy needs a model and there is none.
    """
    known = (*AGENT_STRATEGIES, *pipelines(), *needing_model())
    if settings.strategy not in known:
        raise ConfigError(f"unknown strategy {settings.strategy!r}; known: {', '.join(known)}")
    check_model(settings)
    single = needing_model().get(settings.strategy)
    recorder = _recorder(settings, bundle, silent)
    if single:
        model = None if settings.model.startswith(LOCAL) else _recorded(_served(settings), recorder)
        return SingleTurns(bundle, single(Making(bundle, settings, model)), model, recorder)
    reader = reader or Reader(bundle)
    reader = GivenReader(reader, given) if given else reader
    if pipeline := pipelines().get(settings.strategy):
        model = None if settings.model == "offline" else _recorded(_served(settings), recorder)
        return Pipeline(bundle, pipeline(Making(bundle, settings, model), reader, silent), model, recorder)
    asking = settings.strategy != "interactive"
    plugin = AmbiguityPlugin(reader, settings) if asking and not settings.no_plugin else None
    toolbox = Toolbox(bundle, reader, settings)
    served = reminders = None
    if settings.model == "offline":
        model = _offline(reader, asks=plugin is None and asking)
    else:
        model = served = _recorded(_served(settings, bundle, asking), recorder)
        reminders = Reminders(settings, toolbox)
    steps = AgentSteps(model, toolbox, reader, plugin, asking, settings.steps, silent, reminders)
    graph = compile_graph(steps, checkpointer or InMemorySaver())
    told = reader if isinstance(reader, GivenReader) else None
    return Session(bundle, graph, thread or uuid.uuid4().hex, served, recorder, told, plugin)


def _offline(reader: Reader, asks: bool) -> Any:
    from clear_kgqa.agent.offline_planner import OfflinePlanner

    return OfflinePlanner(reader=reader, asks=asks)


def _served(settings: Settings, bundle: GraphBundle | None = None, asking: bool = True) -> Any:
    """The settings' model, with prompts where a bundle is given. langchain-openai is imported for real models alone."""
    if settings.model.startswith(REPLAY):
        from clear_kgqa.agent.recording import replaying_model

        return replaying_model(Path(settings.model.removeprefix(REPLAY)))
    from clear_kgqa.agent.chat_model import chat_model
    from clear_kgqa.agent.prompts import Prompts
    from clear_kgqa.examples.chosen import chosen_selector

    return chat_model(settings, Prompts(bundle, asking, chosen_selector(settings, bundle)) if bundle else None)


def _recorder(settings: Settings, bundle: GraphBundle, silent: bool) -> Recorder | None:
    """What writes the conversation down, where a recording is wanted and a model takes part."""
    if not settings.record or settings.model == "offline":
        return None
    from clear_kgqa.agent.recording import Recorder

    return Recorder(settings.record, settings, bundle, silent)


def _recorded(model: Any, recorder: Recorder | None) -> Any:
    if recorder is None:
        return model
    from clear_kgqa.agent.recording import RecordingModel

    return RecordingModel(inner=model, recorder=recorder)
