"""Every step of MARS with a scripted model: what it is sent, and what comes of what it says."""

from __future__ import annotations

import pytest

from clear_kgqa.events import Answered, Event, Failed, Observation, Thought, ToolCall
from clear_kgqa.readings.reader import Reader
from clear_kgqa.settings import load_settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError

from .talk import EX, NO_CHANGE, expand, last_request, mars, offered, query, rewritten

CAPITAL = f"SELECT DISTINCT ?c WHERE {{ <{EX}france> <{EX}capital> ?c }}"
POPULATION = f"SELECT ?p WHERE {{ <{EX}france> <{EX}capital> ?c . ?c <{EX}population> ?p }}"


def values(event: Event) -> list[str]:
    assert isinstance(event, Answered), event
    return [v.get("iri", v.get("literal", "")) for v in event.values]


def test_two_hops_step_by_step(bundle: GraphBundle, reader: Reader) -> None:
    question = "What is the population of the capital of France?"
    typed = "France, capital, ?object"  # nearest to itself by any measure
    script = [rewritten(typed), expand(1), query(POPULATION, "its population"), NO_CHANGE]
    strategy, model = mars(bundle, reader, *script, top_n=4)
    events = list(strategy.start(question))
    searched = [e.arguments["name"] for e in events if isinstance(e, ToolCall) and e.name == "SearchNodes"]
    assert searched[:1] == ["France"]
    assert "- France (country): country in Europe" in last_request(model, 0)
    assert Thought(f"Rewritten: {typed}") in events
    first, second = offered(events)
    assert len(first) == 4
    assert first[0] == {
        "number": 1,
        "pattern": "France, capital, ?object",
        "sparql": f"<{EX}france> <{EX}capital> ?object .",
        "count": 1,
        "instances": [f"Paris <{EX}paris>"],
        "domain": [f"country <{EX}Country>"],
        "range": [f"city <{EX}City>"],
    }
    assert '"pattern": "France, capital, ?object"' in last_request(model, 1)
    assert [p["number"] for p in second] == list(range(5, 5 + len(second)))
    onward = next(p for p in second if p["pattern"] == "France, capital, ?step1; ?step1, population, ?object")
    assert onward["sparql"] == f"<{EX}france> <{EX}capital> ?step1 . ?step1 <{EX}population> ?object ."
    assert onward["instances"] == ["2100000"]
    assert "This is the last step" not in last_request(model, 2)
    assert Thought("its population") in events
    checked = last_request(model, 3)
    assert question in checked and '{"p": 2100000}' in checked
    assert values(events[-1]) == ["2100000"]
    assert len(model.seen) == 4


def test_a_query_is_forced_at_the_last_hop(bundle: GraphBundle, reader: Reader) -> None:
    strategy, model = mars(bundle, reader, rewritten(), expand(1), query(CAPITAL), NO_CHANGE, hops=1)
    events = list(strategy.start("What is the capital of France?"))
    assert "This is the last step" in last_request(model, 1)
    assert last_request(model, 2) == "No more patterns can be looked at. Reply with a query."
    assert values(events[-1]) == [EX + "paris"]
    assert len(offered(events)) == 1
    strategy, model = mars(bundle, reader, rewritten(), expand(1), hops=1)
    failed = list(strategy.start("What is the capital of France?"))[-1]
    assert failed == Failed("model", "No more patterns can be looked at. Reply with a query.")
    assert len(model.seen) == 3


def test_patterns_are_expanded_up_to_the_last_hop(bundle: GraphBundle, reader: Reader) -> None:
    strategy, model = mars(
        bundle, reader, rewritten(), expand(1), expand(2), query(CAPITAL), NO_CHANGE, hops=3, top_n=2
    )
    events = list(strategy.start("What is the capital of France?"))
    assert [len(patterns) for patterns in offered(events)] == [2, 2, 2]
    assert ["This is the last step" in last_request(model, at) for at in (1, 2, 3)] == [False, False, True]


