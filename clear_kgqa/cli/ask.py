"""`clear-kgqa ask`: one question, one answer, one exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from clear_kgqa.cli import faults, options
from clear_kgqa.cli.output import complain, say, say_json
from clear_kgqa.cli.terminal_user import TerminalUser
from clear_kgqa_tools.errors import ConfigError, EndpointError

if TYPE_CHECKING:
    from clear_kgqa.clarification import Clarification
    from clear_kgqa.settings import Settings
    from clear_kgqa.strategy import Strategy

app = typer.Typer(add_completion=False, rich_markup_mode=None)

Replier = Callable[["Clarification"], str | None]


@app.command(help="Answer one question, asking back on the terminal when the answer depends on it.")
def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    kg: options.Kg = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    strategy: options.Strategy = None,
    json_output: options.AsJson = None,
    assume_best: Annotated[
        bool | None, typer.Option("--assume-best", help="Never ask back: take the best reading.")
    ] = None,
    fail_if_ambiguous: Annotated[
        bool | None,
        typer.Option("--fail-if-ambiguous", help="Never ask back: exit with 3 and list the readings."),
    ] = None,
    likelihood: options.Likelihood = None,
    timeout: options.Timeout = None,
    language: options.Language = None,
    mars_without: options.MarsWithout = None,
    examples: options.Examples = None,
    examples_from: options.ExamplesFrom = None,
    ontology: options.Ontology = None,
    ontology_tokens: options.OntologyTokens = None,
    wrapper: options.Wrapper = None,
    note: options.Note = None,
    services: options.Services = None,
    config: options.Config = None,
) -> int:
    """Exit codes: 0 answered, 3 ambiguous, 4 no answer, 5 unreachable, 130 interrupted."""
    given = {name: value for name, value in locals().items() if name != "question"}
    from clear_kgqa.answer_json import answer_json
    from clear_kgqa.settings import load_settings

    settings = load_settings(**given)
    if settings.assume_best and settings.fail_if_ambiguous:
        raise ConfigError("--assume-best and --fail-if-ambiguous exclude each other; give one of them")
    turn = Turn(question)
    turn.run(settings, _replier(settings))
    if settings.json_output:
        say_json(answer_json(question, turn.events, turn.seconds))
    else:
        _print(turn)
    return turn.exit_code()


class Turn:
    """The one turn of `ask`: its events, and the seconds it took without the waiting for replies."""

    def __init__(self, question: str) -> None:
        from clear_kgqa.events import Event

        self.question = question
        self.events: list[Event] = []
        self.seconds = 0.0
        self.attribution = ""

    def run(self, settings: Settings, replier: Replier | None) -> None:
        """Fill in the events; an unreachable endpoint and Ctrl+C become the last of them."""
        from clear_kgqa.cli.opening import opened_session
        from clear_kgqa.events import Failed

        try:
            with opened_session(settings) as (bundle, session):
                self.attribution = bundle.attribution
                self.seconds = bundle.contact_seconds
                self._converse(session, settings.timeout, replier)
        except EndpointError as error:
            self.events.append(Failed("endpoint", str(error)))
        except KeyboardInterrupt:
            self.events.append(Failed("cancelled", "Stopped."))

    def _converse(self, session: Strategy, timeout: float, replier: Replier | None) -> None:
        from clear_kgqa.events import Asked
        from clear_kgqa.turn import stoppable

        stream = session.start(self.question)
        while True:
            begun = monotonic() - self.seconds
            for event in stoppable(stream, session.cancel, timeout - self.seconds, timeout):
                self.events.append(event)
                self.seconds = monotonic() - begun
            last = self.events[-1]
            if not isinstance(last, Asked) or replier is None:
                return
            stream = session.resume(replier(last.clarification))

    def exit_code(self) -> int:
        """The code that the last event stands for."""
        from clear_kgqa.events import Answered, Asked, Failed

        match self.events[-1]:
            case Answered():
                return faults.ANSWERED
            case Asked():
                return faults.AMBIGUOUS
            case Failed(kind="endpoint" | "model"):
                return faults.UNREACHABLE
            case Failed(kind="cancelled"):
                return faults.INTERRUPTED
            case _:
                return faults.NO_ANSWER


def _replier(settings: Settings) -> Replier | None:
    """Who answers a clarification: the best reading, nobody, or the person at the terminal."""
    if settings.assume_best:
        return lambda _: None
    if settings.fail_if_ambiguous or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    return TerminalUser().reply


def _print(turn: Turn) -> None:
    from clear_kgqa.events import Answered, Asked, Failed
    from clear_kgqa.line_text import answer_text, menu

    match turn.events[-1]:
        case Answered() as answer:
            say(answer_text(answer, turn.attribution))
            say(f"  SPARQL: {' '.join(answer.sparql.split())}")
        case Asked(clarification=asked):
            say(menu(asked), sys.stderr)
            complain("ambiguous; ask more precisely, or let --assume-best decide")
        case Failed() as failure:
            complain(f"no answer: {failure.reason}")
        case _:
            complain("no answer")
