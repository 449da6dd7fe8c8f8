"""What the backend tells the chat: each a small message, posted from its thread."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from clear_kgqa.clarification import Clarification
from clear_kgqa.events import Answered, Event, Failed
from clear_kgqa.followup import Carried
from clear_kgqa.session_store import Turn


@dataclass
class Opening(Message):
    """The graph or the agent is being made ready; `fraction` is 0 where nobody knows."""

    stage: str
    fraction: float = 0.0


@dataclass
class Opened(Message):
    """Questions can be asked. `turns` are those of the session that is gone on with, `pending` its open question."""

    graph: str
    triples: int
    attribution: str
    session: str
    turns: list[Turn]
    pending: Clarification | None = None


@dataclass
class Trouble(Message):
    """Something could not be done (a graph that is not there, an endpoint that is down), and why."""

    reason: str


@dataclass
class TurnBegan(Message):
    """A question was put to the session, with what it took over from the turn before."""

    turn: Turn
    carried: Carried | None = None


@dataclass
class TurnEvent(Message):
    """Something happened in the turn that runs."""

    turn: Turn
    event: Event


@dataclass
class Noted(Message):
    """A line to show in the turn: a reply that was given for the user, and why."""

    turn: Turn
    text: str


@dataclass
class TurnPaused(Message):
    """Nothing runs any more: the turn is over, or waits for a reply."""


@dataclass
class QueryRan(Message):
    """What the edited query gave."""

    outcome: Answered | Failed


@dataclass
class GraphAdded(Message):
    """A graph was built under this name."""

    name: str
    line: str
