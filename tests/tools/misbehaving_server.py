"""A small HTTP server on loopback that answers each path as scripted, however wrongly."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs

JSON = "application/sparql-results+json"
ONE_ROW = b'{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"1"}}]}}'


@dataclass
class Answer:
    """A scripted reply. No `content_type` sends none; `sleep` waits first; `cut` promises more than comes."""

    status: int = 200
    body: bytes = ONE_ROW
    content_type: str | None = JSON
    headers: dict[str, str] = field(default_factory=dict)
    sleep: float = 0.0
    cut: bool = False


@dataclass
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def query(self) -> str:
        return parse_qs(self.body.decode())["query"][0]


class MisbehavingServer:
    """Serves `script[path]` answers in order, the last one for ever; keeps what it saw in `seen`."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.script: dict[str, list[Answer]] = {}
        self.seen: list[Seen] = []
        self.most_at_once = 0
        self._now = 0
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._scheme = "http"
        if context:
            self._scheme = "https"
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> MisbehavingServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def url(self, path: str, *answers: Answer) -> str:
        """The address of a path that gives these answers."""
        self.script[path] = list(answers) or [Answer()]
        return f"{self._scheme}://127.0.0.1:{self.port}{path}"

    def _next(self, seen: Seen) -> Answer:
        with self._lock:
            self.seen.append(seen)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
            answers = self.script.get(seen.path.partition("?")[0]) or [Answer(404)]
            return answers.pop(0) if len(answers) > 1 else answers[0]

    def _handler(self) -> Callable[..., BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                answer = server._next(Seen(self.command, self.path, dict(self.headers.items()), body))
                try:
                    server._stopping.wait(answer.sleep)
                    self._send(answer)
                finally:
                    with server._lock:
                        server._now -= 1

            do_GET = do_POST

            def _send(self, answer: Answer) -> None:
                self.send_response(answer.status)
                if answer.content_type is not None:
                    self.send_header("Content-Type", answer.content_type)
                self.send_header("Content-Length", str(len(answer.body) + (100 if answer.cut else 0)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            def handle(self) -> None:
                try:
                    super().handle()
                except (ConnectionError, ssl.SSLError):
                    self.close_connection = True  # the client went away, as tests of cancelling want

            def log_message(self, *args: Any) -> None:
                return

        return Handler
