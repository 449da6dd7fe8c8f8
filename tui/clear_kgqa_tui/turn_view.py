"""One turn of the conversation on the screen."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from clear_kgqa.clarification import Clarification
from clear_kgqa.events import Answered, Asked, Event, Failed, Replied
from clear_kgqa.export import chosen_options
from clear_kgqa.followup import Carried
from clear_kgqa.line_text import why_asked
from clear_kgqa.session_store import Turn
from clear_kgqa_tui.answer_view import AnswerView
from clear_kgqa_tui.shown import about, safe, short
from clear_kgqa_tui.steps_view import StepsView


class TurnView(Vertical):
    """The question, its steps folded, what was asked back and replied, and the answer or why there is none."""

    def __init__(self, turn: Turn, carried: Carried | None = None, attribution: str = "", past: bool = False) -> None:
        """A `past` turn shows the events it holds; one that runs is told of each, some before it is on the screen."""
        super().__init__()
        self.turn, self._carried, self._attribution = turn, carried, attribution
        self._asked: Clarification | None = None
        self._early: list[Event | str] | None = list(turn.told()) if past else []
        self.steps = StepsView()

    def compose(self) -> ComposeResult:
        yield Static(safe(self.turn.question), markup=False, classes="question")
        if self.turn.asked != self.turn.question:
            yield Static(safe(self._carried_line()), markup=False, classes="note")
        yield self.steps

    def on_mount(self) -> None:
        early, self._early = self._early or [], None
        for told in early:
            if isinstance(told, str):
                self.note(told)
            else:
                self.add(told)

    def add(self, event: Event) -> None:
        """Show one more event."""
        if self._early is not None:
            self._early.append(event)
            return
        match event:
            case Answered():
                self.mount(AnswerView(event, self._attribution))
            case Failed():
                self._fail(event)
            case Asked():
                self._asked = event.clarification
                self.note(f"? {short(event.clarification.question)}")
            case Replied(kind="new_question"):
                self.note("  (a new question instead)")
            case Replied(kind="why") if self._asked is not None:
                self.note(f"  → {short(event.text)}")
                self.note(why_asked(self._asked))
            case Replied(kind="unclear"):
                self.note(f"  → {short(event.text)}  (fits none of these; the most probable reading is taken)")
            case Replied():
                self.note(f"  → {self._said(event)}")
            case _:
                self.steps.add(event)

    def note(self, text: str) -> None:
        """Add a quiet line."""
        if self._early is not None:
            self._early.append(text)
            return
        self.mount(Static(safe(text), markup=False, classes="note"))

    def _said(self, reply: Replied) -> str:
        by_name = self._asked is not None and self._asked.kind == "entity"
        chosen = [
            f"{o.label} ({about(o)})" if by_name and about(o) else o.label for o in chosen_options(self._asked, reply)
        ]
        told = {"none": "none of these", "delegate": "you decide"}.get(reply.kind, reply.text)
        return short("; ".join(chosen) or told)

    def toggle_iris(self) -> None:
        for answer in self.query(AnswerView):
            answer.toggle_iris()

    def _fail(self, failure: Failed) -> None:
        if failure.interpretation:
            self.mount(Static(safe(f"Read as: {short(failure.interpretation, 600)}"), markup=False, classes="reading"))
        text = failure.reason if failure.kind in ("cancelled", "gave_up") else f"No answer: {failure.reason}"
        self.mount(Static(safe(text), markup=False, classes="failure"))

    def _carried_line(self) -> str:
        carried = self._carried or Carried(self.turn.asked, "", "", "")
        other = f"  · ctrl+t: {carried.other} instead" if carried.other else ""
        return short(carried.line() + other, 600)
