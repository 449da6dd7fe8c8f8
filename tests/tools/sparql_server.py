"""The `oxigraph` package's own SPARQL server on loopback, with given data."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pyoxigraph as ox


@contextmanager
def sparql_server(turtle: str, timeout: int = 30) -> Iterator[str]:
    """The address of a server that holds the Turtle data and stops queries after `timeout` seconds."""
    program = shutil.which("oxigraph", path=str(Path(sys.executable).parent) + os.pathsep + os.defpath)
    assert program, "the package oxigraph is not installed"
    with TemporaryDirectory() as folder:
        store = ox.Store(folder)
        store.load(turtle.encode(), format=ox.RdfFormat.TURTLE)
        store.flush()
        del store
        address = f"127.0.0.1:{free_port()}"
        serve = ["serve-read-only", "--location", folder, "--bind", address, "--timeout-s", str(timeout)]
        running = subprocess.Popen([program, *serve], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(address)
            yield f"http://{address}/query"
        finally:
            running.kill()
            running.wait()


def free_port() -> int:
    """A port of loopback that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def wait_for(address: str, seconds: float = 10) -> None:
    """Wait until something listens there."""
    host, _, port = address.partition(":")
    for _ in range(int(seconds * 20)):
        with socket.socket() as probe:
            if probe.connect_ex((host, int(port))) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"no server came up at {address}")
