"""What tests of several folders share: the demo graph, built once a run."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest


def pytest_configure() -> None:
    """A run in the background of a script (nohup, &) has Ctrl+C ignored, and so would the programs that are tested."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def demo_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for CLEAR_KGQA_CACHE in which the demo graph stands."""
    from clear_kgqa_tools.open_bundle import open_bundle

    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEAR_KGQA_CACHE", str(folder))
        open_bundle("demo").close()
    return folder
