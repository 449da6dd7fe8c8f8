"""Everything the chat can do, in one table: keys, the palette, the help screen and slash commands read it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """`action` is the chat screen's action; `name` follows a slash in the prompt; `key` may be empty."""

    name: str
    key: str
    title: str
    action: str


COMMANDS = (
    Command("help", "f1", "Help", "help"),
    Command("why", "f2", "Inspector: scores, query, run time", "inspector"),
    Command("sessions", "f3", "Saved conversations", "sessions"),
    Command("choices", "f4", "Remembered choices", "choices"),
    Command("readings", "f5", "Answers for the other readings", "readings"),
    Command("settings", "f6", "Settings", "settings"),
    Command("graphs", "f7", "Choose or add a graph", "graphs"),
    Command("undo", "f8", "Undo the last choice and answer again", "undo"),
    Command("iris", "f9", "Show or hide IRIs", "iris"),
    Command("save", "ctrl+s", "Save answer, query or transcript", "save"),
    Command("new", "ctrl+n", "New conversation", "new"),
    Command("steps", "ctrl+o", "Unfold or fold the steps", "steps"),
    Command("other", "ctrl+t", "Carry over the other entity", "other"),
    Command("remember", "ctrl+r", "Remember the choice for this graph", "remember"),
    Command("answers", "ctrl+l", "What each option would answer", "answers"),
    Command("retry", "", "Ask the last question again", "retry"),
    Command("sparql", "", "Show the query behind the answer", "inspector"),
    Command("copy", "", "Copy the answer (OSC 52)", "copy('answer')"),
    Command("copy-query", "", "Copy the query (OSC 52)", "copy('query')"),
    Command("quit", "ctrl+q", "Leave", "app.quit"),
)


def by_name(name: str) -> Command | None:
    """The command that `/name` means; a beginning is enough where it is unique."""
    exact = next((c for c in COMMANDS if c.name == name), None)
    begun = [c for c in COMMANDS if c.name.startswith(name)]
    return exact or (begun[0] if name and len(begun) == 1 else None)
