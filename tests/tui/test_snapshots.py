"""What the chat looks like, at three sizes, for events that are always the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

import clear_kgqa_tui
from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.events import Answered, Asked, Candidate, Event, Observation, Replied, Score, Scored, ToolCall
from clear_kgqa.followup import Carried
from clear_kgqa.remembered import RememberedChoices
from clear_kgqa.session_store import SessionStore, Turn
from clear_kgqa.settings import Settings
from clear_kgqa_tui import messages
from clear_kgqa_tui.app import ChatApp
from clear_kgqa_tui.backend import Backend
from clear_kgqa_tui.chat_screen import ChatScreen

SIZES = [(80, 24), (120, 40), (40, 15)]
QUESTION = "What is the population of Springfield?"
ASKED = Clarification(
    "c1", "entity:springfield", "entity", "Which Springfield do you mean?",
    (
        Option("http://ex.org/il", "Springfield", "city", "city in Illinois", share=0.55),
        Option("http://ex.org/mo", "Springfield", "city", "city in Missouri", "twinned with Isesaki", share=0.35),
    ),
    (26, 37),
)  # fmt: skip
SCORED = Scored(
    (
        Score("entity:springfield", "entity", 0.93, 0.6, tuple(
            Candidate(o.iri, o.label, o.share) for o in ASKED.options
        )),
        Score("intent", "intent", 0.05, 0.8, (Candidate("http://ex.org/population", "population", 0.98),)),
    ),
    0.45, 0.4, 0.1, ({"sparql": "SELECT ?x", "entity": "http://ex.org/il", "answers": ["1"], "p": 0.5},),
)  # fmt: skip
SPARQL = "SELECT DISTINCT ?x WHERE { <http://ex.org/mo> <http://ex.org/population> ?x . }"
OPEN: list[Event] = [
    ToolCall("1", "SearchNodes", {"name": "Springfield"}), Observation("1", "SearchNodes", "two nodes"), SCORED, Asked(ASKED),
]  # fmt: skip
CLOSED: list[Event] = [
    *OPEN, Replied("c1", "2", "options", ("Springfield",)),
    Answered(
        "select", ("x",), (({"literal": "170000"},),), ({"literal": "170000", "label": "170,000"},), None, SPARQL,
        "Population of Springfield", "170,000.", False, 0.0034,
    ),
]  # fmt: skip


class Posed(App[int]):
    """The chat screen over a backend that is not started: the test posts what it would."""

    CSS_PATH = Path(clear_kgqa_tui.__file__).with_name("chat.tcss")
    HORIZONTAL_BREAKPOINTS = ChatApp.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = ChatApp.VERTICAL_BREAKPOINTS

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.backend = Backend(Settings(), SessionStore(folder), RememberedChoices(folder), self.post_message)

    def on_mount(self) -> None:
        self.push_screen(ChatScreen(self.backend))


async def pose(pilot: Pilot[int], events: list[Event], keys: tuple[str, ...] = ()) -> None:
    """Show one turn with these events, then press keys."""
    app = pilot.app
    assert isinstance(app, Posed)
    await pilot.pause()
    app.screen.post_message(messages.Opened("demo", 703_795, "GeoNames, CC BY 4.0", "s", []))
    turn = Turn(QUESTION, QUESTION)
    if not events:
        await pilot.press(*keys)
        await pilot.pause(0.5)
        return
    app.backend.turns.append(turn)
    app.screen.post_message(messages.TurnBegan(turn, None))
    await pilot.pause()
    for event in events:
        turn.events.append(event)
        app.screen.post_message(messages.TurnEvent(turn, event))
        await pilot.pause()
    app.screen.post_message(messages.TurnPaused())
    await pilot.press(*keys)
    for area in app.screen.query("TextArea"):
        area.cursor_blink = False  # type: ignore[attr-defined]
    await pilot.pause(0.5)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["answer", "question", "inspector", "help", "filter"])
def test_screen(snap_compare: Any, tmp_path: Path, name: str, size: tuple[int, int]) -> None:
    events = {"question": OPEN, "filter": OPEN, "help": []}.get(name, CLOSED)
    keys = {"inspector": ("f2",), "help": ("f1",), "filter": tuple("miss")}.get(name, ())

    async def before(pilot: Pilot[int]) -> None:
        await pose(pilot, events, keys)

    assert snap_compare(Posed(tmp_path), terminal_size=size, run_before=before)


def test_what_was_carried_over_is_shown(snap_compare: Any, tmp_path: Path) -> None:
    async def before(pilot: Pilot[int]) -> None:
        await pose(pilot, CLOSED)
        turn = Turn("and its area?", "Springfield's area?")
        carried = Carried(turn.asked, "its", "http://ex.org/mo", "Springfield", "170,000")
        pilot.app.screen.post_message(messages.TurnBegan(turn, carried))
        await pilot.pause(0.3)

    assert snap_compare(Posed(tmp_path), terminal_size=(80, 24), run_before=before)
