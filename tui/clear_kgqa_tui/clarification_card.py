"""The question back to the user: its options to pick by number, arrow, mouse, or words."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa_tools.folding import fold
from clear_kgqa_tui.marked_list import MarkedList
from clear_kgqa_tui.shown import about, bar, marked, safe, short

NONE, DECIDE, FREE = "none of these", "you decide", "free"
# Padding, mark and scrollbar: where a line would not fit beside them its bar gives way to its words.
_BESIDE = 6


class ClarificationCard(Vertical):
    """Shows one clarification. The prompt keeps the focus and passes its text, arrows and digits on."""

    @dataclass
    class Replied(Message):
        """The user's reply: the text for the session, the option's index where one was picked, and whether to keep it."""

        text: str
        chosen: int | None
        remember: bool

    def __init__(self) -> None:
        super().__init__(id="card")
        self.asked: Clarification | None = None
        self._question = ""
        self._typed = ""
        self._remember = False
        self._answers = False
        self._moved = False
        self._width = 0

    def compose(self) -> ComposeResult:
        yield Static(id="card-question", markup=False)
        yield MarkedList(id="card-options")
        yield Static(id="card-hint", markup=False)

    def on_mount(self) -> None:
        self._options.can_focus = False

    @property
    def _options(self) -> MarkedList:
        return self.query_one(MarkedList)

    def show(self, asked: Clarification, question: str) -> None:
        """Open the card."""
        self.asked, self._question, self._typed, self._remember = asked, question, "", False
        self._answers = False
        self.add_class("-open")
        part = marked(question, asked.span, "bold reverse") if asked.span != (0, 0) else Content("")
        self.query_one("#card-question", Static).update(
            Content.assemble((short(asked.question), "bold"), *(("\n", part) if part else ()))
        )
        self._fill()

    def hide(self) -> None:
        """Close the card."""
        self.asked = None
        self.remove_class("-open")

    def narrow(self, typed: str) -> None:
        """Keep the options that hold every word typed; with none left the text stands as a free reply."""
        if self.asked is not None and typed.strip() != self._typed:
            self._typed = typed.strip()
            self._fill()

    def move(self, step: int) -> None:
        """Move the highlight."""
        self._moved = True
        self._options.move(step)

    def toggle_remember(self) -> None:
        """Keep the choice for this graph, or not."""
        if self.asked is not None:
            self._remember = not self._remember
            self._hint()

    def toggle_answers(self) -> None:
        """Show what each option would answer, or what tells it apart again."""
        if self.asked is not None:
            self._answers = not self._answers
            self._fill()

    @property
    def rows(self) -> int:
        """How many rows have a number."""
        return len(self.asked.options) + 2 if self.asked else 0

    def pick(self, number: int) -> None:
        """Take the row of this number."""
        if number <= self.rows:
            self._reply([*(f"o{i}" for i in range(self.rows - 2)), NONE, DECIDE][number - 1])

    def send(self, typed: str) -> None:
        """Enter: the highlighted row, or the text as a free reply where it fits several options or none."""
        fitting = len(self._fitting())
        if typed and not self._moved and fitting != 1:
            self._reply(FREE)
        elif (at := self._options.highlighted) is not None:
            self._reply(str(self._options.get_option_at_index(at).id))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._reply(str(event.option.id))

    def _reply(self, row: str) -> None:
        chosen = int(row[1:]) if row not in (NONE, DECIDE, FREE) else None
        text = str(chosen + 1) if chosen is not None else self._typed if row == FREE else row
        self.post_message(self.Replied(text, chosen, self._remember and chosen is not None))

    def _fitting(self) -> list[int]:
        options = self.asked.options if self.asked else ()
        if self._typed.isdigit() and 1 <= int(self._typed) <= len(options):
            return [int(self._typed) - 1]
        words = fold(self._typed).split()
        return [i for i, o in enumerate(options) if all(w in fold(o.line()) for w in words)]

    def on_resize(self) -> None:
        if self.asked is not None and self.app.size.width != self._width:
            self._fill()

    def _fill(self) -> None:
        assert self.asked is not None
        self._moved, self._width = False, self.app.size.width
        options = self.asked.options
        lines = [self._line(i, option) for i, option in enumerate(options)]
        if max(line.cell_length for line in lines) > self._width - _BESIDE:
            lines = [self._line(i, option, 0) for i, option in enumerate(options)]
        rows: dict[str | None, Content] = {f"o{i}": lines[i] for i in self._fitting()}
        if self._typed:
            rows[FREE] = Content.assemble("Say: ", safe(short(self._typed)))
        else:
            rows[NONE] = Content(f"{len(options) + 1} None of these")
            rows[DECIDE] = Content(f"{len(options) + 2} You decide")
        self._options.fill(rows.values(), rows)
        self._hint()

    def _line(self, index: int, option: Option, bar_width: int = 8) -> Content:
        share = f"{bar(option.share, bar_width)} {option.share:4.0%}".lstrip()
        told = ". ".join(self._told(option))
        label = (short(option.label), "bold")
        return Content.assemble(f"{index + 1} {share}  ", label, f"  {short(told)}" if told else "")

    def _told(self, option: Option) -> list[str]:
        """What tells an option from the others, nothing twice: of one node all options say the same."""
        assert self.asked is not None
        if self._answers:
            return [f"-> {option.answers or 'nothing'}"]
        told = [about(option)] if len({o.iri for o in self.asked.options}) > 1 else []
        told += [option.fact] if option.fact and option.fact not in option.description else []
        words = option.path.replace("has ", "").replace(", then ", " ").casefold().split()
        return told + ([f"[{option.path}]"] if any(w not in option.label.casefold() for w in words) else [])

    def _hint(self) -> None:
        box = "x" if self._remember else " "
        keys = (
            "↑↓ number Enter choose · typing filters · Esc drops"
            if self.app.size.width >= 60
            else "↑↓ Enter · Esc drops"
        )
        self.query_one("#card-hint", Static).update(Content.styled(f"[{box}] remember (ctrl+r) · {keys}", "dim"))
