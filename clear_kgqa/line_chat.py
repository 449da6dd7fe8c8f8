"""The conversation line by line: plain text in, plain text out, on a terminal or through pipes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from clear_kgqa.clarification import Clarification
from clear_kgqa.events import Answered, Asked, Event, Failed, Replied, Scored
from clear_kgqa.followup import Bound, Carried, Topic, topic_of
from clear_kgqa.strategy import Strategy
from clear_kgqa.turn import stoppable
from clear_kgqa_tools.errors import ClearKgqaError
from clear_kgqa_tools.text import cut, one_line

FIXED = ("none of these", "you decide")
ROWS = 20

HELP = """\
Type a question. When a question comes back, type a number, a name, or say it in your own words.
  /answers what each option of an open question would answer
  /why     how the last question was read, and what else it could have meant
  /sparql  the query behind the last answer
  /retry   ask the last question again
  /help    this text
  /quit    leave (so does the end of the input; Ctrl+C stops only the question)"""


class Conversation(Strategy, Protocol):
    """A strategy that knows which clarification is open, and takes what is settled beforehand."""

    @property
    def pending(self) -> Clarification | None: ...

    def start(self, question: str, bound: Bound = ()) -> Iterator[Event]:
        """Begin a turn in which some spans of the question already mean certain nodes."""


def menu(asked: Clarification) -> str:
    """The clarification with its options numbered, then "none of these" and "you decide"."""
    choices = [*(_short(option.line()) for option in asked.options), *FIXED]
    numbered = [f"  {number}. {choice}" for number, choice in enumerate(choices, 1)]
    return "\n".join([_short(asked.question), *numbered, "  Or say it in your own words."])


def answer_text(answer: Answered, attribution: str = "") -> str:
    """The answer, the reading of the question in one line, and what must stand beside it."""
    lines = [answer.text, *_rows(answer)]
    if answer.incomplete:
        lines.append("  (incomplete: the source left rows out)")
    lines.append(f"  Read as: {one_line(answer.interpretation)}")
    if attribution:
        lines.append(f"  Source: {attribution}")
    return "\n".join(lines)


def failure_text(failure: Failed) -> str:
    """Why there is no answer, and how the question was read."""
    read = f"\n  Read as: {one_line(failure.interpretation)}" if failure.interpretation else ""
    return f"No answer: {failure.reason}{read}"


def _rows(answer: Answered) -> list[str]:
    """The rows, where there are several columns; a single column stands in the sentence already."""
    if len(answer.columns) < 2:
        return []
    shown = [[_cell(cell) for cell in row] for row in answer.rows[:ROWS]]
    more = len(answer.rows) - len(shown)
    lines = [f"  {' | '.join(row)}" for row in (list(answer.columns), *shown)]
    return [*lines, f"  ... and {more:,} more rows"] if more else lines


def _cell(cell: dict[str, str] | None) -> str:
    return "" if cell is None else _short(cell.get("label") or next(iter(cell.values())))


def _short(text: str) -> str:
    """One line, however long a label is and whatever line ends it holds: it must not imitate a menu."""
    return cut(one_line(text), 300)


class LineChat:
    """Reads lines, runs turns and writes what comes of them.

    `read` returns the next line, None at the end of the input, and raises KeyboardInterrupt for Ctrl+C;
    `write` takes text that may hold anything a graph holds and makes it visible; `follow` completes a question that
    leans on the turn before.
    """

    def __init__(
        self,
        session: Conversation,
        read: Callable[[], str | None],
        write: Callable[[str], None],
        attribution: str = "",
        seconds: float = 120.0,
        follow: Callable[[str, Topic | None], Carried | None] = lambda question, topic: None,
    ) -> None:
        self.session, self.read, self.write, self.follow = session, read, write, follow
        self.attribution, self.seconds = attribution, seconds
        self.question = ""
        self.topic: Topic | None = None
        self._events: list[Event] = []
        self._bound: Bound = ()
        self.answer: Answered | None = None
        self.scored: Scored | None = None
        self.commands: dict[str, Callable[[], None]] = {
            "/answers": self.answers,
            "/why": self.why,
            "/sparql": self.sparql,
            "/retry": self.retry,
            "/help": lambda: self.write(HELP),
        }

    def run(self) -> None:
        """Converse until /quit or the end of the input."""
        while (line := self._next()) is not None:
            text = line.strip()
            if text in ("/quit", "/exit"):
                return
            if command := self.commands.get(text):
                command()
            elif text.startswith("/"):
                self.write(f"There is no command {text}; /help lists them.")
            elif text:
                self.say(text)

    def _next(self) -> str | None:
        while True:
            try:
                return self.read()
            except KeyboardInterrupt:
                self.write("\n(/quit leaves)")

    def say(self, text: str) -> None:
        """A reply where a clarification is open (the session knows one from a question), else a question."""
        if self.session.pending:
            self._turn(lambda: self.session.resume(text))
        else:
            self.ask(text)

    def ask(self, question: str) -> None:
        """A new turn."""
        carried = self.follow(question, self.topic)
        if carried is None:
            self._put(question)
        else:
            self.write(f"  {one_line(carried.line())}")
            self._put(carried.question, carried.bound())

    def _put(self, question: str, bound: Bound = ()) -> None:
        self._begin(question)
        self._bound = bound
        self._turn(lambda: self.session.start(question, bound))

    def _begin(self, question: str) -> None:
        self.question, self.answer, self.scored, self._events = question, None, None, []

    def _turn(self, begin: Callable[[], Iterator[Event]]) -> None:
        try:
            for event in stoppable(begin(), self.session.cancel, self.seconds):
                self._show(event)
        except KeyboardInterrupt:
            self.write("Stopped.")
        except ClearKgqaError as error:
            self.write(f"No answer: {error} (/retry asks again)")

    def _show(self, event: Event) -> None:
        self._events.append(event)
        match event:
            case Replied(kind="new_question"):
                self._begin(event.text)
                self._bound = ()
            case Replied(kind="unclear"):
                self.write("That fits none of these either; this is the most probable reading.")
            case Asked():
                self.write(menu(event.clarification))
            case Answered():
                self.answer = event
                self.topic = topic_of(self.question, self._events) or self.topic
                self.write(answer_text(event, self.attribution))
            case Failed():
                self.write(failure_text(event))
            case Scored():
                self.scored = event
            case _:
                pass

    def retry(self) -> None:
        """Ask the last question again."""
        if self.question:
            self._put(self.question, self._bound)
        else:
            self.write("No question yet.")

    def sparql(self) -> None:
        """Show the query behind the last answer."""
        self.write(self.answer.sparql if self.answer else "No answer yet.")

    def answers(self) -> None:
        """Show what each option of the open clarification would answer."""
        if asked := self.session.pending:
            told = (_short(f"{option.label}: {option.answers or 'nothing'}") for option in asked.options)
            self.write("\n".join(f"  {number}. {line}" for number, line in enumerate(told, 1)))
        else:
            self.write("No question is open.")

    def why(self) -> None:
        """Show the reading, and how the probability was shared among the candidates of each slot."""
        if not self.question:
            self.write("No question yet.")
            return
        lines = [f"Question: {self.question}"]
        if self.answer:
            lines.append(f"Read as: {self.answer.interpretation}")
        if self.scored:
            lines += _why(self.scored)
        self.write("\n".join(lines))


def _why(scored: Scored) -> list[str]:
    lines = []
    for score in scored.scores:
        lines.append(f"{score.kind} {score.slot}: ambiguity {score.score:.2f}, threshold {score.threshold:.2f}")
        lines += [f"  {c.posterior:5.1%}  {_short(f'{c.label} {c.iri}')}" for c in score.candidates]
    worth = f"asking would gain {scored.voi:.2f} F1 and costs {scored.price:.2f}"
    return [*lines, f"Expected loss when not asking: {scored.uncertainty:.2f}; {worth}"]
