"""An OpenAI-compatible server on loopback that says what a script says, faults included."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

KEY = "sk-test-0123456789abcdef"


@dataclass
class Raw:
    """A reply as bytes on the wire; `sleep` waits first, `hang_up` closes the connection instead."""

    status: int = 200
    body: str = ""
    content_type: str = "application/json"
    sleep: float = 0.0
    hang_up: bool = False


def completion(
    content: str | None = "",
    calls: list[tuple[str, Any]] | None = None,
    finish: str = "stop",
    ids: list[str] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A chat completion. `calls` are (name, arguments); arguments that are no string are written as JSON."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if calls is not None:
        message["tool_calls"] = [
            {
                "id": ids[i] if ids else f"c{i}",
                "type": "function",
                "function": {"name": n, "arguments": a if isinstance(a, str) else json.dumps(a)},
            }
            for i, (n, a) in enumerate(calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": finish, **more}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


def error(status: int, message: str, code: str = "") -> Raw:
    """An error as OpenAI words it."""
    return Raw(status, json.dumps({"error": {"message": message, "type": "invalid_request_error", "code": code}}))


@dataclass
class FaultyModelServer:
    """Answers POST /v1/chat/completions with `script` in order, the last for ever; `chats` holds the requests' JSON.

    `paths` maps other paths to JSON; a script entry may be a function of the request.
    """

    script: list[dict[str, Any] | Raw | Callable[[dict[str, Any]], dict[str, Any] | Raw]]
    paths: dict[str, Any] = field(default_factory=dict)
    chats: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def __enter__(self) -> FaultyModelServer:
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._http.shutdown()
        self._http.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def _next(self, request: dict[str, Any]) -> dict[str, Any] | Raw:
        with self._lock:
            self.chats.append(request)
            entry = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return entry(request) if callable(entry) else entry

    def _handler(self) -> Callable[..., BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.keys.append(self.headers.get("Authorization", ""))
                if not self.path.endswith("/chat/completions"):
                    self._send(Raw(404, "{}"))
                    return
                reply = server._next(request)
                if isinstance(reply, dict):
                    stream = request.get("stream")
                    reply = Raw(200, _chunks(reply), "text/event-stream") if stream else Raw(200, json.dumps(reply))
                server._stopping.wait(reply.sleep)
                self._send(reply)

            def do_GET(self) -> None:
                known = server.paths.get(self.path)
                self._send(Raw(200, json.dumps(known)) if known is not None else Raw(404, "{}"))

            def _send(self, reply: Raw) -> None:
                if reply.hang_up:
                    self.close_connection = True
                    self.connection.close()
                    return
                data = reply.body.encode()
                self.send_response(reply.status)
                self.send_header("Content-Type", reply.content_type)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def handle(self) -> None:
                try:
                    super().handle()
                except (OSError, ValueError):
                    self.close_connection = True  # the client went away, as tests of cancelling want

            def log_message(self, *args: Any) -> None:
                return

        return Handler


def _chunks(reply: dict[str, Any]) -> str:
    """The completion as server-sent events, text and arguments in pieces of five characters."""
    choice = reply["choices"][0]
    message = choice["message"]
    text = message.get("content") or ""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": text[i : i + 5]} for i in range(0, len(text), 5)]
    for at, call in enumerate(message.get("tool_calls") or []):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        deltas.append(
            {
                "tool_calls": [
                    {
                        "index": at,
                        "id": call["id"],
                        "type": "function",
                        "function": {"name": name, "arguments": ""},
                    }
                ]
            }
        )
        deltas += [
            {"tool_calls": [{"index": at, "function": {"arguments": arguments[i : i + 5]}}]}
            for i in range(0, len(arguments), 5)
        ]
    head = {"id": reply["id"], "object": "chat.completion.chunk", "created": 1, "model": "m"}
    events = [{**head, "choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in deltas]
    events.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
    events.append({**head, "choices": [], "usage": reply["usage"]})
    return "".join(f"data: {json.dumps(e)}\n\n" for e in events) + "data: [DONE]\n\n"
