"""The chat: conversation, clarification card, prompt, and the inspector beside them."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static, TextArea

from clear_kgqa.clarification import Clarification
from clear_kgqa.events import Answered, Asked, Failed, Replied
from clear_kgqa.session_store import Turn
from clear_kgqa_tui import messages
from clear_kgqa_tui.chat_actions import ChatActions
from clear_kgqa_tui.clarification_card import ClarificationCard
from clear_kgqa_tui.commands import COMMANDS, by_name
from clear_kgqa_tui.conversation import Conversation
from clear_kgqa_tui.inspector import Inspector
from clear_kgqa_tui.prompt import Prompt
from clear_kgqa_tui.query_editor import QueryEditor
from clear_kgqa_tui.status_line import StatusLine

HINTS = "F1 help  F2 inspector  F3 sessions  F5 other readings  ctrl+s save  ctrl+p palette  ctrl+q leave"
HINTS_NARROW = "F1 help  ctrl+p palette"


class ChatScreen(ChatActions):
    """Reads the backend's messages and shows them; what the user does goes to the backend."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(c.key, c.action, c.title, show=False, priority=True) for c in COMMANDS if c.key and c.name != "quit"),
        Binding("ctrl+c", "stop", "Stop the turn", show=False, priority=True),
        Binding("escape", "escape", "Drop, stop or clear", show=False),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
    ]

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
        self.rest()

    def on_trouble(self, message: messages.Trouble) -> None:
        self.ready = self.backend.opened is not None
        if not self.ready:
            self.query_one(StatusLine).rest(message.reason)
        self.rest()
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
        self.rest()
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
        self.run_query(message.sparql)

    def open_card(self, asked: Clarification, turn: Turn) -> None:
        """Ask the user."""
        prompt = self.query_one(Prompt)
        self.card.show(asked, turn.asked)
        prompt.choose(self.card.rows)
        self.card.narrow(prompt.text)
        prompt.focus()

    def command(self, text: str) -> None:
        """Run a slash command."""
        name = text[1:].split(None, 1)[0] if text[1:].strip() else "help"
        found = by_name(name)
        if found is None:
            self.notify(f"There is no command /{name}; F1 lists them.", severity="warning")
        else:
            self.call_later(self.run_action, found.action)
