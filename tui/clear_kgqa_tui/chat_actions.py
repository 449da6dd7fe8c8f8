"""What the chat's keys and commands do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import Screen
from textual.timer import Timer

from clear_kgqa.events import Answered, Asked, Scored
from clear_kgqa.session_store import SessionEntry, Turn
from clear_kgqa_tui.backend import Backend
from clear_kgqa_tui.clarification_card import ClarificationCard
from clear_kgqa_tui.conversation import Conversation
from clear_kgqa_tui.inspector import Inspector
from clear_kgqa_tui.prompt import Prompt
from clear_kgqa_tui.status_line import StatusLine
from clear_kgqa_tui.steps_view import StepsView

if TYPE_CHECKING:
    from clear_kgqa.settings import Settings


class ChatActions(Screen[None]):
    """The actions of the chat screen; each opens a screen, calls the backend, or changes what is shown."""

    def __init__(self, backend: Backend) -> None:
        super().__init__()
        self.backend = backend
        self.ready = False
        self.running = False
        self.waiting: list[str] = []
        self.graph = ""
        self._limit: Timer | None = None

    @property
    def conversation(self) -> Conversation:
        return self.query_one(Conversation)

    @property
    def card(self) -> ClarificationCard:
        return self.query_one(ClarificationCard)

    @property
    def turn(self) -> Turn | None:
        """The latest turn."""
        return self.backend.turns[-1] if self.backend.turns else None

    def close_card(self) -> None:
        self.query_one(Prompt).choose(0)
        self.card.hide()

    def ask(self, question: str) -> None:
        """Put a question, or let it wait for the graph or for the turn that runs."""
        if self.running or not self.ready:
            self.waiting.append(question)
            self.query_one(StatusLine).waiting(len(self.waiting))
            return
        self.run("thinking")
        self.backend.ask(question)

    def run(self, doing: str) -> None:
        """Show that something runs."""
        self.running = True
        self.query_one(StatusLine).busy(doing)
        self._limit = self.set_timer(self.backend.settings.timeout, self._too_late)

    def _too_late(self) -> None:
        if self.running:
            self.stop(f"There was no answer within {self.backend.settings.timeout:g} s.")

    def rest(self) -> None:
        """Nothing runs any more: the next question that waits is put, unless the user is being asked."""
        self.running = False
        if self._limit is not None:
            self._limit.stop()
        self.query_one(StatusLine).rest()
        if self.waiting and self.ready and self.card.asked is None:
            question = self.waiting.pop(0)
            self.query_one(StatusLine).waiting(len(self.waiting))
            self.ask(question)

    def stop(self, why: str = "Stopped.") -> None:
        """Stop what runs; the prompt is back at once."""
        self.backend.stop()
        self.rest()
        view = self.conversation.last
        if view is not None and self.card.asked is None:
            view.note(why)

    def action_stop(self) -> None:
        """Ctrl+C stops the turn, never the program; at rest it copies a selection or clears the prompt."""
        prompt = self.query_one(Prompt)
        if self.running:
            self.stop()
        elif prompt.selected_text:
            prompt.action_copy()
        elif prompt.text:
            prompt.clear()
        else:
            self.notify("Nothing runs. ctrl+q leaves.")

    def action_escape(self) -> None:
        """Esc clears what is typed, then drops an open clarification, else stops the turn."""
        prompt = self.query_one(Prompt)
        if self.focused is not prompt:
            prompt.focus()
        elif self.card.asked is not None and not prompt.text:
            self.close_card()
            self.backend.drop()
        elif self.running:
            self.stop()
        else:
            prompt.clear()

    def action_page(self, step: int) -> None:
        if step < 0:
            self.conversation.scroll_page_up()
        else:
            self.conversation.scroll_page_down()

    def action_help(self) -> None:
        from clear_kgqa_tui.help_screen import HelpScreen

        self.app.push_screen(HelpScreen())

    def action_inspector(self) -> None:
        self.toggle_class("-inspecting")
        if not self.has_class("-inspecting"):
            self.query_one(Prompt).focus()

    def action_undo(self) -> None:
        if self.running:
            self.stop()
        if self.ready and self.backend.undo():
            self.run("asking again")
        else:
            self.notify("No choice was made in the last question.")

    def action_retry(self) -> None:
        if self.turn is None:
            self.notify("No question yet.")
        elif self.ready:
            self.ask(self.turn.question)

    def action_other(self) -> None:
        """Ask the last follow-up again about the other entity it could lean on."""
        if self.turn is not None and self.turn.question != self.turn.asked and not self.running:
            self.run("asking again")
            self.backend.ask_other(self.turn.question)
        else:
            self.notify("The last question took nothing over from the one before.")

    def action_iris(self) -> None:
        if self.conversation.last is not None:
            self.conversation.last.toggle_iris()

    def action_steps(self) -> None:
        views = list(self.conversation.query(StepsView))
        folded = not any(not v.collapsed for v in views)
        for view in views:
            view.collapsed = not folded

    def action_remember(self) -> None:
        self.card.toggle_remember()

    def action_answers(self) -> None:
        self.card.toggle_answers()

    def action_new(self) -> None:
        if self.ready:
            self._open(self.backend.settings, "")

    def action_copy(self, what: str) -> None:
        """Send the answer or the query to the terminal's clipboard; nobody tells whether it arrives."""
        answer = self.turn.last(Answered) if self.turn else None
        if answer is None:
            self.notify("No answer to copy yet.")
            return
        self.app.copy_to_clipboard(answer.text if what == "answer" else answer.sparql)
        self.notify("Sent to the terminal as a copy (OSC 52). Not every terminal takes it; ctrl+s saves to a file.")

    def action_save(self) -> None:
        from clear_kgqa_tui.save_screen import SaveScreen

        if self.turn is None:
            self.notify("Nothing to save yet.")
        else:
            self.app.push_screen(SaveScreen(self.backend.turns))

    def action_readings(self) -> None:
        from clear_kgqa_tui.readings_screen import ReadingsScreen

        scored = before_asking(self.turn) if self.turn else None
        if self.turn is None or scored is None or not scored.readings:
            self.notify("There are no other readings to show.")
        else:
            self.app.push_screen(ReadingsScreen(self.turn, scored, self.backend), self._run_reading)

    def action_sessions(self) -> None:
        from clear_kgqa_tui.sessions_screen import SessionsScreen

        self.app.push_screen(SessionsScreen(self.backend.store, self.backend.session_id), self._go_on)

    def action_choices(self) -> None:
        from clear_kgqa_tui.choices_screen import ChoicesScreen

        self.app.push_screen(ChoicesScreen(self.backend.choices, self.graph))

    def action_settings(self) -> None:
        from clear_kgqa_tui.settings_screen import SettingsScreen

        self.app.push_screen(SettingsScreen(self.backend.settings), self._change)

    def action_graphs(self) -> None:
        from clear_kgqa_tui.graphs_screen import GraphsScreen

        self.app.push_screen(GraphsScreen(self.backend), self._use_graph)

    def run_query(self, sparql: str | None) -> None:
        """Run a query of the user's own, unless something runs already."""
        if sparql and self.ready and not self.running:
            self.run("running your query")
            self.backend.run_query(sparql)

    def _run_reading(self, sparql: str | None) -> None:
        if sparql:
            self.add_class("-inspecting")
            self.query_one(Inspector).edit(sparql)
            self.run_query(sparql)

    def _go_on(self, entry: SessionEntry | None) -> None:
        if entry is not None:
            settings = self.backend.settings
            kg = settings.kg if entry.kg == self.graph else entry.kg
            self._open(settings.model_copy(update={"kg": kg}), entry.id)

    def _change(self, settings: Settings | None) -> None:
        if settings is not None:
            self._open(settings, "" if settings.kg != self.backend.settings.kg else self.backend.session_id)

    def _use_graph(self, kg: str | None) -> None:
        if kg:
            self._open(self.backend.settings.model_copy(update={"kg": kg}), "")

    def _open(self, settings: Settings, session: str) -> None:
        if self.running:
            self.stop()
        self.ready = False
        self.backend.open(settings, session)


def before_asking(turn: Turn) -> Scored | None:
    """The readings as they stood before the first question back, which took the others' probability away."""
    scored = None
    for event in turn.events:
        if isinstance(event, Asked) and scored is not None:
            break
        scored = event if isinstance(event, Scored) else scored
    return scored
