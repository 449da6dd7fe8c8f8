"""The settings that matter in a conversation, changed for as long as the chat is open."""

from __future__ import annotations

from typing import ClassVar

from pydantic import ValidationError
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from clear_kgqa.settings import Settings
from clear_kgqa_tui.shown import safe, short

FIELDS = {
    "kg": "Graph: demo, a name, a file or an endpoint",
    "model": "Model: offline, or one of an OpenAI-compatible server",
    "base_url": "Model server",
    "language": "Languages of names, the preferred first (de,en)",
    "policy": "Ask by: voi (value of asking) or thresholds",
    "ask_cost": "Price of a question back, in F1 (0 to 1)",
    "entity_threshold": "Entity threshold (0 to 1)",
    "intent_threshold": "Intent threshold (0 to 1)",
    "timeout": "Seconds for a question",
    "query_timeout": "Seconds for a query",
}


class SettingsScreen(ModalScreen[Settings | None]):
    """Enter applies all fields; what does not fit is told and nothing changes."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,f6", "dismiss", "Close")]

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static("Settings (themes are in the palette, ctrl+p)", classes="title", markup=False)
            for name, about in FIELDS.items():
                yield Static(about, markup=False)
                yield Input(short(str(getattr(self._settings, name))), id=name, compact=True)
            yield Static("Enter applies · Tab moves · Esc closes", classes="keys", markup=False)

    def on_input_submitted(self) -> None:
        given = {i.id: i.value.strip() for i in self.query(Input) if i.id}
        changed = {n: v for n, v in given.items() if v != str(getattr(self._settings, n))}
        if not changed:
            self.dismiss(None)
            return
        try:
            self.dismiss(changed_settings(self._settings, changed))
        except ValidationError as error:
            told = "; ".join(f"{e['loc'][0]}: {e['msg']}" for e in error.errors(include_input=False))
            self.query_one(".keys", Static).update(safe(short(told)))


def changed_settings(settings: Settings, changed: dict[str, str]) -> Settings:
    """The settings with some fields replaced, checked as those of the command line are; raises ValidationError."""
    held = {name: getattr(settings, name) for name in type(settings).model_fields}
    return type(settings)(**{**held, **changed})
