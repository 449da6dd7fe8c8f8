"""The chat: conversation, clarification card, prompt, and the inspector beside them."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Static, TextArea

from clear_kgqa.clarification import Clarification
from clear_kgqa.events import Answered, Asked, Failed, Replied
from clear_kgqa.session_store import Turn
from clear_kgqa_tui import messages
from clear_kgqa_tui.backend import Backend
from clear_kgqa_tui.clarification_card import ClarificationCard
from clear_kgqa_tui.commands import COMMANDS, by_name
from clear_kgqa_tui.conversation import Conversation
from clear_kgqa_tui.inspector import Inspector
from clear_kgqa_tui.prompt import Prompt
from clear_kgqa_tui.query_editor import QueryEditor
from clear_kgqa_tui.screen_actions import ScreenActions
from clear_kgqa_tui.status_line import StatusLine

HINTS = "F1 help  F2 inspector  F3 sessions  F5 other readings  ctrl+s save  ctrl+p palette  ctrl+q leave"
HINTS_NARROW = "F1 help  ctrl+p palette"


class ChatScreen(ScreenActions, Screen[None]):
    """Reads the backend's messages and shows them; what the user does goes to the backend."""

    BINDINGS = [
        *(Binding(c.key, c.action, c.title, show=False, priority=True) for c in COMMANDS if c.key and c.name != "quit"),
        Binding("ctrl+c", "stop", "Stop the turn", show=False, priority=True),
        Binding("escape", "escape", "Drop, stop or clear", show=False),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (30, "-narrow"), (60, "-normal"), (110, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (10, "-low"), (20, "-tall")]

    def __init__(self, backend: Backend) -> None:
        super().__init__()
        self.backend = backend
        self.ready = False
        self.running = False
        self.waiting: list[str] = []
        self.graph = ""

    def compose(self) -> ComposeResult:
        yield StatusLine()
        with Horizontal(id="body"):
            yield Conversation()
            yield Inspector()
        yield ClarificationCard()
        yield Prompt()
        yield Static(HINTS, id="hints", markup=False)

    def on_mount(self) -> None:
        self.query_one(Prompt).focus()
        self.query_one(StatusLine).busy("starting")

    def on_resize(self, event: events.Resize) -> None:
        self.query_one("#hints", Static).update(HINTS if event.size.width >= len(HINTS) + 2 else HINTS_NARROW)

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

    def on_opening(self, message: messages.Opening) -> None:
        part = f" {message.fraction:.0%}" if message.fraction else ""
        self.query_one(StatusLine).busy(message.stage + part)

    def on_opened(self, message: messages.Opened) -> None:
        self.ready, self.running, self.graph = True, False, message.graph
        model = self.backend.settings.model
        self.query_one(StatusLine).rest(f"{message.graph} · {message.triples:,} triples · {model}")
        self.conversation.attribution = message.attribution
        self.conversation.show(message.turns)
        self.close_card()
        self.query_one(Prompt).sent = self.backend.store.questions()
        self.query_one(Inspector).show(self.turn, self.graph)
        if message.pending is not None and self.turn is not None:
            self.open_card(message.pending, self.turn)
        waiting, self.waiting = self.waiting, []
        for question in waiting[-1:]:
            self.ask(question)

    def on_trouble(self, message: messages.Trouble) -> None:
        self.running = False
        self.query_one(StatusLine).rest(message.reason if not self.ready else None)
        self.notify(message.reason, severity="error", timeout=10)

    def on_turn_began(self, message: messages.TurnBegan) -> None:
        self.close_card()
        self.conversation.begin(message.turn, message.carried)

    def on_turn_event(self, message: messages.TurnEvent) -> None:
        event, view = message.event, self.conversation.view(message.turn)
        if view is not None:
            view.add(event)
        if isinstance(event, Asked):
            self.open_card(event.clarification, message.turn)
        elif isinstance(event, Replied):
            self.close_card()
        if isinstance(event, Answered | Failed):
            self.query_one(Inspector).show(message.turn, self.graph)

    def on_noted(self, message: messages.Noted) -> None:
        view = self.conversation.view(message.turn)
        if view is not None:
            view.note(message.text)

    def on_turn_paused(self) -> None:
        self.running = False
        self.query_one(StatusLine).rest()
        if self.card.asked is not None:
            self.query_one(Inspector).show(self.turn, self.graph)

    def on_query_ran(self, message: messages.QueryRan) -> None:
        self.on_turn_paused()
        self.query_one(Inspector).ran(message.outcome)

    def on_graph_added(self, message: messages.GraphAdded) -> None:
        self.query_one(StatusLine).rest()
        self.notify(f"{message.name}: {message.line}. F7 chooses it.")

    def on_prompt_submitted(self, message: Prompt.Submitted) -> None:
        prompt, text = self.query_one(Prompt), message.text
        if text.startswith("/"):
            self.command(text)
        elif self.card.asked is not None:
            self.card.send(text)
            return
        elif not self.ready:
            self.waiting = [text]
            self.query_one(StatusLine).busy("your question waits for the graph")
        else:
            self.ask(text)
        prompt.remember(text)

    def on_prompt_moved(self, message: Prompt.Moved) -> None:
        self.card.move(message.step)

    def on_prompt_picked(self, message: Prompt.Picked) -> None:
        self.card.pick(message.number)

    def on_text_area_changed(self, message: TextArea.Changed) -> None:
        if isinstance(message.text_area, Prompt):
            self.card.narrow("" if message.text_area.text.startswith("/") else message.text_area.text)

    def on_clarification_card_replied(self, message: ClarificationCard.Replied) -> None:
        asked = self.card.asked
        if asked is None:
            return
        keep = (asked, message.chosen) if message.remember and message.chosen is not None else None
        self.close_card()
        self.query_one(Prompt).clear()
        self.run("answering")
        self.backend.reply(message.text, keep)

    def on_query_editor_run(self, message: QueryEditor.Run) -> None:
        if self.ready and not self.running:
            self.run("running your query")
            self.backend.run_query(message.sparql)

    def ask(self, question: str) -> None:
        """Put a question; one that is still running is stopped first."""
        if self.running:
            self.stop()
        self.run("thinking")
        self.backend.ask(question)

    def run(self, doing: str) -> None:
        """Show that something runs."""
        self.running = True
        self.query_one(StatusLine).busy(doing)

    def stop(self) -> None:
        """Stop what runs; the prompt is back at once."""
        self.backend.stop()
        self.running = False
        self.query_one(StatusLine).rest()
        view = self.conversation.last
        if view is not None and self.card.asked is None:
            view.note("Stopped.")

    def open_card(self, asked: Clarification, turn: Turn) -> None:
        """Ask the user."""
        prompt = self.query_one(Prompt)
        prompt.choosing = True
        self.card.show(asked, turn.asked)
        self.card.narrow(prompt.text)
        prompt.focus()

    def close_card(self) -> None:
        self.query_one(Prompt).choosing = False
        self.card.hide()

    def command(self, text: str) -> None:
        """Run a slash command."""
        name = text[1:].split(None, 1)[0] if text[1:].strip() else "help"
        found = by_name(name)
        if found is None:
            self.notify(f"There is no command /{name}; F1 lists them.", severity="warning")
        else:
            self.call_later(self.run_action, found.action)
