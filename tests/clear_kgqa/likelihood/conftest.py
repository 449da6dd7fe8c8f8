from __future__ import annotations

import importlib.util

import pytest


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    """Tiny models gain nothing from threads, and on a busy machine threads that wait for each other cost ten
    times as much.
    """
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(1)