@pytest.mark.parametrize("numbers", [(99,), (0,), (-1,)])
def test_only_offered_numbers_are_taken(bundle: GraphBundle, reader: Reader, numbers: tuple[int, ...]) -> None:
    strategy, model = mars(bundle, reader, rewritten(), expand(*numbers), query(CAPITAL), NO_CHANGE)
    events = list(strategy.start("What is the capital of France?"))
    assert last_request(model, 2).startswith("Those numbers were not offered")
    assert values(events[-1]) == [EX + "paris"]


INVENTED = "SELECT ?c WHERE { <http://ex.org/france> <http://ex.org/hasCapital> ?c }"
BROKEN = "SELECT ?c WHERE { <http://ex.org/france> <http://ex.org/capital> ?c"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (query(INVENTED), "Not offered, so not to be used: <http://ex.org/hasCapital>."),
        (query(BROKEN), "The query cannot be run"),
        (query("DROP ALL"), "The query cannot be run"),
        (
            query(f"SELECT ?c WHERE {{ SERVICE <http://127.0.0.1/> {{ ?c <{EX}capital> ?d }} }}"),
            "The query cannot be run",
        ),
        ("I think it is Paris.", "The reply is not the JSON object"),
        ('{"thought": "hm"}', "The reply holds neither a query"),
    ],
)
def test_what_cannot_be_used_is_told_once(bundle: GraphBundle, reader: Reader, wrong: str, told: str) -> None:
    strategy, model = mars(bundle, reader, rewritten(), wrong, query(CAPITAL), NO_CHANGE)
    events = list(strategy.start("What is the capital of France?"))
    assert last_request(model, 2).startswith(told)
    assert str(model.seen[2][-2].content) == wrong
    assert values(events[-1]) == [EX + "paris"]
    strategy, model = mars(bundle, reader, rewritten(), wrong)
    failed = list(strategy.start("What is the capital of France?"))[-1]
    assert isinstance(failed, Failed)
    assert failed.kind == "model"
    assert failed.reason.startswith(told)
    assert len(model.seen) == 3


BOTH = f"SELECT DISTINCT ?n WHERE {{ <{EX}france> <{EX}neighbour> ?n }}"


@pytest.mark.parametrize(
    ("said", "result"),
    [
        (query(BOTH), [EX + "spain"]),
        (f"```json\n{query(BOTH)}\n```", [EX + "spain"]),
        (query(BROKEN), [EX + "paris"]),
        (query(INVENTED), [EX + "paris"]),
        (query(f"SELECT ?x WHERE {{ <{EX}paris> <{EX}capital> ?x }}"), [EX + "paris"]),
        (query(f"ASK {{ <{EX}france> <{EX}capital> ?x }}"), [EX + "paris"]),
        ("No changes.", [EX + "paris"]),
        ("???", [EX + "paris"]),
    ],
    ids=["better", "fenced", "broken", "not offered", "empty", "wrong form", "no change", "unreadable"],
)
def test_the_verified_query_is_kept_only_if_it_runs(
    bundle: GraphBundle, reader: Reader, said: str, result: list[str]
) -> None:
    strategy, _ = mars(bundle, reader, rewritten(), query(CAPITAL), said)
    assert values(list(strategy.start("What is the capital of France?"))[-1]) == result


def test_verification_is_told_of_a_wrong_form_and_rules_put_it_right(bundle: GraphBundle, reader: Reader) -> None:
    select = f"SELECT ?c WHERE {{ ?c <{EX}country> <{EX}france> }}"
    strategy, model = mars(bundle, reader, rewritten(), query(select), NO_CHANGE)
    answer = list(strategy.start("How many cities are in the country France?"))[-1]
    assert "The question asks how many" in last_request(model)
    assert isinstance(answer, Answered)
    assert (answer.form, values(answer)) == ("count", ["5"])
    strategy, model = mars(
        bundle, reader, rewritten(), query(f"SELECT ?c WHERE {{ <{EX}lyon> <{EX}country> ?c }}"), NO_CHANGE
    )
    answer = list(strategy.start("Is Lyon in Spain?"))[-1]
    assert isinstance(answer, Answered)
    assert (answer.form, answer.boolean) == ("ask", False)


