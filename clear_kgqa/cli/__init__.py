"""The command line: `clear-kgqa`. Each command lives in a module that is imported only when it runs."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from clear_kgqa import __version__
from clear_kgqa_tools.errors import ClearKgqaError

COMMANDS = {
    "chat": ("chat", "Ask questions in a conversation."),
    "ask": ("ask", "Answer one question, asking back when it must."),
    "query": ("query", "Run one checked, read-only SPARQL query."),
    "kg": ("kg", "Add, list, inspect and remove knowledge graphs."),
    "evaluate": ("evaluate", "Answer many questions with a simulated user."),
    "report": ("report", "Report on run folders: one HTML page, Markdown or CSV."),
    "thresholds": ("thresholds", "Search the grid of entity and intent thresholds."),
    "tables": ("tables", "Run all of a dataset's tables into one report."),
    "rewrite": ("rewrite", "Make questions unambiguous by their gold queries."),
    "import": ("import_questions", "Turn a published benchmark's file into questions."),
    "score": ("score", "Score a file of predictions against gold answers."),
    "ambiguity": ("ambiguity", "Score a scorer against labelled questions."),
    "homonyms": ("homonyms", "Share names: a labelled clarification benchmark."),
    "icl": ("icl", "Compare ways to choose examples for a prompt."),
    "fit": ("fit", "Fit the weights of the posterior on questions with gold."),
    "finetune": ("finetune", "Fine-tune the helper and the agent on recorded dialogues."),
    "mcp": ("mcp", "Serve the graph to MCP clients on standard input."),
    "doctor": ("doctor", "Say what is installed and what answers."),
}
"""Name on the command line -> (module in this package, one line of help)."""


class LazyGroup(TyperGroup):
    """A group whose commands are placeholders until one of them is run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Name, command and remaining arguments; the command comes from its own module."""
        name, _, rest = super().resolve_command(ctx, args)
        if name not in COMMANDS:
            return name, None, rest
        module = import_module(f"{__name__}.{COMMANDS[name][0]}")
        return name, typer.main.get_command(module.app), rest


def run() -> NoReturn:
    """`main` as a program, which ends without taking every module apart: that takes a quarter of a question's time."""
    code = 1
    atexit.register(lambda: _leave(code))  # the first to be registered is the last to run
    code = main()
    sys.exit(code)


def _leave(code: int) -> NoReturn:
    with suppress(OSError):  # nobody reads it any more
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def main(args: list[str] | None = None) -> int:
    """Run the command line and return its exit code (0 answered, 1 fault, 2 usage, 3 ambiguous, ...)."""
    from clear_kgqa.cli import faults

    _tolerate_odd_text()
    # The products of a question are small: numpy's second thread would spend more on waiting than it helps.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code = _application()(args or sys.argv[1:] or ["--help"], prog_name="clear-kgqa", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except typer.TyperException as error:
        return faults.usage(error)
    except ClearKgqaError as error:
        return faults.expected(error)
    except (KeyboardInterrupt, typer.Abort):
        return faults.INTERRUPTED
    except SystemExit:  # typer's word for an output that nobody reads any more (`| head`)
        return faults.UNREAD
    except Exception as error:  # the outermost edge: one line for the user, the traceback in a file
        return faults.unexpected(error)


def _application() -> typer.Typer:
    app = typer.Typer(cls=LazyGroup, add_completion=False, rich_markup_mode=None)
    app.callback(help="Question answering over knowledge graphs that asks back when the answer depends on it.")(
        _options
    )
    for name, (_, line) in COMMANDS.items():
        app.command(name, help=line)(_placeholder)
    return app


def _placeholder() -> None:
    """Stands in for a command in the list of commands."""


def _version(wanted: bool) -> None:
    if wanted:
        print(f"clear-kgqa {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    """What stands before the command."""


def _tolerate_odd_text() -> None:
    """An output that cannot show a character must not end the program, nor a stray byte on standard input."""
    for stream, errors in (
        (sys.stdout, "backslashreplace"),
        (sys.stderr, "backslashreplace"),
        (sys.stdin, "replace"),
    ):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=errors)
