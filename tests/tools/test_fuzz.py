from collections.abc import Iterator

import pytest

from tests.tools.fuzz import CASES, Fuzz, targets


@pytest.fixture(scope="module")
def fuzz() -> Iterator[Fuzz]:
    with Fuzz() as running:
        yield running


@pytest.mark.parametrize("target", [0, 1, 2], ids=["query", "label", "body"])
def test_no_text_crashes_escapes_or_calls_elsewhere(fuzz: Fuzz, target: int) -> None:
    targets(fuzz, CASES, derandomize=True)[target][2]()
