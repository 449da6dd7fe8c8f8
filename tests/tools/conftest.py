"""Servers that tests share."""

from collections.abc import Iterator

import pytest

from tests.tools.misbehaving_server import MisbehavingServer


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with MisbehavingServer() as running:
        yield running
