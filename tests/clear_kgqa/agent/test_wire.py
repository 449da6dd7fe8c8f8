"""Whole conversations with a model server on loopback: hints, reminders, checks, tokens, secrets."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from clear_kgqa.events import Answered, Asked, Event, Failed, Observation, Thought, ToolCall, Usage, to_json
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import Session, make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError

from .faulty_model_server import KEY, FaultyModelServer, Raw, completion, error

QUESTION = "What is the population of Springfield?"
SEARCH = completion("I look for the name.", [("SearchNodes", {"name": "Springfield"})])
ASK = completion("", [("AskForClarification", {"text": "Which?", "options": []})])
RUN = completion(
    "",
    [
        (
            "ExecuteSPARQL",
            {"sparql": "SELECT ?x WHERE { <http://ex.org/springfieldMO> <http://ex.org/population> ?x }"},
        )
    ],
)
CAPITAL = completion(
    "",
    [("ExecuteSPARQL", {"sparql": "SELECT ?x WHERE { <http://ex.org/france> <http://ex.org/capital> ?x }"})],
)
NO_CHANGE = completion("No change.")


def session(server: FaultyModelServer, bundle: GraphBundle, reader: Reader, saver: Any = None, **given: Any) -> Session:
    chosen = {
        "model": "m",
        "base_url": server.url,
        "api_key": KEY,
        "protocol": "tools",
        "retries": 0,
        "verify": False,
        **given,
    }
    return make_session(bundle, Settings(**chosen), reader=reader, checkpointer=saver)


def sent(server: FaultyModelServer, at: int) -> str:
    """The last message of a request."""
    return str(server.chats[at]["messages"][-1]["content"])


def of(kind: type[Any], events: list[Event]) -> list[Any]:
    return [e for e in events if isinstance(e, kind)]


def test_a_question_is_asked_and_answered(bundle: GraphBundle, reader: Reader) -> None:
    with FaultyModelServer([SEARCH, ASK, RUN, completion("It has 170,000.")]) as server:
        held = session(server, bundle, reader)
        events = list(held.start(QUESTION))
        assert isinstance(events[-1], Asked)
        events = list(held.resume("the one in Missouri"))
    answer = events[-1]
    assert isinstance(answer, Answered)
    assert answer.values == ({"literal": "170000", "label": "170,000"},)
    assert "HINT" in sent(server, 1)
    assert held.tokens == 440


def test_the_prompt_holds_role_graph_rules_and_examples_of_the_kind(bundle: GraphBundle, reader: Reader) -> None:
    with FaultyModelServer([CAPITAL, NO_CHANGE]) as server:
        list(session(server, bundle, reader).start("How many cities are in France?"))
        list(session(server, bundle, reader, strategy="interactive").start("Is Lyon in France?"))
    first, last = server.chats[0]["messages"], server.chats[-1]["messages"]
    system = first[0]["content"]
    assert "AskForClarification" in system
    assert "<http://ex.org/population>" in system
    assert "{" not in system.replace("{ ?", "")
    questions = [m["content"] for m in first if m["role"] == "user"]
    assert questions[0] == "How many books did Jon Vale write?"
    assert questions[-1] == "How many cities are in France?"
    assert "You cannot ask back" in last[0]["content"]
    assert {t["function"]["name"] for t in server.chats[-1]["tools"]} == {
        "SearchNodes",
        "SearchGraphPattern",
        "ExecuteSPARQL",
    }


def test_a_query_in_place_of_a_question_that_matters_is_held_back_once(bundle: GraphBundle, reader: Reader) -> None:
    with FaultyModelServer([SEARCH, RUN, RUN, completion("170,000.")]) as server:
        events = list(session(server, bundle, reader).start(QUESTION))
    held, ran = of(Observation, events)[1:3]
    assert held.text.startswith("Not run: the answer depends on what the user means. Call AskForClarification first")
    assert "170000" in ran.text
    assert isinstance(events[-1], Answered)
    with FaultyModelServer([SEARCH, RUN, ASK]) as server:
        assert isinstance(list(session(server, bundle, reader).start(QUESTION))[-1], Asked)
    with FaultyModelServer([SEARCH, RUN, completion("170,000.")]) as server:
        events = list(session(server, bundle, reader, remind=False).start(QUESTION))
    assert len(of(Observation, events)) == 2


def test_words_in_place_of_a_question_or_a_query_are_reminded_of_once(bundle: GraphBundle, reader: Reader) -> None:
    with FaultyModelServer([SEARCH, completion("Which one do you mean?"), ASK]) as server:
        assert isinstance(list(session(server, bundle, reader).start(QUESTION))[-1], Asked)
    assert sent(server, 2).startswith("Call AskForClarification first")
    with FaultyModelServer([completion("It is Paris."), CAPITAL, completion("Paris.")]) as server:
        assert isinstance(list(session(server, bundle, reader).start("What is the capital of France?"))[-1], Answered)
    assert sent(server, 1).startswith("No query was run")
    with FaultyModelServer([completion("It is Paris.")]) as server:
        failed = list(session(server, bundle, reader).start("What is the capital of France?"))[-1]
    assert isinstance(failed, Failed)
    assert len(server.chats) == 2


@pytest.mark.parametrize(
    ("checked", "expected"),
    [
        ([NO_CHANGE], "2"),
        (
            [
                completion(
                    "",
                    [
                        (
                            "ExecuteSPARQL",
                            {"sparql": "SELECT (COUNT(*) AS ?n) WHERE { ?x a <http://ex.org/State> }"},
                        )
                    ],
                ),
                NO_CHANGE,
            ],
            "1",
        ),
        ([completion("", [("ExecuteSPARQL", {"sparql": "SELECT broken"})]), NO_CHANGE], "2"),
        (
            [
                completion("", [("ExecuteSPARQL", {"sparql": "SELECT ?n { ?n <http://ex.org/none> 1 }"})]),
                NO_CHANGE,
            ],
            "2",
        ),
    ],
)
def test_the_query_is_checked_once_and_a_better_one_counts_only_if_it_runs(
    bundle: GraphBundle, reader: Reader, checked: list[Any], expected: str
) -> None:
    count = completion("", [("ExecuteSPARQL", {
        "sparql": "SELECT (COUNT(?x) AS ?n) WHERE { <http://ex.org/spain> <http://ex.org/neighbour> ?x }"})])  # fmt: skip
    with FaultyModelServer([count, completion("Two."), *checked]) as server:
        answer = list(session(server, bundle, reader, verify=True).start("How many countries border Spain?"))[-1]
    assert isinstance(answer, Answered)
    assert answer.values[0]["literal"] == expected
    assert sent(server, 2).startswith("Before this counts as the answer")


def test_a_wrong_form_is_told_without_the_check(bundle: GraphBundle, reader: Reader) -> None:
    with FaultyModelServer([CAPITAL, completion("Yes."), completion("", [("ExecuteSPARQL", {
        "sparql": "ASK { <http://ex.org/france> <http://ex.org/capital> <http://ex.org/paris> }"})]), NO_CHANGE]) as server:  # fmt: skip
        answer = list(session(server, bundle, reader).start("Does France have the capital Paris?"))[-1]
    assert isinstance(answer, Answered)
    assert answer.boolean is True
    assert "use ASK" in sent(server, 2)


def test_wrong_names_are_answered_with_the_right_ones(bundle: GraphBundle, reader: Reader) -> None:
    wrong = [
        [("search_nodes", {"name": "x"})],
        [("FindPath", {"a": 1})],
        [("ExecuteSPARQL", {"query": "ASK {}"})],
    ]
    with FaultyModelServer([*(completion("", c) for c in wrong), CAPITAL, completion("Paris.")]) as server:
        assert isinstance(list(session(server, bundle, reader).start("What is the capital of France?"))[-1], Answered)
    assert "Did you mean SearchNodes?" in sent(server, 1)
    assert "The tools are: SearchNodes, SearchGraphPattern, ExecuteSPARQL" in sent(server, 2)
    assert "It takes a JSON object with: sparql" in sent(server, 3)


def test_thoughts_are_streamed_and_calls_are_not(bundle: GraphBundle, reader: Reader) -> None:
    with FaultyModelServer([SEARCH, CAPITAL, completion("Paris.")]) as server:
        events = list(
            session(server, bundle, reader, streaming=True, remind=False).start("What is the capital of France?")
        )
    deltas = "".join(e.text for e in of(Thought, events) if e.delta)
    assert deltas.startswith("I look for the name.")
    assert all(e.delta for e in of(Thought, events))
    assert [e.name for e in of(ToolCall, events)] == ["SearchNodes", "ExecuteSPARQL"]
    assert isinstance(events[-1], Answered)


def test_the_text_protocol_reaches_an_answer(bundle: GraphBundle, reader: Reader) -> None:
    def spoke(text: str) -> dict[str, Any]:
        return completion(f"Thought: next\n{text}")

    query = "SELECT ?x WHERE { <http://ex.org/france> <http://ex.org/capital> ?x }"
    script = [
        spoke('Action: SearchNodes({"name": "France"})'),
        spoke(f"Action: ExecuteSPARQL({query})"),
        spoke("Answer: Paris"),
    ]
    with FaultyModelServer(script) as server:
        answer = list(session(server, bundle, reader, protocol="text").start("What is the capital of France?"))[-1]
    assert isinstance(answer, Answered)
    assert answer.values[0]["label"] == "Paris"
    assert sent(server, 1).startswith("Observation: ")
    assert all(set(m) <= {"role", "content"} for m in server.chats[-1]["messages"])


def test_tokens_and_cost_are_counted(bundle: GraphBundle, reader: Reader) -> None:
    with FaultyModelServer([CAPITAL, completion("Paris.")]) as server:
        events = list(
            session(server, bundle, reader, price_in=1.0, price_out=5.0).start("What is the capital of France?")
        )
    assert of(Usage, events) == [Usage(100, 10, 0.00015)] * 2


def test_a_question_that_takes_too_many_tokens_is_stopped(bundle: GraphBundle, reader: Reader) -> None:
    search = [completion("", [("SearchNodes", {"name": name})]) for name in ("Paris", "Lyon", "Nice", "Madrid")]
    with FaultyModelServer([*search, CAPITAL]) as server:
        held = session(server, bundle, reader, token_budget=250)
        failed = list(held.start("What is the capital of France?"))[-1]
        assert failed == Failed("limit", "The model took 330 tokens; token_budget allows 250.")
        assert len(server.chats) == 3
        assert held.tokens == 330
        server.script[:] = [CAPITAL, completion("Paris.")]
        assert isinstance(list(held.start("What is the capital of France?"))[-1], Answered), "each question has its own"
    with FaultyModelServer([CAPITAL, completion("", [("SearchNodes", {"name": "Lyon"})])]) as server:
        answer = list(session(server, bundle, reader, token_budget=200).start("What is the capital of France?"))[-1]
    assert isinstance(answer, Answered), "a query that ran before counts"


@pytest.mark.parametrize(
    "script",
    [
        [Raw(502, "x")],
        [SEARCH, Raw(502, "x")],
        [{"choices": []}],
        [completion("")],
        [SEARCH, Raw(200, "<html>", "text/html")],
    ],
)
def test_a_failing_server_ends_the_turn_and_the_next_one_works(
    bundle: GraphBundle, reader: Reader, script: list[Any]
) -> None:
    with FaultyModelServer(script) as server:
        held = session(server, bundle, reader)
        failed = list(held.start(QUESTION))[-1]
        assert isinstance(failed, Failed)
        assert failed.kind == "endpoint"
        server.script[:] = [CAPITAL, completion("Paris.")]
        assert isinstance(list(held.start("What is the capital of France?"))[-1], Answered)


def test_cancelling_a_reply_gives_the_prompt_back_and_the_late_reply_is_dropped(
    bundle: GraphBundle, reader: Reader
) -> None:
    def late(request: dict[str, Any]) -> Raw:
        threading.Thread(target=held.cancel).start()
        return Raw(200, json.dumps(completion("Late.")), sleep=20.0)

    with FaultyModelServer([SEARCH, late]) as server:
        held = session(server, bundle, reader)
        assert list(held.start(QUESTION))[-1] == Failed("cancelled", "Stopped.")
        server.script[:] = [CAPITAL, completion("Paris.")]
        assert isinstance(list(held.start("What is the capital of France?"))[-1], Answered)
        assert "Late." not in json.dumps(server.chats[-1])


def test_cancelling_between_two_steps_ends_the_turn(bundle: GraphBundle, reader: Reader) -> None:
    with FaultyModelServer([SEARCH, RUN]) as server:
        held = session(server, bundle, reader)
        events = held.start(QUESTION)
        next(e for e in events if isinstance(e, Observation))
        held.cancel()
        assert list(events)[-1] == Failed("cancelled", "Stopped.")


def test_long_observations_never_pass_the_context(bundle: GraphBundle, reader: Reader) -> None:
    long = completion(
        "", [("ExecuteSPARQL", {"sparql": "SELECT * WHERE { ?a ?b ?c . FILTER(?a != <http://ex.org/%s>) }"})]
    )
    scripts = [json.loads(json.dumps(long).replace("%s", f"{i:0300}")) for i in range(12)]
    with FaultyModelServer([*scripts, completion("Done.")]) as server:
        list(session(server, bundle, reader, context_tokens=4_000, strategy="interactive").start("What is there?"))
    assert len(server.chats) == 13
    assert max(len(json.dumps(c["messages"])) / 3 + len(json.dumps(c["tools"])) / 3 for c in server.chats) < 4_000


def test_the_key_is_in_no_event_log_recording_or_checkpoint(
    bundle: GraphBundle, reader: Reader, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    events: list[Event] = []
    scripts = [
        [SEARCH, ASK, RUN, completion("Done.")], [error(401, f"Incorrect API key provided: {KEY}")],
        [completion(f"<tool_call>{KEY}")], [error(429, f"no more for {KEY}")],
    ]  # fmt: skip
    with SqliteSaver.from_conn_string(str(tmp_path / "checkpoints.sqlite")) as saver:
        for number, script in enumerate(scripts):
            with FaultyModelServer(list(script)) as server:
                held = session(server, bundle, reader, saver, record=tmp_path / f"{number}.jsonl")
                try:
                    events += held.start(QUESTION)
                    events += held.resume("1") if held.pending else []
                except ConfigError as refused:
                    assert KEY not in str(refused)
                held.close()
    told = json.dumps([to_json(e) for e in events], default=str)
    written = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    assert KEY not in told
    assert KEY not in caplog.text
    assert KEY.encode() not in written
    assert sqlite3.connect(tmp_path / "checkpoints.sqlite").execute("select count(*) from checkpoints").fetchone()[0]


def test_strategies_that_need_a_model_say_so(bundle: GraphBundle) -> None:
    for name in ("io", "cot", "nlkgq"):
        with pytest.raises(ConfigError, match=f"the strategy {name} needs a language model"):
            make_session(bundle, Settings(strategy=name))
