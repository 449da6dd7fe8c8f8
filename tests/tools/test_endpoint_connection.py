"""Endpoints that cannot be reached."""

import shutil
import socket
import ssl
import subprocess
import threading
from pathlib import Path

import pytest

from clear_kgqa_tools.endpoint import EndpointGraph
from clear_kgqa_tools.errors import EndpointError
from clear_kgqa_tools.graph import trusted
from tests.tools.misbehaving_server import MisbehavingServer

QUERY = trusted("SELECT ?x { ?s ?p ?x }")


def test_down_unknown_and_not_http() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(EndpointError, match="nothing listens there"):
        EndpointGraph(f"http://127.0.0.1:{port}/sparql").query(QUERY)
    with pytest.raises(EndpointError, match="cannot be used"):
        EndpointGraph("http://no-such-host.invalid/sparql").query(QUERY)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=answer_in_ssh, args=(listener,), daemon=True).start()
        with pytest.raises(EndpointError, match="does not speak HTTP"):
            EndpointGraph(f"http://127.0.0.1:{listener.getsockname()[1]}/").query(QUERY)


def answer_in_ssh(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(b"SSH-2.0-x\r\n")


def test_a_self_signed_certificate_is_refused_in_one_line(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    certificate = tmp_path / "certificate.pem"
    made = (
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "1",
                "-subj",
                "/CN=127.0.0.1",
                "-keyout",
                str(key),
                "-out",
                str(certificate),
            ],
            capture_output=True,
            check=False,
        )
        if shutil.which("openssl")
        else None
    )
    if made is None or made.returncode:
        pytest.skip("openssl is not installed")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with (
        MisbehavingServer(context) as server,
        pytest.raises(EndpointError, match="certificate is not trusted"),
    ):
        EndpointGraph(server.url("/")).query(QUERY)
