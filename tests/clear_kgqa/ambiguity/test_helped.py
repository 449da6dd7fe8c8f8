"""What a question likelihood adds to the posterior over readings, by completions servers of known values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clear_kgqa.ambiguity.contexts import Contexts
from clear_kgqa.ambiguity.helped import helped
from clear_kgqa.events import Answered, Asked, Event, Failed, Scored
from clear_kgqa.likelihood.openai import OpenAILikelihood
from clear_kgqa.readings.posterior import Posterior
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import Session, make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from tests.clear_kgqa.likelihood.test_openai import Reply, serving, tokens

EX = "http://ex.org/"
QUESTION = "What is the population of Springfield?"
CUE = "\nQuestion: "


def knowing(**nats: float) -> Reply:
    """A model that gives a question, after a text that names one of the words, those nats a token, and knows copies."""

    def value(words: list[str], at: int) -> float:
        before = "".join(words[:at])
        known = next((n for word, n in nats.items() if word in before), None) if CUE.strip() in before else None
        return known if known is not None else math.log(0.5 if words[at] in words[:at] else 0.001)

    def reply(body: dict[str, Any]) -> tuple[int, Any]:
        choices = []
        for index, prompt in enumerate(body["prompt"]):
            words = tokens(prompt)
            entries = (
                {str(at): {"logprob": value(words, at), "decoded_token": words[at]}} for at in range(1, len(words))
            )
            choices.append({"index": index, "text": "", "prompt_logprobs": [None, *entries]})
        return 200, {"choices": choices}

    return reply


def entity(posterior: Posterior, i: int) -> str:
    return posterior.readings[i].entities[0].node.iri.removeprefix(EX)


def mass(posterior: Posterior, name: str) -> float:
    return sum(float(p) for i, p in enumerate(posterior.p) if entity(posterior, i) == name)


def permuted(posterior: Posterior, order: list[int]) -> Posterior:
    chosen = np.array(order)
    return Posterior(
        [posterior.readings[i] for i in order],
        [posterior.answers[i] for i in order],
        posterior.p[chosen],
        posterior.null,
        posterior.f1[np.ix_(chosen, chosen)],
    )


class Known:
    """A likelihood by the words of a context."""

    def __init__(self, value: Callable[[str], float]) -> None:
        self.value = value

    def score(self, question: str, contexts: list[str]) -> list[float]:
        return [self.value(c) for c in contexts]


@pytest.fixture
def posterior(reader: Reader) -> Posterior:
    return reader.read(QUESTION).posterior


def test_the_likelihood_multiplies_what_competes_for_a_mention(bundle: GraphBundle, posterior: Posterior) -> None:
    with serving(knowing(Illinois=-1.0, Missouri=-0.5)) as (url, _):
        after = helped(posterior, QUESTION, Contexts(bundle), OpenAILikelihood("m", url))
    assert after.readings == posterior.readings
    assert after.null == posterior.null
    assert after.p.sum() == pytest.approx(posterior.p.sum())
    # Six tokens of the question less half of the seven of the neutral one: -2.5 and -1.25 nats, at temperature 2.
    assert after.p[1] / after.p[0] == pytest.approx(math.exp(1.25 / 2))
    assert entity(posterior, 1) == "springfieldMO"
    assert after.best == 1


def test_one_candidate_is_not_scored(bundle: GraphBundle, reader: Reader) -> None:
    before = reader.read("population of Lyon").posterior
    with serving(knowing()) as (url, seen):
        after = helped(before, "population of Lyon", Contexts(bundle), OpenAILikelihood("m", url))
    assert list(after.p) == pytest.approx(list(before.p))
    assert not seen


def test_what_leaves_the_mention_out_keeps_its_chance(bundle: GraphBundle, reader: Reader) -> None:
    question = "population of Springfield and Georgia"
    before = reader.read(question).posterior
    after = helped(before, question, Contexts(bundle), Known(lambda c: -9.0 if "Illinois" in c else 0.0))
    assert mass(after, "georgia") == pytest.approx(mass(before, "georgia"))
    assert mass(after, "springfieldMO") > 1.9 * mass(before, "springfieldMO")


def test_two_mentions_count_each(bundle: GraphBundle, reader: Reader) -> None:
    question = "Is Georgia bigger than Twinford?"
    before = reader.read(question).posterior
    after = helped(before, question, Contexts(bundle), Known(lambda c: 2 * math.log(3) if "town B" in c else 0.0))
    pairs = {(entity(before, i), before.readings[i].entities[-1].node.iri): i for i in range(2)}
    b, a = pairs["georgia", EX + "twinB"], pairs["georgia", EX + "twinA"]
    assert after.p[b] / after.p[a] == pytest.approx(3 * before.p[b] / before.p[a])
    assert after.p.sum() + after.null == pytest.approx(1)


numbers = st.one_of(st.floats(-1e3, 1e3), st.sampled_from([math.nan, math.inf, -math.inf, -1e300, 1e300]))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), first=numbers, second=numbers)
def test_any_scores_keep_it_sound(
    bundle: GraphBundle, reader: Reader, data: st.DataObject, first: float, second: float
) -> None:
    before = reader.read("population of Springfield and Georgia").posterior
    likelihood = Known(lambda c: first if "Illinois" in c or "Caucasus" in c else second)
    after = helped(before, "any", Contexts(bundle), likelihood)
    assert np.isfinite(after.p).all() and (after.p >= 0).all()
    assert after.p.sum() == pytest.approx(before.p.sum())
    assert after.null == before.null
    if first == second or not math.isfinite(first + second):
        assert list(after.p) == pytest.approx(list(before.p))
    order = data.draw(st.permutations(range(len(before.p))))
    other = helped(permuted(before, order), "any", Contexts(bundle), likelihood)
    assert list(other.p) == pytest.approx(list(after.p[order]))


def values(event: Event) -> list[str]:
    assert isinstance(event, Answered), event
    return [str(v.get("literal")) for v in event.values]


@pytest.fixture(params=["clear", "mars"])
def strategy(request: pytest.FixtureRequest) -> Iterator[str]:
    yield request.param


def talk(bundle: GraphBundle, reader: Reader, url: str, **changes: Any) -> Session:
    return make_session(bundle, Settings(likelihood="openai:m", base_url=url, **changes), reader=reader)


@pytest.mark.parametrize(("likely", "population"), [("Illinois", "114000"), ("Missouri", "170000")])
def test_the_option_changes_the_answer(
    bundle: GraphBundle, reader: Reader, strategy: str, likely: str, population: str
) -> None:
    with serving(knowing(**{"city in Illinois": -3.0, "city in Missouri": -3.0, f"city in {likely}": 0.0})) as (url, _):
        events = list(talk(bundle, reader, url, strategy=strategy, asks_per_turn=0).start(QUESTION))
    assert values(events[-1]) == [population]


def test_a_round_of_clarification_scores_nothing_again(bundle: GraphBundle, reader: Reader, strategy: str) -> None:
    with serving(knowing(Illinois=-1.1, Missouri=-1.0)) as (url, seen):
        session = talk(bundle, reader, url, strategy=strategy)
        asked = list(session.start(QUESTION))
        assert isinstance(asked[-1], Asked)
        options = asked[-1].clarification.options
        assert [o.iri for o in options] == [EX + "springfieldMO", EX + "springfieldIL"]
        assert options[0].share > options[1].share
        scored = next(e for e in asked if isinstance(e, Scored))
        assert [c.iri for c in scored.scores[0].candidates] == [o.iri for o in options]
        requests = len(seen)
        assert values(list(session.resume("2"))[-1]) == ["114000"]
        assert len(seen) == requests


def test_a_helper_that_does_not_answer_ends_the_turn(bundle: GraphBundle, reader: Reader, strategy: str) -> None:
    def broken(body: dict[str, Any]) -> tuple[int, Any]:
        known = all("Question:" not in p for p in body["prompt"])
        return knowing()(body) if known else (503, {})

    with serving(broken) as (url, _):
        end = list(talk(bundle, reader, url, strategy=strategy).start(QUESTION))[-1]
    assert isinstance(end, Failed)
    assert end.kind == "endpoint"
    assert "503" in end.reason
