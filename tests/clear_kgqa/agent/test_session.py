"""Whole conversations over a small real graph with the offline planner."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from clear_kgqa.ambiguity.plugin import AmbiguityPlugin
from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.evaluation.dialogue import answer_values, hold
from clear_kgqa.events import Answered, Asked, Event, Failed, Replied, Scored, ToolCall
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import Session, converse, make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError

EX = "http://ex.org/"


def session(bundle: GraphBundle, reader: Reader, **settings: Any) -> Session:
    return make_session(bundle, Settings(**settings), reader=reader)


def last(events: Iterable[Event]) -> Event:
    return list(events)[-1]


def values(event: Event) -> set[str]:
    assert isinstance(event, Answered), event
    return {v.get("iri", v.get("literal", "")) for v in event.values}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the capital of France?", {EX + "paris"}),
        ("Which countries border Spain?", {EX + "france", EX + "portugal"}),
        ("What is the largest city in France?", {EX + "paris"}),
        ("population of Lyon", {"520000"}),
        ("population of Lyonn", {"520000"}),
        ("How many cities in France have more than 400,000 people?", {"2"}),
    ],
)
def test_answers_without_asking(bundle: GraphBundle, reader: Reader, question: str, expected: set[str]) -> None:
    events = list(session(bundle, reader).start(question))
    assert not any(isinstance(e, Asked) for e in events)
    assert values(events[-1]) == expected


@pytest.mark.parametrize(("question", "answer"), [("Is Lyon in France?", True), ("Is Lyon in Spain?", False)])
def test_yes_and_no(bundle: GraphBundle, reader: Reader, question: str, answer: bool) -> None:
    event = last(session(bundle, reader).start(question))
    assert isinstance(event, Answered)
    assert (event.form, event.boolean) == ("ask", answer)


@pytest.mark.parametrize(("reply", "expected"), [("the country", "tbilisi"), ("the US state", "atlanta")])
def test_a_shared_name_is_asked_about_and_either_answer_is_right(
    bundle: GraphBundle, reader: Reader, reply: str, expected: str
) -> None:
    talk = session(bundle, reader)
    asked = last(talk.start("What is the largest city in Georgia?"))
    assert isinstance(asked, Asked)
    assert {o.iri for o in asked.clarification.options} >= {EX + "georgia", EX + "georgiaUS"}
    assert talk.pending == asked.clarification
    assert values(last(talk.resume(reply))) == {EX + expected}
    assert talk.pending is None


def test_equal_answers_are_not_asked_about(bundle: GraphBundle, reader: Reader) -> None:
    events = list(session(bundle, reader).start("What is the country of Twinford?"))
    assert not any(isinstance(e, Asked) for e in events)
    assert values(events[-1]) == {EX + "france"}


def test_a_description_picks_an_option_and_scores_are_reported(bundle: GraphBundle, reader: Reader) -> None:
    talk = session(bundle, reader)
    events = list(talk.start("What is the population of Springfield?"))
    scored = next(e for e in events if isinstance(e, Scored))
    assert next(s for s in scored.scores if s.slot == "entity:springfield").score > 0.9
    assert scored.voi > scored.price
    replied = list(talk.resume("the one in Missouri"))
    assert any(isinstance(e, Replied) and e.kind == "options" for e in replied)
    assert values(replied[-1]) == {"170000"}


def test_a_node_without_the_fact_is_named_in_the_reason(bundle: GraphBundle, reader: Reader) -> None:
    talk = session(bundle, reader)
    assert isinstance(last(talk.start("How big is Georgia?")), Asked)
    failed = last(talk.resume("the US state"))
    assert isinstance(failed, Failed)
    assert failed.reason == "The graph does not hold area or population of Georgia (US state)."


def test_none_of_these_and_you_decide(bundle: GraphBundle, reader: Reader) -> None:
    talk = session(bundle, reader)
    list(talk.start("What is the population of Springfield?"))
    assert values(last(talk.resume("you decide"))) <= {"114000", "170000"}
    list(talk.start("What is the population of Springfield?"))
    assert not isinstance(last(talk.resume("none of these")), Asked)


def test_both(bundle: GraphBundle, reader: Reader) -> None:
    talk = session(bundle, reader)
    assert isinstance(last(talk.start("Who directed Heat?")), Asked)
    assert values(last(talk.resume("both"))) == {EX + "mann", EX + "richards"}


@pytest.mark.parametrize(
    ("question", "reply"),
    [("What is the population of Springfield?", "both"), ("What is the population of Springfield?", "1 and 2")],
)
def test_every_value_of_several_options_says_which_it_belongs_to(
    bundle: GraphBundle, reader: Reader, question: str, reply: str
) -> None:
    talk = session(bundle, reader)
    asked = last(talk.start(question))
    assert isinstance(asked, Asked)
    answer = last(talk.resume(reply))
    assert isinstance(answer, Answered)
    people = {"city in Illinois": "114,000", "city in Missouri": "170,000"}
    order = [o.description for o in asked.clarification.options]
    assert answer.text == "; ".join(f"Springfield ({d}): {people[d]}" for d in order) + "."
    assert answer.columns == ("x", "option")
    assert [v["label"] for v in answer.values] == [people[d] for d in order]
    assert [row[1]["literal"] for row in answer.rows if row[1]] == [f"Springfield ({d})" for d in order]
    assert set(answer_values(answer)) == {"114000", "170000"}


def test_words_that_fit_several_options_narrow_and_unite_nothing(bundle: GraphBundle, reader: Reader) -> None:
    talk = session(bundle, reader)
    asked = last(talk.start("What is the largest city in Georgia?"))
    assert isinstance(asked, Asked)
    plugin = AmbiguityPlugin(reader, Settings())
    _, vague = plugin.understand(asked.clarification, "not the river", (), "What is the largest city in Georgia?")
    _, both = plugin.understand(asked.clarification, "both", (), "What is the largest city in Georgia?")
    assert (vague.together, both.together) == (False, True)


def test_a_new_question_while_one_is_open(bundle: GraphBundle, reader: Reader) -> None:
    talk = session(bundle, reader)
    list(talk.start("What is the population of Springfield?"))
    assert values(last(talk.resume("What is the capital of Spain?"))) == {EX + "madrid"}
    list(talk.start("What is the population of Springfield?"))
    assert values(last(talk.start("What is the capital of France?"))) == {EX + "paris"}


@pytest.mark.parametrize("reply", ["population of Spain", "Spain's capital", "capital of France please"])
def test_a_new_question_need_not_look_like_one(bundle: GraphBundle, reader: Reader, reply: str) -> None:
    talk = session(bundle, reader)
    list(talk.start("What is the population of Springfield?"))
    events = list(talk.resume(reply))
    assert events[0] == Replied("c1", reply, "new_question")
    assert isinstance(events[-1], Answered)
    assert talk.pending is None


@pytest.mark.parametrize("reply", ["what about Spain?", "what about spain", "How about Spain"])
def test_another_name_while_a_question_is_open(bundle: GraphBundle, reader: Reader, reply: str) -> None:
    talk = session(bundle, reader)
    list(talk.start("What is the population of Springfield?"))
    events = list(talk.resume(reply))
    asked = f"What is the population of {reply.rstrip('?').split()[-1]}?"
    assert events[0] == Replied("c1", reply, "new_question", asked=asked)
    assert values(events[-1]) == {"47000000"}


@pytest.mark.parametrize("reply", ["why do you ask?", "help", "what do you mean?"])
def test_why_it_is_asked_leaves_the_question_open(bundle: GraphBundle, reader: Reader, reply: str) -> None:
    talk = session(bundle, reader)
    first = last(talk.start("What is the population of Springfield?"))
    assert list(talk.resume(reply)) == [Replied("c1", reply, "why"), first]
    assert values(last(talk.resume("the one in Missouri"))) == {"170000"}


@pytest.mark.parametrize("reply", ["banana", "99", "0", "-1", "hello", "Paris", "what?"])
def test_a_reply_that_fits_no_option_is_asked_about_once_more(bundle: GraphBundle, reader: Reader, reply: str) -> None:
    talk = session(bundle, reader)
    first = last(talk.start("What is the population of Springfield?"))
    again = last(talk.resume(reply))
    assert isinstance(first, Asked)
    assert isinstance(again, Asked)
    assert again.clarification.question == f"That fits none of these. {first.clarification.question}"
    assert again.clarification.options == first.clarification.options
    assert talk.pending == again.clarification
    assert values(last(talk.resume("the one in Missouri"))) == {"170000"}


def test_a_question_is_left_open_where_no_reply_was_understood_and_nothing_is_probable(
    bundle: GraphBundle, reader: Reader
) -> None:
    talk = session(bundle, reader)
    first = last(talk.start("What is the population of Springfield?"))
    assert isinstance(first, Asked)
    assert max(o.share for o in first.clarification.options) < 0.5
    for reply, tries in (("banana", 1), ("99", 2), ("apple", 2)):
        again = last(talk.resume(reply))
        assert isinstance(again, Asked)
        assert (again.clarification.tries, again.clarification.options) == (tries, first.clarification.options)
    assert again.clarification.question == (
        'That fits none of these either; say a number, or "you decide". Which Springfield do you mean?'
    )
    assert values(last(talk.resume("you decide"))) <= {"114000", "170000"}


def test_after_two_replies_that_fit_no_option_a_probable_reading_is_taken(bundle: GraphBundle, reader: Reader) -> None:
    plugin = AmbiguityPlugin(reader, Settings())
    options = (Option("e:1", "Lyon", share=0.7), Option("e:2", "Lyons", share=0.3))
    first = plugin.asked_again(Clarification("c1", "entity:lyon", "entity", "Which?", options), "banana", (), 1)
    assert first is not None
    assert (first.id, first.question, first.tries) == ("c1-again", "That fits none of these. Which?", 1)
    assert plugin.asked_again(first, "banana", (), 2) is None


def test_a_simulated_user_who_is_not_understood_gets_the_best_reading(bundle: GraphBundle, reader: Reader) -> None:
    class Nonsense:
        replies = 0

        def reply(self, clarification: object) -> str:
            self.replies += 1
            return "banana"

    user = Nonsense()
    question = "What is the population of Springfield?"
    assert isinstance(last(converse(session(bundle, reader), question, user)), Answered)
    assert user.replies == 2
    held = hold(session(bundle, reader), user, question, 10)
    assert isinstance(held.final, Answered)
    assert (user.replies, len(held.asked), sum(isinstance(e, Asked) for e in held.events)) == (4, 2, 2)


@pytest.mark.parametrize("question", ["What is the longest river in Spain?", "asdfgh?", "???", "a" * 5000])
def test_no_answer_and_why(bundle: GraphBundle, reader: Reader, question: str) -> None:
    event = last(session(bundle, reader).start(question))
    assert isinstance(event, Failed)
    assert event.reason


def test_budget_and_assuming_the_best(bundle: GraphBundle, reader: Reader) -> None:
    events = list(session(bundle, reader, asks_per_turn=0).start("What is the population of Springfield?"))
    assert isinstance(events[-1], Answered)
    silent = make_session(bundle, Settings(), reader=reader, silent=True)
    assert isinstance(last(silent.start("What is the population of Springfield?")), Answered)


def test_strategies_without_a_plugin(bundle: GraphBundle, reader: Reader) -> None:
    events = list(session(bundle, reader, strategy="interactive").start("What is the population of Springfield?"))
    assert not any(isinstance(e, Asked | Scored) for e in events)
    assert isinstance(events[-1], Answered)
    asking = session(bundle, reader, no_plugin=True)
    assert isinstance(last(asking.start("What is the population of Springfield?")), Asked)
    assert values(last(asking.resume("the one in Missouri"))) == {"170000"}


def test_thresholds_policy_asks_on_the_entity_score(bundle: GraphBundle, reader: Reader) -> None:
    talk = session(bundle, reader, policy="thresholds")
    asked = last(talk.start("What is the population of Springfield?"))
    assert isinstance(asked, Asked)
    assert asked.clarification.kind == "entity"


def test_the_tool_protocol_is_played(bundle: GraphBundle, reader: Reader) -> None:
    names = [e.name for e in session(bundle, reader).start("What is the capital of France?") if isinstance(e, ToolCall)]
    assert set(names) == {"SearchNodes", "SearchGraphPattern", "ExecuteSPARQL"}
    assert names[-1] == "ExecuteSPARQL"


def test_a_user_answers_to_the_end(bundle: GraphBundle, reader: Reader) -> None:
    class First:
        def reply(self, clarification: object) -> str:
            return "1"

    assert isinstance(
        last(converse(session(bundle, reader), "What is the population of Springfield?", First())), Answered
    )


def test_nothing_to_reply_to_and_unknown_strategy(bundle: GraphBundle, reader: Reader) -> None:
    with pytest.raises(ConfigError, match="no clarification"):
        list(session(bundle, reader).resume("1"))
    with pytest.raises(ConfigError, match="unknown strategy"):
        session(bundle, reader, strategy="magic")


def test_once_the_questions_of_a_session_are_used_up_the_best_reading_is_answered(
    bundle: GraphBundle, reader: Reader
) -> None:
    question = "What is the population of Springfield?"
    talk = session(bundle, reader, asks_per_session=1)
    assert isinstance(last(talk.start(question)), Asked)
    assert values(last(talk.resume("the one in Illinois"))) == {"114000"}
    answer = last(talk.start(question))
    assert isinstance(answer, Answered)
    assert "Springfield (city in " in answer.interpretation
    fresh = session(bundle, reader, asks_per_session=1)
    assert isinstance(last(fresh.start(question)), Asked)
    assert values(last(fresh.resume("What is the capital of Spain?"))) == {EX + "madrid"}
    assert isinstance(last(fresh.start(question)), Asked), "a question that nobody replied to costs nothing"


def test_the_questions_of_a_model_without_a_plugin_are_counted_too(bundle: GraphBundle, reader: Reader) -> None:
    none_left = session(bundle, reader, no_plugin=True, asks_per_session=0)
    told = list(none_left.start("What is the population of Springfield?"))
    assert not any(isinstance(e, Asked) for e in told)
    assert isinstance(told[-1], Answered)


def test_the_questions_of_a_session_stay_counted_when_it_goes_on_elsewhere(bundle: GraphBundle, reader: Reader) -> None:
    saved = InMemorySaver()
    for asked in (True, False):
        chosen = Settings(asks_per_session=1)
        talk = make_session(bundle, chosen, reader=reader, thread="t", checkpointer=saved)
        first = last(talk.start("What is the population of Springfield?"))
        assert isinstance(first, Asked) is asked
        if asked:
            list(talk.resume("1"))
