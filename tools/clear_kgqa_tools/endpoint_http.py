"""One HTTP exchange that another thread can abort, with limits on connecting, silence, time and size."""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import threading
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from clear_kgqa_tools.errors import Cancelled, LimitExceeded


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, whatever its status."""

    status: int
    headers: Message
    body: bytes


class Exchange:
    """A request sent in a thread of its own: the caller is back when told to, even if the server sleeps."""

    def __init__(
        self,
        request: urllib.request.Request,
        on_end: Callable[[], None],
        connect_seconds: float,
        read_seconds: float,
        max_bytes: int,
    ) -> None:
        self._request = request
        self._connect_seconds, self._read_seconds, self._max_bytes = connect_seconds, read_seconds, max_bytes
        self._on_end = on_end
        self._socket: socket.socket | None = None
        self._over = threading.Event()
        self._outcome: Reply | Exception | None = None
        self._aborted = False
        self._dropped = False

    def run(self, seconds: float) -> Reply:
        """Send and wait; `on_end` is called once, when the connection is no longer in use.

        Raises LimitExceeded, Cancelled, or the transport's OSError, HTTPException, ValueError.
        """
        threading.Thread(target=self._send, daemon=True).start()
        if not self._over.wait(seconds):
            self._drop()
            raise LimitExceeded(f"the query was stopped after its limit of {seconds:g} seconds")
        if self._aborted:
            raise Cancelled("the query was cancelled")
        if isinstance(self._outcome, Reply):
            return self._outcome
        assert self._outcome is not None
        raise self._outcome

    def abort(self) -> None:
        """Let `run` raise Cancelled now and drop the connection."""
        self._aborted = True
        self._over.set()
        self._drop()

    def _send(self) -> None:
        try:
            self._outcome = self._exchange()
        except Exception as error:  # carried over to the caller's thread
            self._outcome = error
        finally:
            self._on_end()
            self._over.set()

    def _exchange(self) -> Reply:
        opener = _opener(self._request, self._connection)
        with opener.open(self._request, timeout=self._connect_seconds) as response:
            body = bytearray()
            while chunk := response.read1(1 << 16):
                body += chunk
                if len(body) > self._max_bytes:
                    raise LimitExceeded(f"the answer is over {self._max_bytes >> 20:,} MB; ask for less")
            if response.length:
                raise http.client.IncompleteRead(b"", response.length)
            return Reply(response.status, response.headers, bytes(body))

    def _connection(
        self, kind: type[http.client.HTTPConnection], host: str, **options: Any
    ) -> http.client.HTTPConnection:
        exchange = self

        class Connection(kind):  # type: ignore[misc, valid-type]
            def connect(self) -> None:
                if not exchange._dropped:
                    super().connect()
                    self.sock.settimeout(exchange._read_seconds)
                    exchange._socket = self.sock
                if exchange._dropped:
                    raise ConnectionAbortedError

        return Connection(host, **options)

    def _drop(self) -> None:
        """Wake the sending thread from whatever it waits for; its outcome counts no more."""
        self._dropped = True
        if self._socket:
            with contextlib.suppress(OSError):  # closed already
                self._socket.shutdown(socket.SHUT_RDWR)


def _opener(request: urllib.request.Request, connection: Callable[..., Any]) -> urllib.request.OpenerDirector:
    """Proxies as the environment says (never for loopback); no redirects; every status is handed on."""

    class Plain(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(partial(connection, http.client.HTTPConnection), req)

    class Secure(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(partial(connection, http.client.HTTPSConnection), req)

    opener = urllib.request.OpenerDirector()
    loopback = is_loopback(urlsplit(request.full_url).hostname or "")
    for handler in (urllib.request.ProxyHandler({} if loopback else None), Plain(), Secure()):
        opener.add_handler(handler)
    return opener


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
