"""What a model can do wrong: release gates 5, 6 and 10, unasked-for questions, wrong calls."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from clear_kgqa.agent.graph import compile_graph
from clear_kgqa.agent.nodes import AgentSteps
from clear_kgqa.agent.toolbox import Toolbox
from clear_kgqa.ambiguity.plugin import AmbiguityPlugin
from clear_kgqa.events import Answered, Asked, Event, Failed, Observation
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import Session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle

from .scripted import ScriptedModel, calls

SEARCH = ("SearchNodes", {"name": "Springfield"})
ASK = ("AskForClarification", {"text": "which?", "options": []})
RUN = (
    "ExecuteSPARQL",
    {"sparql": "SELECT ?x WHERE { <http://ex.org/springfieldMO> <http://ex.org/population> ?x }"},
)


def talk(bundle: GraphBundle, reader: Reader, *script: AIMessage, **settings: Any) -> tuple[Session, ScriptedModel]:
    chosen, model = Settings(**settings), ScriptedModel(script=list(script))
    steps = AgentSteps(
        model,
        Toolbox(bundle, reader, chosen),
        reader,
        AmbiguityPlugin(reader, chosen),
        True,
        chosen.steps,
        False,
    )
    return Session(bundle, compile_graph(steps, InMemorySaver()), "t"), model


def observations(events: list[Event]) -> list[Observation]:
    return [e for e in events if isinstance(e, Observation)]


def valid(messages: list[Any]) -> bool:
    """Every tool call has exactly one reply, after it."""
    open_calls: set[str] = set()
    for message in messages:
        if isinstance(message, AIMessage):
            if open_calls:
                return False
            open_calls = {str(c["id"]) for c in message.tool_calls}
        elif isinstance(message, ToolMessage):
            if message.tool_call_id not in open_calls:
                return False
            open_calls.discard(message.tool_call_id)
        elif open_calls:
            return False
    return True


def test_a_tool_called_beside_a_question_runs_once(bundle: GraphBundle, reader: Reader) -> None:
    held, model = talk(bundle, reader, calls(SEARCH), calls(RUN, ASK, number=1), AIMessage("done"))
    events = list(held.start("What is the population of Springfield?"))
    assert isinstance(events[-1], Asked)
    assert [o.name for o in observations(events)] == ["SearchNodes", "ExecuteSPARQL"]
    events = list(held.resume("2"))
    assert observations(events) == []
    assert isinstance(events[-1], Answered)
    assert valid(model.seen[-1])


def test_a_new_question_leaves_no_call_without_a_reply(bundle: GraphBundle, reader: Reader) -> None:
    held, model = talk(bundle, reader, calls(SEARCH), calls(ASK, number=1), calls(RUN, number=2), AIMessage("done"))
    assert isinstance(list(held.start("What is the population of Springfield?"))[-1], Asked)
    assert isinstance(list(held.start("And the population of the one in Missouri?"))[-1], Answered)
    assert all(valid(seen) for seen in model.seen)


def test_a_repeated_call_stops_the_turn(bundle: GraphBundle, reader: Reader) -> None:
    held, model = talk(bundle, reader, *(calls(SEARCH, number=i) for i in range(30)))
    failed = list(held.start("What is the population of Springfield?"))[-1]
    assert failed == Failed("steps", "The model repeated one call and was stopped.")
    assert len(model.seen) == 4


def test_the_step_limit(bundle: GraphBundle, reader: Reader) -> None:
    script = (calls(("SearchNodes", {"name": f"Springfield {i}"}), number=i) for i in range(30))
    held, model = talk(bundle, reader, *script, steps=6)
    failed = list(held.start("What is the population of Springfield?"))[-1]
    assert isinstance(failed, Failed)
    assert failed.kind == "steps"
    assert len(model.seen) == 6


def test_a_question_that_changes_nothing_is_not_put(bundle: GraphBundle, reader: Reader) -> None:
    run = (
        "ExecuteSPARQL",
        {"sparql": "SELECT ?x WHERE { <http://ex.org/france> <http://ex.org/capital> ?x }"},
    )
    held, model = talk(
        bundle,
        reader,
        calls(("SearchNodes", {"name": "France"})),
        calls(ASK, number=1),
        calls(run, number=2),
        AIMessage("x"),
    )
    events = list(held.start("What is the capital of France?"))
    assert isinstance(events[-1], Answered)
    assert not any(isinstance(e, Asked) for e in events)
    assert "No question is needed" in str(model.seen[2][-1].content)


def test_options_come_from_the_graph_and_the_hint_orders(bundle: GraphBundle, reader: Reader) -> None:
    invented = ("AskForClarification", {"text": "which?", "options": ["http://evil.example/x"]})
    held, model = talk(bundle, reader, calls(SEARCH), calls(invented, number=1), calls(RUN, number=2), AIMessage("x"))
    asked = list(held.start("What is the population of Springfield?"))[-1]
    assert isinstance(asked, Asked)
    assert {o.iri for o in asked.clarification.options} == {
        "http://ex.org/springfieldIL",
        "http://ex.org/springfieldMO",
    }
    assert "HINT" in str(model.seen[1][-1].content)


def test_wrong_calls_are_answered_with_what_is_right(bundle: GraphBundle, reader: Reader) -> None:
    wrong = [
        ("search_nodes", {"name": "x"}),
        ("ExecuteSPARQL", {"query": "x"}),
        ("ExecuteSPARQL", {"sparql": "DROP ALL"}),
    ]
    held, model = talk(
        bundle, reader, *(calls(w, number=i) for i, w in enumerate(wrong)), AIMessage("I think it is 5.")
    )
    failed = list(held.start("What is the population of Springfield?"))[-1]
    assert isinstance(failed, Failed)
    said = [str(seen[-1].content) for seen in model.seen[1:]]
    assert "Did you mean SearchNodes?" in said[0]
    assert "sparql: Field required" in said[1]
    assert said[2].startswith("ERROR")


def test_prose_is_never_the_answer(bundle: GraphBundle, reader: Reader) -> None:
    held, _ = talk(bundle, reader, AIMessage("The population is 12."))
    assert isinstance(list(held.start("What is the population of Springfield?"))[-1], Failed)


def test_what_a_model_says_from_memory_is_no_answer_and_not_repeated(bundle: GraphBundle, reader: Reader) -> None:
    session, _ = talk(bundle, reader, AIMessage("The answer is Paris."))
    failed = list(session.start("What is the capital of France?"))[-1]
    assert failed == Failed("not_understood", "The model gave no query; nothing was run.")
