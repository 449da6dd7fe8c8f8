"""Choices that hold: those the user asked to keep for a graph, and those made earlier in one conversation."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.events import Asked, Event, Replied
from clear_kgqa.export import chosen_options
from clear_kgqa.session_store import Turn, data_folder, private_file


@dataclass(frozen=True, slots=True)
class Alternative:
    """An option as it was offered: `key` is its IRI, or its path where only that tells it from the others."""

    key: str
    label: str


@dataclass(frozen=True, slots=True)
class RememberedChoice:
    """On graph `kg`, what `slot` names means `key`; `offered` are the options it was one of.

    A slot is a name ("entity:georgia"), what is asked about a node ("intent:france"), or a whole question.
    """

    kg: str
    slot: str
    key: str
    offered: tuple[Alternative, ...]

    @property
    def label(self) -> str:
        """The chosen option's label."""
        return next((a.label for a in self.offered if a.key == self.key), self.key)


def option_key(asked: Clarification, option: Option) -> str:
    """What tells an option from its neighbours and stays the same from one question to the next."""
    return option.iri if asked.kind == "entity" else f"{option.iri} {option.path or option.label}".strip()


def slot_of(asked: Clarification, question: str) -> str:
    """The slot a choice is kept under: names and intents hold for every question, the rest for this one alone."""
    return asked.slot if asked.kind in ("entity", "intent") else f"{asked.kind}:{question.strip().casefold()}"


class RememberedChoices:
    """The choices of all graphs, in one JSON file that only its owner can read."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or data_folder()) / "choices.json"

    def all(self, kg: str = "") -> list[RememberedChoice]:
        """The choices for one graph, or for all."""
        try:
            data: list[dict[str, Any]] = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return []
        found = [replace(RememberedChoice(**d), offered=tuple(Alternative(**a) for a in d["offered"])) for d in data]
        return [c for c in found if not kg or c.kg == kg]

    def option(self, kg: str, asked: Clarification, question: str) -> int | None:
        """The index of the option that a remembered choice picks for this clarification, if any."""
        keys = {c.key for c in self.all(kg) if c.slot == slot_of(asked, question)}
        return next((i for i, o in enumerate(asked.options) if option_key(asked, o) in keys), None)

    def remember(self, kg: str, asked: Clarification, question: str, chosen: int) -> RememberedChoice:
        """Keep the chosen option for the next time this slot is asked about on this graph."""
        slot = slot_of(asked, question)
        offered = tuple(Alternative(option_key(asked, o), o.line()) for o in asked.options)
        choice = RememberedChoice(kg, slot, offered[chosen].key, offered)
        self._write([c for c in self.all() if (c.kg, c.slot) != (kg, slot)] + [choice])
        return choice

    def change(self, choice: RememberedChoice, key: str) -> None:
        """Let the choice mean another of the options that were offered."""
        self._write([replace(c, key=key) if c == choice else c for c in self.all()])

    def forget(self, choice: RememberedChoice) -> None:
        """Ask again from now on."""
        self._write([c for c in self.all() if c != choice])

    def _write(self, choices: list[RememberedChoice]) -> None:
        new = private_file(self.path.with_suffix(".new"))
        new.write_text(json.dumps([asdict(c) for c in choices], ensure_ascii=False, indent=1), encoding="utf-8")
        os.replace(new, self.path)


class ChosenBefore:
    """What the user chose in one conversation: what is asked about again means the same."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}

    def option(self, asked: Clarification, question: str) -> int | None:
        """The index of the option that was chosen when this slot was last asked about; None where it is not offered."""
        key = self._keys.get(slot_of(asked, question))
        found = (i for i, o in enumerate(asked.options) if option_key(asked, o) == key)
        return next(found, None) if key and not asked.tries else None

    def noting(self, asked: Clarification | None, question: str, events: Iterator[Event]) -> Iterator[Event]:
        """The events that follow the user's reply; where it picks one option, that is kept."""
        for event in events:
            if isinstance(event, Replied) and asked is not None:
                chosen = [option_key(asked, option) for option in chosen_options(asked, event)]
                if len(chosen) == 1:
                    self._keys[slot_of(asked, question)] = chosen[0]
            yield event

    def forget(self, turn: Turn) -> bool:
        """Ask again about what was asked in a turn; False where nothing was chosen in it."""
        slots = {slot_of(event.clarification, turn.asked) for event in turn.events if isinstance(event, Asked)}
        chosen = slots & self._keys.keys()
        for slot in chosen:
            del self._keys[slot]
        return bool(chosen)


def made_choices(turn: Turn) -> list[tuple[str, str]]:
    """(slot, key) of every clarification of the turn that was answered with one option (key "" for other replies)."""
    out: list[tuple[str, str]] = []
    asked: Clarification | None = None
    for event in turn.events:
        if isinstance(event, Asked):
            asked = event.clarification
        elif isinstance(event, Replied) and asked is not None:
            chosen = [option_key(asked, option) for option in chosen_options(asked, event)]
            out.append((asked.slot, chosen[0] if len(chosen) == 1 else ""))
    return out
