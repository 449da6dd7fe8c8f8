"""The turns of one conversation, written down as they come where it is a saved one."""

from __future__ import annotations

from clear_kgqa.events import Event, Failed
from clear_kgqa.followup import Bound, Topic, topic_of
from clear_kgqa.session_store import SessionStore, Turn

DROPPED = Failed("gave_up", "The question was dropped.")


class KeptTurns:
    """`turns` are those of a session of a store, which gets every question, event and remark; without a store they are
    kept in memory alone."""

    def __init__(self, store: SessionStore | None = None, session: str = "", kg: str = "") -> None:
        self._store, self._session, self._kg = store, session, kg
        self.turns: list[Turn] = store.turns(session) if store else []

    @property
    def last(self) -> Turn | None:
        """The latest turn."""
        return self.turns[-1] if self.turns else None

    def topic(self) -> Topic | None:
        """What the latest turn that has a topic was about."""
        return next((t for turn in reversed(self.turns) if (t := topic_of(turn.asked, turn.events))), None)

    def begin(self, question: str, asked: str, bound: Bound = ()) -> Turn:
        """A new turn; `asked` is the question as it is put to the session, with the nodes `bound` to it."""
        turn = Turn(question, asked, bound=bound)
        self.turns.append(turn)
        if self._store:
            self._store.begin_turn(self._session, self._kg, len(self.turns) - 1, question, asked)
        return turn

    def happened(self, turn: Turn, event: Event) -> None:
        """Add an event to a turn."""
        turn.events.append(event)
        if self._store:
            self._store.record(self._session, self._number(turn), event)

    def noted(self, turn: Turn, text: str) -> None:
        """Add a remark to a turn."""
        turn.notes.append((len(turn.events), text))
        if self._store:
            self._store.note(self._session, self._number(turn), text)

    def _number(self, turn: Turn) -> int:
        return next(number for number, other in enumerate(self.turns) if other is turn)
