"""Asking back where two nodes fit a name, which published MARS never does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from clear_kgqa.evaluation.dialogue import hold
from clear_kgqa.events import Answered, Asked, Event, Failed, Replied, Scored
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import Session, converse, make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError

from .talk import EX, NO_CHANGE, last_request, mars, offered, query, rewritten

QUESTION = "What is the population of Springfield?"


def session(bundle: GraphBundle, reader: Reader, **settings: object) -> Session:
    return make_session(bundle, Settings(strategy="mars", **settings), reader=reader)  # type: ignore[arg-type]


def values(event: Event) -> list[str]:
    assert isinstance(event, Answered), event
    return [v.get("iri", v.get("literal", "")) for v in event.values]


@pytest.mark.parametrize(("reply", "population"), [("the one in Missouri", "170000"), ("city in Illinois", "114000")])
def test_offline_either_answer_is_right(bundle: GraphBundle, reader: Reader, reply: str, population: str) -> None:
    talk = session(bundle, reader)
    events = list(talk.start(QUESTION))
    asked = events[-1]
    assert isinstance(asked, Asked)
    assert asked.clarification.question == "Which Springfield do you mean?"
    assert {o.iri for o in asked.clarification.options} == {EX + "springfieldIL", EX + "springfieldMO"}
    assert any(isinstance(e, Scored) for e in events)
    assert talk.pending == asked.clarification
    after = list(talk.resume(reply))
    assert isinstance(after[0], Replied)
    assert values(after[-1]) == [population]
    assert talk.pending is None


def test_a_model_is_offered_only_what_was_chosen(bundle: GraphBundle, reader: Reader) -> None:
    chosen = f"SELECT ?p WHERE {{ <{EX}springfieldMO> <{EX}population> ?p }}"
    other = f"SELECT ?p WHERE {{ <{EX}springfieldIL> <{EX}population> ?p }}"
    strategy, model = mars(bundle, reader, rewritten(), query(other), query(chosen), NO_CHANGE)
    asked = list(strategy.start(QUESTION))[-1]
    assert isinstance(asked, Asked)
    assert not model.seen
    number = [o.iri for o in asked.clarification.options].index(EX + "springfieldMO") + 1
    events = list(strategy.resume(str(number)))
    assert all("springfieldIL" not in p["sparql"] for p in offered(events)[0])
    assert '"chosen_by_the_user": true' in last_request(model, 1)
    assert last_request(model, 2).startswith(f"Not offered, so not to be used: <{EX}springfieldIL>")
    assert values(events[-1]) == ["170000"]


def test_both_none_and_you_decide(bundle: GraphBundle, reader: Reader) -> None:
    def ends(reply: str | None) -> Event:
        talk = session(bundle, reader)
        list(talk.start(QUESTION))
        return list(talk.resume(reply))[-1]

    assert set(values(ends("both"))) == {"114000", "170000"}
    assert len(values(ends(None))) == 1
    assert len(values(ends("you decide"))) == 1
    none = ends("none of these")
    assert isinstance(none, Failed)
    assert none.kind == "not_in_graph"


@pytest.mark.parametrize(
    "setting", [{"no_entity": True}, {"no_plugin": True}, {"asks_per_turn": 0}, {"asks_per_session": 0}]
)
def test_asking_can_be_switched_off(bundle: GraphBundle, reader: Reader, setting: dict[str, object]) -> None:
    assert len(values(list(session(bundle, reader, **setting).start(QUESTION))[-1])) == 1


def test_a_silent_session_never_asks(bundle: GraphBundle, reader: Reader) -> None:
    talk = make_session(bundle, Settings(strategy="mars"), reader=reader, silent=True)
    assert len(values(list(talk.start(QUESTION))[-1])) == 1


def test_equal_answers_are_not_asked_about(bundle: GraphBundle, reader: Reader) -> None:
    assert values(list(session(bundle, reader).start("What is the country of Twinford?"))[-1]) == [EX + "france"]


def test_a_new_question_in_place_of_a_reply(bundle: GraphBundle, reader: Reader) -> None:
    talk = session(bundle, reader)
    list(talk.start(QUESTION))
    events = list(talk.resume("What is the capital of France?"))
    assert events[0] == Replied("c1", "What is the capital of France?", "new_question")
    assert values(events[-1]) == [EX + "paris"]
    assert talk.pending is None


def test_a_reply_that_fits_no_option_is_asked_about_once_more(bundle: GraphBundle, reader: Reader) -> None:
    talk = session(bundle, reader)
    list(talk.start(QUESTION))
    [again] = talk.resume("xyzzy")
    assert isinstance(again, Asked)
    assert again.clarification.question == "That fits none of these. Which Springfield do you mean?"
    assert talk.pending == again.clarification
    assert values(list(talk.resume("the one in Missouri"))[-1]) == ["170000"]
    list(talk.start(QUESTION))
    list(talk.resume("xyzzy"))
    [still] = talk.resume("xyzzy")
    assert isinstance(still, Asked)
    assert still.clarification.tries == 2
    assert len(values(list(talk.resume("you decide"))[-1])) == 1


def test_nodes_that_are_bound_are_not_asked_about(bundle: GraphBundle, reader: Reader) -> None:
    span = (QUESTION.index("Springfield"), len(QUESTION) - 1)
    events = list(session(bundle, reader).start(QUESTION, [(EX + "springfieldIL", span)]))
    assert not any(isinstance(e, Asked) for e in events)
    assert values(events[-1]) == ["114000"]


def test_a_question_left_open_is_dropped(bundle: GraphBundle, reader: Reader) -> None:
    talk = session(bundle, reader)
    list(talk.start(QUESTION))
    assert values(list(talk.start("population of Lyon"))[-1]) == ["520000"]
    with pytest.raises(ConfigError, match="no clarification is waiting"):
        list(talk.resume("1"))


class Picks:
    """A user who picks by what an option says."""

    def __init__(self, told: Callable[[str], bool]) -> None:
        self.told = told

    def reply(self, clarification: object) -> str | None:
        options = clarification.options  # type: ignore[attr-defined]
        return str(1 + next(i for i, o in enumerate(options) if self.told(o.line())))


def test_the_same_users_answer_as_for_the_agent(bundle: GraphBundle, reader: Reader) -> None:
    user = Picks(lambda line: "Missouri" in line)
    assert values(list(converse(session(bundle, reader), QUESTION, user))[-1]) == ["170000"]
    dialogue = hold(session(bundle, reader), user, QUESTION, 3)
    assert dialogue.final is not None
    assert values(dialogue.final) == ["170000"]
    assert len(dialogue.asked) == 1
