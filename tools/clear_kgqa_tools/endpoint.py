"""A SPARQL 1.1 endpoint over HTTP: SPARQLWrapper builds the request, the reading of the reply is our own."""

from __future__ import annotations

import email.utils
import http.client
import json
import math
import os
import platform
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from urllib.parse import unquote, urlsplit, urlunsplit

from clear_kgqa_tools.endpoint_http import Exchange, Reply
from clear_kgqa_tools.endpoint_reply import RETRIED, result
from clear_kgqa_tools.errors import Cancelled, ClearKgqaError, ConfigError, EndpointError, LimitExceeded, QueryError
from clear_kgqa_tools.graph import CheckedQuery, Limits
from clear_kgqa_tools.terms import QueryResult
from clear_kgqa_tools.text import cut, one_line

REQUESTS_PER_HOST = 4
_slots: dict[str, threading.BoundedSemaphore] = {}
_slots_lock = threading.Lock()

OnWait = Callable[[float, str], None]


class EndpointGraph:
    """A KnowledgeGraph behind an http(s) URL, asked by POST. Safe to call from several threads.

    `connect_seconds` bounds connecting, `read_seconds` silence, the query's limits the whole of one attempt, `within` all attempts of all queries.
    Statuses 429, 502, 503 and 504 are tried again up to `retries` times after Retry-After, unless that is more than
    the query's own limit or `max_wait` seconds; `on_wait(seconds, why)` is told. Credentials come from the URL or from
    CLEAR_KGQA_ENDPOINT_USER, _PASSWORD and _HEADERS (a JSON object); with CLEAR_KGQA_ENDPOINT_HOST they go to
    that host alone.
    """

    def __init__(
        self,
        url: str,
        limits: Limits = Limits(seconds=30.0),
        *,
        connect_seconds: float = 5.0,
        read_seconds: float = 60.0,
        retries: int = 2,
        max_wait: float = 30.0,
        on_wait: OnWait | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.limits = limits
        self._url, user, password = _split(url)
        self._connect_seconds, self._read_seconds = connect_seconds, read_seconds
        self._retries, self._max_wait, self.on_wait = retries, max_wait, on_wait
        self._user, self._password, self._headers = _credentials(self._url, user, password, environment)
        self._slots = _slots_of(urlsplit(self._url).netloc)
        self._running: set[_Call] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._whole: tuple[float, float] | None = None

    @property
    def url(self) -> str:
        """The address fit to be shown: without credentials and parameters."""
        return urlsplit(self._url)._replace(query="", fragment="").geturl()

    def query(self, query: CheckedQuery, limits: Limits | None = None) -> QueryResult:
        """Run the query; raises QueryError, LimitExceeded, EndpointError or Cancelled."""
        if self._closed:
            raise QueryError("this graph has been closed")
        call = _Call()
        with self._lock:
            self._running.add(call)
        try:
            return self._attempts(call, query, limits or self.limits)
        finally:
            with self._lock:
                self._running.discard(call)

    @contextmanager
    def within(self, seconds: float, limit: float | None = None) -> Iterator[None]:
        """What is asked inside ends after so many seconds altogether, retries and waits included.

        The error then names `limit`, the user's own, of which `seconds` are what is left.
        """
        self._whole = time.monotonic() + seconds, seconds if limit is None else limit
        try:
            yield
        finally:
            self._whole = None

    def cancel(self) -> None:
        """Let every running query raise Cancelled now, whatever the server does."""
        with self._lock:
            for call in self._running:
                call.cancel()

    def close(self) -> None:
        self._closed = True
        self.cancel()

    def _attempts(self, call: _Call, query: CheckedQuery, limits: Limits) -> QueryResult:
        for attempt in range(self._retries + 1):
            start = time.perf_counter()
            reply = self._send(call, query, limits)
            if reply.status not in RETRIED or attempt == self._retries:
                break
            told = retry_after(reply.headers.get("Retry-After"), time.time())
            pause = min(2.0**attempt, self._max_wait) if told is None else told
            if (told or 0.0) > min(self._max_wait, limits.seconds) or pause >= self._left():
                break
            self._wait(call, reply.status, pause)
        try:
            return result(reply, query, limits, self.url, time.perf_counter() - start)
        except ClearKgqaError as error:
            raise type(error)(self._without_secrets(str(error))) from None

    def _send(self, call: _Call, query: CheckedQuery, limits: Limits) -> Reply:
        request, seconds = self._request(query), min(limits.seconds, self._left())
        while not self._slots.acquire(timeout=0.1):
            call.check()
        exchange = Exchange(
            request,
            self._slots.release,
            self._connect_seconds,
            self._read_seconds,
            (limits.megabytes << 20) // 8,
        )
        try:
            return call.run(exchange, seconds)
        except LimitExceeded:
            self._left()
            raise
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise EndpointError(self._unreachable(error)) from None

    def _left(self) -> float:
        """Seconds left of what `within` allows; raises LimitExceeded where none are."""
        if self._whole is None:
            return math.inf
        end, limit = self._whole
        if (left := end - time.monotonic()) < 0.01:
            raise LimitExceeded(f"{self.url} gave no answer within the limit of {limit:g} seconds")
        return left

    def _wait(self, call: _Call, status: int, seconds: float) -> None:
        if self.on_wait:
            self.on_wait(seconds, f"{self.url} answered {status}; trying again in {seconds:.0f} s")
        call.sleep(seconds)

    def _request(self, query: CheckedQuery) -> urllib.request.Request:
        from SPARQLWrapper import JSON, POST, TURTLE, SPARQLWrapper

        wrapper = SPARQLWrapper(self._url, agent=_agent())
        wrapper.setMethod(POST)
        wrapper.setOnlyConneg(True)
        wrapper.setReturnFormat(TURTLE if query.form in ("construct", "describe") else JSON)
        # Not setQuery: it guesses the form by regular expression, and an IRI can make a query an update.
        wrapper.queryString, wrapper.queryType = query.text, query.form.upper()
        if self._user:
            wrapper.setCredentials(self._user, self._password)
        for name, value in self._headers.items():
            wrapper.addCustomHttpHeader(name, value)
        request: urllib.request.Request = wrapper._createRequest()
        return request

    def _unreachable(self, error: Exception) -> str:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        why = _why(reason, self._connect_seconds, self._read_seconds)
        return self._without_secrets(f"{self.url} cannot be used: {why}")

    def _without_secrets(self, text: str) -> str:
        for secret in (self._password, *self._headers.values(), urlsplit(self._url).query):
            text = text.replace(secret, "***") if secret else text
        return text


class _Call:
    """One query in progress, over all its attempts."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self._exchange: Exchange | None = None

    def run(self, exchange: Exchange, seconds: float) -> Reply:
        self._exchange = exchange
        if self._cancelled.is_set():
            exchange.abort()
        return exchange.run(seconds)

    def cancel(self) -> None:
        self._cancelled.set()
        if self._exchange:
            self._exchange.abort()

    def sleep(self, seconds: float) -> None:
        self._cancelled.wait(seconds)
        self.check()

    def check(self) -> None:
        if self._cancelled.is_set():
            raise Cancelled("the query was cancelled")


def retry_after(header: str | None, now: float) -> float | None:
    """Seconds to wait by a Retry-After header in either of its forms; None where absent or unreadable."""
    text = (header or "").strip()
    if text.isdecimal():
        return float(text[:9])
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def _split(url: str) -> tuple[str, str, str]:
    """The URL without its user information, the user and the password."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ConfigError("the endpoint's address is not a valid URL") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigError("an endpoint's address begins with http:// or https:// and names a host")
    netloc = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    bare = urlunsplit((parts.scheme, netloc, parts.path or "/", parts.query, ""))
    return bare, unquote(parts.username or ""), unquote(parts.password or "")


def _credentials(url: str, user: str, password: str, environment: Mapping[str, str]) -> tuple[str, str, dict[str, str]]:
    """User, password and headers for this endpoint."""
    only = environment.get("CLEAR_KGQA_ENDPOINT_HOST", "")
    if only and only.lower() not in (urlsplit(url).netloc, urlsplit(url).hostname):
        return user, password, {}
    if not user:
        user = environment.get("CLEAR_KGQA_ENDPOINT_USER", "")
        password = environment.get("CLEAR_KGQA_ENDPOINT_PASSWORD", "")
    try:
        headers = json.loads(environment.get("CLEAR_KGQA_ENDPOINT_HEADERS") or "{}")
        if any(ord(c) < 0x20 for pair in headers.items() for c in "".join(pair)):
            raise ValueError("line break")
        return user, password, dict(headers)
    except (ValueError, AttributeError, TypeError):
        raise ConfigError('CLEAR_KGQA_ENDPOINT_HEADERS must be a JSON object: {"Name": "value"}') from None


def _slots_of(host: str) -> threading.BoundedSemaphore:
    with _slots_lock:
        return _slots.setdefault(host, threading.BoundedSemaphore(REQUESTS_PER_HOST))


@cache
def _agent() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        own = version("clear-kgqa")
    except PackageNotFoundError:
        own = "dev"
    return f"clear-kgqa/{own} (question answering over knowledge graphs) Python/{platform.python_version()}"


def _why(reason: object, connect_seconds: float, read_seconds: float) -> str:
    """A transport error in plain words."""
    if isinstance(reason, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({reason.verify_message}); add its authority to SSL_CERT_FILE"
    if isinstance(reason, ssl.SSLError):
        return f"no secure connection ({reason.reason or 'TLS error'})"
    if isinstance(reason, socket.gaierror):
        return "its host name is not known"
    if isinstance(reason, ConnectionRefusedError):
        return "nothing listens there (connection refused)"
    if isinstance(reason, TimeoutError):
        return f"no answer ({connect_seconds:g} s to connect, {read_seconds:g} s of silence are allowed)"
    if isinstance(reason, (http.client.IncompleteRead, ConnectionError)):
        return "the connection broke off before the answer was complete"
    if isinstance(reason, http.client.HTTPException):
        return f"it does not speak HTTP ({type(reason).__name__})"
    return cut(one_line(str(reason)), 200) or type(reason).__name__
