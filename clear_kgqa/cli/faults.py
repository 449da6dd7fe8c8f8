"""What went wrong, in one line on standard error, and the exit code that goes with it."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

import typer

from clear_kgqa.cli.output import complain
from clear_kgqa_tools.errors import Cancelled, ClearKgqaError, EndpointError, LimitExceeded

ANSWERED, FAULT, USAGE, AMBIGUOUS, NO_ANSWER, UNREACHABLE, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
UNREAD = 141  # what a shell reports for a program that SIGPIPE ends


def usage(error: typer.TyperException) -> int:
    """An option or argument that does not fit."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "clear-kgqa"
    complain(f"{error.format_message().rstrip('.')} (see {path} --help)")
    return USAGE


def expected(error: ClearKgqaError) -> int:
    """An error that the project raises on purpose."""
    complain(str(error))
    return exit_code(error)


def exit_code(error: ClearKgqaError) -> int:
    """Configuration and refused queries 2, endpoints and models 5, limits 4, interruptions 130."""
    if isinstance(error, EndpointError):
        return UNREACHABLE
    if isinstance(error, LimitExceeded):
        return NO_ANSWER
    return INTERRUPTED if isinstance(error, Cancelled) else USAGE


def unexpected(error: Exception) -> int:
    """A fault of our own: the traceback goes to a file that only the user can read."""
    text = "".join(traceback.format_exception(error))
    for secret in ("OPENAI_API_KEY", "CLEAR_KGQA_API_KEY"):
        if len(value := os.environ.get(secret, "")) >= 8:  # a shorter one is a placeholder, part of common words
            text = text.replace(value, f"<{secret}>")
    complain(f"internal fault ({type(error).__name__}); {_saved(text)}")
    return FAULT


def _saved(text: str) -> str:
    import platformdirs

    path = platformdirs.user_state_path("clear-kgqa", appauthor=False) / "last-fault.txt"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_private(path, f"clear-kgqa, Python {sys.version}\n{text}")
    except OSError as error:
        return f"its traceback could not be saved in {path} ({error.strerror})"
    return f"please report it with the traceback in {path}"


def _write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with open(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8", errors="replace"
    ) as out:
        out.write(text)