def test_an_empty_answer_and_a_question_that_names_nothing(bundle: GraphBundle, reader: Reader) -> None:
    empty = f"SELECT ?x WHERE {{ <{EX}portugal> <{EX}capital> ?x }}"
    offering = [rewritten(), expand(1), query(empty), NO_CHANGE]
    strategy, _ = mars(bundle, reader, *offering)
    failed = list(strategy.start("What are the neighbours of Portugal?"))[-1]
    assert isinstance(failed, Failed)
    assert (failed.kind, failed.tried) == ("empty", (empty,))
    strategy, model = mars(bundle, reader, rewritten())
    assert list(strategy.start("Why?"))[-1] == Failed(
        "not_understood", "I found nothing in the graph that this question names."
    )
    assert not model.seen


@pytest.mark.parametrize("step", ["rewriting", "enrichment", "counts", "classes", "verification"])
def test_every_step_can_be_left_out(bundle: GraphBundle, reader: Reader, step: str) -> None:
    script = [query(CAPITAL), NO_CHANGE] if step == "rewriting" else [rewritten("typed"), query(CAPITAL), NO_CHANGE]
    strategy, model = mars(bundle, reader, *script, mars_without=step)
    events = list(strategy.start("Which city is the capital of France?"))
    assert values(events[-1]) == [EX + "paris"]
    patterns = offered(events)[0]
    asked = next(e.arguments["semantic"] for e in events if isinstance(e, ToolCall) and e.name == "SearchGraphPattern")
    assert (asked == "typed") == (step != "rewriting")
    assert all(("instances" in p) == (step != "enrichment") for p in patterns)
    assert any("range" in p for p in patterns) == (step != "enrichment")
    assert all(("count" in p) == (step != "counts") for p in patterns)
    assert any(p["pattern"] == "?object, type, city" for p in patterns) == (step != "classes")
    assert len(model.seen) == (2 if step in ("rewriting", "verification") else 3)


def test_a_step_that_there_is_not() -> None:
    with pytest.raises(
        ConfigError, match=r"mars-without: .*there is no step counting; the steps are rewriting, enrichment"
    ):
        load_settings(mars_without="counting, classes")


def test_names_of_the_graph_stay_inside_quotes(bundle: GraphBundle, reader: Reader) -> None:
    strategy, model = mars(bundle, reader, rewritten(), query(CAPITAL), NO_CHANGE)
    list(strategy.start("What is the capital of France?"))
    lines = last_request(model, 1).splitlines()
    assert all(line[0] in "{QEP" for line in lines)


def test_an_executed_query_is_an_observation(bundle: GraphBundle, reader: Reader) -> None:
    strategy, _ = mars(bundle, reader, rewritten(), query(CAPITAL), NO_CHANGE)
    events = list(strategy.start("What is the capital of France?"))
    calls = [e for e in events if isinstance(e, ToolCall)]
    assert calls[-1].arguments == {"sparql": CAPITAL}
    assert [e.id for e in events if isinstance(e, Observation)] == [c.id for c in calls]
    answer = events[-1]
    assert isinstance(answer, Answered)
    assert answer.interpretation == "A query over France, capital"
    assert answer.text == "Paris."


def test_older_patterns_are_shortened_to_the_context(bundle: GraphBundle, reader: Reader) -> None:
    script = [rewritten("France, capital, ?object"), expand(1), expand(*range(2, 7)), query(CAPITAL), NO_CHANGE]
    strategy, whole = mars(bundle, reader, *script, top_n=6)
    assert values(list(strategy.start("What is the capital of France?"))[-1]) == [EX + "paris"]
    strategy, short = mars(bundle, reader, *script, top_n=6, context_tokens=2_500, reply_tokens=64)
    assert values(list(strategy.start("What is the capital of France?"))[-1]) == [EX + "paris"]
    long_request, request = last_request(whole, 3), last_request(short, 3)
    assert len(request) < len(long_request)
    assert '"number": 1,' in long_request
    assert '"number": 12,' in request
