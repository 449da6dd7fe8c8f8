"""The conversation line by line: plain text in, plain text out, on a terminal or through pipes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Protocol

from clear_kgqa.clarification import Clarification
from clear_kgqa.events import Answered, Asked, Event, Failed, Replied, Scored
from clear_kgqa.followup import Bound, Carried, Topic, topic_of
from clear_kgqa.kept_turns import DROPPED, KeptTurns
from clear_kgqa.line_text import answer_text, failure_text, menu, short, why_asked, why_text
from clear_kgqa.remembered import ChosenBefore
from clear_kgqa.session_store import Turn
from clear_kgqa.strategy import Strategy
from clear_kgqa.turn import stoppable
from clear_kgqa_tools.errors import ClearKgqaError
from clear_kgqa_tools.text import one_line

HELP = """\
Type a question. When a question comes back, type a number, a name, or say it in your own words.
  /answers what each option of an open question would answer
  /why     how the last question was read, and what else it could have meant
  /sparql  the query behind the last answer
  /retry   ask the last question again
  /undo    ask it again without the choice that was made in it
           (/why N, /sparql N, /retry N: of question N, from 1)
  /help    this text
  /quit    leave (so does the end of the input; Ctrl+C stops only the question)"""


class Conversation(Strategy, Protocol):
    """A strategy that knows which clarification is open, and takes what is settled beforehand."""

    @property
    def pending(self) -> Clarification | None: ...

    def start(self, question: str, bound: Bound = ()) -> Iterator[Event]:
        """Begin a turn in which some spans of the question already mean certain nodes."""


class LineChat:
    """Reads lines, runs turns and writes what comes of them.

    `read` returns the next line, None at the end of the input, and raises KeyboardInterrupt for Ctrl+C;
    `write` takes text that may hold anything a graph holds and makes it visible; `follow` completes a question that
    leans on the turn before; `kept` are the turns of a saved conversation to go on with.
    """

    def __init__(
        self,
        session: Conversation,
        read: Callable[[], str | None],
        write: Callable[[str], None],
        attribution: str = "",
        seconds: float = 120.0,
        follow: Callable[[str, Topic | None], Carried | None] = lambda question, topic: None,
        kept: KeptTurns | None = None,
    ) -> None:
        self.session, self.read, self.write, self.follow = session, read, write, follow
        self.attribution, self.seconds = attribution, seconds
        self.kept = kept or KeptTurns()
        self.topic, self.chosen = self.kept.topic(), ChosenBefore()
        self.commands: dict[str, Callable[[], object]] = {
            "/answers": self.answers,
            "/undo": self.undo,
            "/help": lambda: self.write(HELP),
            "/quit": lambda: True,
            "/exit": lambda: True,
        }
        self.of_a_turn: dict[str, Callable[[Turn], None]] = {
            "/why": self.why,
            "/sparql": self.sparql,
            "/retry": self.retry,
        }

    def run(self) -> None:
        """Converse until /quit or the end of the input; a clarification that a saved conversation left open is first."""
        if asked := self.session.pending:
            self.write(menu(asked))
        while (line := self._next()) is not None:
            text = line.strip()
            if text.startswith("/"):
                if self._command(*text.partition(" ")[::2]):
                    return
            elif text:
                self.say(text)

    def _next(self) -> str | None:
        while True:
            try:
                return self.read()
            except KeyboardInterrupt:
                self.write("\n(/quit leaves)")

    def _command(self, name: str, given: str) -> bool:
        """Run a command, or say why it cannot be; True where it ends the conversation."""
        if act := self.of_a_turn.get(name):
            turn = self._turn_numbered(given.strip())
            if isinstance(turn, str):
                self.write(turn)
            else:
                act(turn)
        elif name not in self.commands:
            self.write(f"There is no command {name}; /help lists them.")
        elif given:
            self.write(f"{name} takes nothing after it; /help lists the commands.")
        else:
            return self.commands[name]() is True
        return False

    def _turn_numbered(self, given: str) -> Turn | str:
        """The turn of that number, from 1, the last where none is given; else why there is none."""
        turns = self.kept.turns
        if not turns:
            return "No question yet."
        number = int(given) if re.fullmatch("[0-9]{1,9}", given) else 0
        if given and not 1 <= number <= len(turns):
            return f"{short(given)} is no question's number; there are 1 to {len(turns)}."
        return turns[number - 1]

    def say(self, text: str) -> None:
        """A reply where a clarification is open (the session knows one from a question), else a question."""
        asked, turn = self.session.pending, self.kept.last
        if asked and turn:
            self._turn(turn, lambda: self.chosen.noting(asked, turn.asked, self.session.resume(text)))
        else:
            self.ask(text)

    def ask(self, question: str) -> None:
        """A new turn."""
        carried = self.follow(question, self.topic)
        if carried is None:
            self._put(question, question)
        else:
            self.write(f"  {one_line(carried.line())}")
            self._put(question, carried.question, carried.bound())

    def _put(self, question: str, asked: str, bound: Bound = ()) -> None:
        if self.session.pending and self.kept.last:
            self.kept.happened(self.kept.last, DROPPED)
        turn = self.kept.begin(question, asked, bound)
        self._turn(turn, lambda: self.session.start(asked, bound))

    def _turn(self, turn: Turn, begin: Callable[[], Iterator[Event]]) -> None:
        known: int | None = None
        try:
            for event in stoppable(begin(), self.session.cancel, self.seconds):
                self.kept.happened(turn, event)
                if isinstance(event, Replied) and event.kind == "new_question":
                    turn = self.kept.begin(event.text, event.asked or event.text)
                known = self.chosen.option(event.clarification, turn.asked) if isinstance(event, Asked) else None
                self._show(event, turn, known)
        except KeyboardInterrupt:
            self.kept.happened(turn, Failed("cancelled", "Stopped."))
            self.write("Stopped.")
        except ClearKgqaError as error:
            self.kept.happened(turn, Failed("endpoint", str(error)))
            self.write(f"No answer: {error} (/retry asks again)")
        if known is not None:
            self._turn(turn, lambda: self.session.resume(str(known + 1)))

    def _show(self, event: Event, turn: Turn, known: int | None) -> None:
        match event:
            case Asked() if known is not None:
                self.write(f"  As chosen before: {short(event.clarification.options[known].line())} (/undo asks again)")
            case Replied(kind="new_question") if event.asked:
                self.write(f"  {one_line(Carried(event.asked, event.text, '', '').line())}")
            case Replied(kind="why") if self.session.pending:
                self.write(why_asked(self.session.pending))
            case Replied(kind="unclear"):
                self.write("That fits none of these either; this is the most probable reading.")
            case Asked():
                self.write(menu(event.clarification))
            case Answered():
                self.topic = topic_of(turn.asked, turn.events) or self.topic
                self.write(answer_text(event, self.attribution))
            case Failed():
                self.write(failure_text(event))
            case _:
                pass

    def retry(self, turn: Turn) -> None:
        """Ask a question again."""
        self._put(turn.question, turn.asked, turn.bound)

    def undo(self) -> None:
        """Ask the last question again, and what was chosen in it as well."""
        turn = self.kept.last
        if turn and self.chosen.forget(turn):
            self.retry(turn)
        else:
            self.write("No choice was made in the last question.")

    def sparql(self, turn: Turn) -> None:
        """Show the query behind an answer."""
        answer = turn.last(Answered)
        self.write(answer.sparql if answer else "No answer yet.")

    def answers(self) -> None:
        """Show what each option of the open clarification would answer."""
        if asked := self.session.pending:
            told = (short(f"{option.label}: {option.answers or 'nothing'}") for option in asked.options)
            self.write("\n".join(f"  {number}. {line}" for number, line in enumerate(told, 1)))
        else:
            self.write("No question is open.")

    def why(self, turn: Turn) -> None:
        """Show the reading, and how the probability was shared among the candidates of each slot."""
        lines = [f"Question: {turn.asked}"]
        if answer := turn.last(Answered):
            lines.append(f"Read as: {answer.interpretation}")
        if scored := turn.last(Scored):
            lines += why_text(scored)
        self.write("\n".join(lines))
