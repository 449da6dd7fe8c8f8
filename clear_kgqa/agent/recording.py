"""Record what a model and a user said, and replay it without the model: the same events, byte for byte."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable
from pydantic import PrivateAttr

from clear_kgqa import __version__
from clear_kgqa.agent.one_message import OneMessageModel
from clear_kgqa.events import Answered, Event, Observation
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import Cancelled, ClearKgqaError, ConfigError, EndpointError

if TYPE_CHECKING:
    from clear_kgqa.readings.reader import Reader
    from clear_kgqa.session import Session

_PRIVATE = {"api_key", "config", "record", "session", "out", "questions", "gold", "predictions", "base_url"}
_ERRORS: dict[str, type[ClearKgqaError]] = {e.__name__: e for e in (Cancelled, ConfigError, EndpointError)}


class Recorder:
    """Appends JSON lines to a file that only its owner reads; keys never get in. Thread-safe."""

    def __init__(self, path: Path, settings: Settings, bundle: GraphBundle, silent: bool = False) -> None:
        self._secret = settings.api_key.get_secret_value() if settings.api_key else ""
        self._lock = Lock()
        try:
            self._file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"cannot record to {path}: {error.strerror} (one session a file)") from None
        self.write("made", {
            "version": __version__, "graph": bundle.name, "data_hash": bundle.data_hash, "silent": silent,
            "settings": settings.model_dump(mode="json", exclude=_PRIVATE),
        })  # fmt: skip

    def write(self, kind: str, data: Any) -> None:
        """One line; it is on disk when this returns, so that a crash leaves a recording too."""
        line = json.dumps({"kind": kind, "data": data}, ensure_ascii=False, sort_keys=True, default=str)
        if len(self._secret) >= 8:  # a shorter one is a placeholder, part of common words
            line = line.replace(self._secret, "<key>")
        with self._lock:
            self._file.write(line + "\n")
            self._file.flush()

    def close(self) -> None:
        self._file.close()


class _Pieces:
    """Passes streamed pieces on and keeps them."""

    def __init__(self, run_manager: Any) -> None:
        self._run_manager = run_manager
        self.kept: list[str] = []

    def on_llm_new_token(self, token: str) -> None:
        self.kept.append(token)
        if self._run_manager:
            self._run_manager.on_llm_new_token(token)


class RecordingModel(OneMessageModel):
    """Another model, everything it replies written down."""

    inner: Any
    recorder: Any

    @property
    def _llm_type(self) -> str:
        return "clear-kgqa-recording"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Runnable[Any, AIMessage]:
        """The tools are the inner model's."""
        return self.model_copy(update={"inner": self.inner.bind_tools(tools, **kwargs)})

    def cancel(self) -> None:
        """Cancel the inner model."""
        self.inner.cancel()

    def close(self) -> None:
        """Close the inner model."""
        self.inner.close()

    def say(self, messages: list[BaseMessage], run_manager: Any, **options: Any) -> AIMessage:
        """The inner model's reply, or its error."""
        pieces = _Pieces(run_manager)
        said: dict[str, Any] = {"request": fingerprint(messages)}
        try:
            message: AIMessage = self.inner.say(messages, pieces, **options)
        except ClearKgqaError as error:
            known = next((n for n, kind in _ERRORS.items() if isinstance(error, kind)), "EndpointError")
            self.recorder.write("reply", {**said, "error": known, "text": str(error)})
            raise
        reply = {
            "content": message.content,
            "tool_calls": message.tool_calls,
            "usage_metadata": message.usage_metadata,
        }
        self.recorder.write("reply", {**said, "message": reply, "pieces": pieces.kept})
        return message


class ReplayingModel(OneMessageModel):
    """Says what a recording says, in its order. Raises ConfigError where the conversation has become another one."""

    replies: list[dict[str, Any]]
    _next: list[int] = PrivateAttr(default_factory=lambda: [0])

    @property
    def _llm_type(self) -> str:
        return "clear-kgqa-replaying"

    def say(self, messages: list[BaseMessage], run_manager: Any, **options: Any) -> AIMessage:
        """The next reply of the recording."""
        at = self._next[0]
        if at >= len(self.replies):
            raise ConfigError(f"the recording ends after {at} replies of the model")
        reply = self.replies[at]
        if reply["request"] != fingerprint(messages):
            raise ConfigError(
                f"the recording does not fit: reply {at + 1} was given in another conversation "
                "(another question, graph, setting or version)"
            )
        self._next[0] = at + 1
        if "error" in reply:
            raise _ERRORS[reply["error"]](reply["text"])
        for piece in reply["pieces"]:
            if run_manager:
                run_manager.on_llm_new_token(piece)
        return AIMessage(**reply["message"])


def fingerprint(messages: list[BaseMessage]) -> str:
    """A hash of what a model was asked: kinds, texts and calls, without the random ids of messages."""
    told = [
        [m.type, m.content, [[c["id"], c["name"], c["args"]] for c in getattr(m, "tool_calls", [])]] for m in messages
    ]
    return hashlib.sha256(json.dumps(told, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:16]


def read(path: Path) -> list[tuple[str, Any]]:
    """A recording's lines as (kind, data). Raises ConfigError where it is none."""
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        out = [(str(line["kind"]), line["data"]) for line in lines]
    except OSError as error:
        raise ConfigError(f"cannot read the recording {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise ConfigError(f"{path} is not a recording") from None
    if not out or out[0][0] != "made":
        raise ConfigError(f"{path} is not a recording")
    return out


def replaying_model(path: Path) -> ReplayingModel:
    """The model of `--model replay:FILE`."""
    return ReplayingModel(replies=[data for kind, data in read(path) if kind == "reply"])


def replay(path: Path, bundle: GraphBundle, reader: Reader | None = None) -> Iterator[Event]:
    """The recorded conversation once more, over the same graph but without the model.

    Everything is done anew but the model's and the user's part; of the recorded events only the measured seconds of
    queries are taken. Raises ConfigError where the graph's data are others.
    """
    from clear_kgqa.session import REPLAY, make_session

    lines = read(path)
    made = lines[0][1]
    if made["data_hash"] != bundle.data_hash:
        raise ConfigError(f"{path} was recorded over other data of {made['graph']}")
    settings = Settings(**{**made["settings"], "model": f"{REPLAY}{path}"})
    session = make_session(bundle, settings, reader=reader, silent=made["silent"])
    recorded = iter([data for kind, data in lines if kind == "event"])
    for kind, told in lines:
        if kind in ("start", "resume"):
            for event in _started(session, told) if kind == "start" else session.resume(told):
                yield _timed(event, next(recorded, {}))


def _started(session: Session, told: str | dict[str, Any]) -> Iterator[Event]:
    """A turn as it was begun: a question, or one with the nodes that were bound to it."""
    if isinstance(told, str):
        return session.start(told)
    return session.start(told["question"], [(iri, (start, end)) for iri, (start, end) in told["bound"]])


def _timed(event: Event, recorded: dict[str, Any]) -> Event:
    """The event with the seconds that were measured when it was recorded."""
    if isinstance(event, Answered):
        return replace(event, seconds=recorded.get("seconds", event.seconds))
    if isinstance(event, Observation):
        return replace(event, data=_with_seconds(event.data, recorded.get("data")))
    return event


def _with_seconds(data: Any, recorded: Any) -> Any:
    if not (isinstance(data, dict) and isinstance(recorded, dict)):
        return data
    return {k: recorded.get(k, v) if k == "seconds" else _with_seconds(v, recorded.get(k)) for k, v in data.items()}
