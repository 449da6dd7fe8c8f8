"""A session: one conversation over one graph. It alone owns the ask-and-resume loop; everyone else reads its events."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from clear_kgqa.agent.graph import compile_graph
from clear_kgqa.agent.nodes import AgentSteps
from clear_kgqa.agent.state import fresh
from clear_kgqa.agent.toolbox import Toolbox
from clear_kgqa.ambiguity.plugin import AmbiguityPlugin
from clear_kgqa.ambiguity.replies import interpret
from clear_kgqa.clarification import Clarification
from clear_kgqa.events import Asked, Event, Failed, Replied
from clear_kgqa.readings.reader import Reader
from clear_kgqa.settings import Settings
from clear_kgqa.user import User
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import Cancelled, ConfigError, EndpointError

AGENT_STRATEGIES = ("clear", "interactive")


class Session:
    """A Strategy over the agent graph. `pending` is the open clarification, kept in the checkpoints and so after a crash."""

    def __init__(self, bundle: GraphBundle, graph: Any, thread: str, system: str = "") -> None:
        self.bundle = bundle
        self._graph = graph
        self._config = {"configurable": {"thread_id": thread}, "recursion_limit": 1000}
        self._system = system
        self._question = ""

    @property
    def pending(self) -> Clarification | None:
        """The clarification that waits for a reply, if any."""
        tasks = self._graph.get_state(self._config).tasks
        found = [i.value for t in tasks for i in t.interrupts]
        return Clarification.from_json(found[0]) if found else None

    def start(self, question: str) -> Iterator[Event]:
        """Begin a turn; an open clarification is closed first, so that the history stays valid for a strict API."""
        self._close_open_calls()
        known = self._graph.get_state(self._config).values.get("messages")
        messages: list[Any] = [] if known or not self._system else [SystemMessage(self._system)]
        self._question = question
        yield from self._run(fresh(question, [*messages, HumanMessage(question)]))

    def resume(self, reply: str | None) -> Iterator[Event]:
        """Go on with a reply. A reply that is a new question closes the old one and starts a turn of its own."""
        pending = self.pending
        if pending is None:
            raise ConfigError("no clarification is waiting for a reply; ask a question first")
        if reply is not None and interpret(reply, pending).kind == "new_question":
            yield Replied(pending.id, reply, "new_question")
            yield from self.start(reply)
            return
        yield from self._run(Command(resume=reply))

    def drop(self) -> None:
        """Close the open clarification without a reply."""
        self._close_open_calls()

    def cancel(self) -> None:
        """Stop the running query; the stream ends with Failed("cancelled") and the next turn works."""
        self.bundle.graph.cancel()

    def close(self) -> None:
        """Nothing is held beyond the bundle, which its owner closes."""

    def _run(self, given: Any) -> Iterator[Event]:
        try:
            for mode, chunk in self._graph.stream(given, self._config, stream_mode=["custom", "updates"]):
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
            closing = [ToolMessage("Closed: the user went on without it.", tool_call_id=c["id"], name=c["name"]) for c in open_calls]
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
        events = session.resume(user.reply(asked))


def make_session(
    bundle: GraphBundle, settings: Settings, *, reader: Reader | None = None, thread: str | None = None,
    checkpointer: Any = None, silent: bool = False,
) -> Session:
    """A session by the settings' strategy and model. Share one `reader` between sessions over one graph.

    Raises ConfigError where the strategy needs a model and there is none.
    """
    reader = reader or Reader(bundle)
    if settings.strategy not in AGENT_STRATEGIES:
        raise ConfigError(f"unknown strategy {settings.strategy!r}; known: {', '.join(AGENT_STRATEGIES)}")
    interactive = settings.strategy == "interactive"
    plugin = None if interactive or settings.no_plugin else AmbiguityPlugin(reader, settings)
    model, system = _model(bundle, reader, settings, asks=plugin is None and not interactive)
    toolbox = Toolbox(bundle, reader, settings)
    steps = AgentSteps(model, toolbox, reader, plugin, not interactive, settings.steps, silent)
    return Session(bundle, compile_graph(steps, checkpointer or InMemorySaver()), thread or uuid.uuid4().hex, system)


def _model(bundle: GraphBundle, reader: Reader, settings: Settings, asks: bool) -> tuple[Any, str]:
    """The chat model and its system prompt. langchain-openai is imported for real models alone."""
    if settings.model == "offline":
        from clear_kgqa.agent.offline_planner import OfflinePlanner

        return OfflinePlanner(reader=reader, asks=asks), ""
    from clear_kgqa.agent.chat_model import chat_model, system_prompt

    return chat_model(settings), system_prompt(bundle)
