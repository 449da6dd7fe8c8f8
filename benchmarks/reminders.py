"""A model that passes over hints, stopped once and told to ask, or not: what follows from the reminder.

Usage: python benchmarks/reminders.py     (PYTHONPATH=.:tools)
A scripted model plays the tool protocol over the demo graph as the offline planner does, but never asks when a hint
orders it: it runs its best query at once. Where that query is held back it asks after all in a share of the cases
(`obeys`), else it repeats the query. The user is the oracle; the questions are the ambiguous ones of the demo set and
as many others as make fifty.
"""

from __future__ import annotations

import json
import tempfile
import uuid
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from clear_kgqa.agent.graph import compile_graph
from clear_kgqa.agent.nodes import AgentSteps
from clear_kgqa.agent.offline_planner import OfflinePlanner
from clear_kgqa.agent.reminders import Reminders
from clear_kgqa.agent.tool_specs import ASK_FOR_CLARIFICATION, EXECUTE_SPARQL
from clear_kgqa.agent.toolbox import Toolbox
from clear_kgqa.ambiguity.plugin import AmbiguityPlugin
from clear_kgqa.cli.opening import opened_graph
from clear_kgqa.evaluation.dialogue import MakeStrategy
from clear_kgqa.evaluation.need import describer
from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions, evaluate
from clear_kgqa.evaluation.samples import Sample, read_samples, write_samples
from clear_kgqa.evaluation.transcripts import Record, read_transcripts
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import Session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.execute import ExecuteSPARQL

QUESTIONS = 50
HELD = "Not run: "


class Careless(OfflinePlanner):
    """The offline planner, but one that runs its best query where it is told to ask."""

    obeys: float
    random: Any

    def _step(self, question: str, turn: list[ToolMessage], number: int) -> AIMessage:
        held = turn[-1] if turn and str(turn[-1].content).startswith(HELD) else None
        if held and self.random.random() < self.obeys:
            arguments, _ = json.JSONDecoder().raw_decode(str(held.content).partition("with ")[2])
            return _calling(ASK_FOR_CLARIFICATION, number, arguments)
        return super()._step(question, [m for m in turn if not str(m.content).startswith(HELD)], number)

    def _decide(self, question: str, turn: list[ToolMessage], number: int) -> AIMessage:
        for message in reversed(turn):
            found = message.artifact.get("assessment") if isinstance(message.artifact, dict) else None
            if found and found["ask"] and found["best"]:
                return _calling(EXECUTE_SPARQL, number, {"sparql": found["best"]["sparql"]})
            if found:
                break
        return super()._decide(question, turn, number)


def _calling(tool: str, number: int, arguments: dict[str, Any]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": tool, "args": arguments, "id": f"call-{number}-0"}])


def samples() -> list[Sample]:
    """The ambiguous questions and others, fifty in all."""
    found = read_samples(Path(str(files("clear_kgqa") / "data" / "demo_questions.jsonl")))
    return sorted(found, key=lambda s: not s.needs_clarification)[:QUESTIONS]


def figures(records: list[Record]) -> str:
    """A row: hints, how many were stopped, how many asked then, F1 over all and over those with a hint, model calls."""
    hinted = [
        r for r in records if any(e["event"] == "scored" and e["hint"].startswith("HINT: the") for e in r["events"])
    ]
    stopped = [
        r for r in hinted if any(e["event"] == "observation" and e["text"].startswith(HELD) for e in r["events"])
    ]
    asked = [r for r in stopped if r["clarifications"]]
    calls = sum(e["event"] == "toolcall" for r in records for e in r["events"]) / len(records)
    means = [
        sum(r["metrics"]["lenient"]["f1"] for r in some if "metrics" in r) / len(some) for some in (records, hinted)
    ]
    return f"{len(hinted)} | {len(stopped)} | {len(asked)} | {means[0]:.3f} | {means[1]:.3f} | {calls:.2f} |"


def careless(bundle: GraphBundle, reader: Reader, remind: bool, obeys: float) -> MakeStrategy:
    """Sessions with the careless model, as `make_session` puts them together for a served one."""
    settings = Settings(remind=remind, verify=False)

    def strategy(sample: Sample) -> Session:
        toolbox = Toolbox(bundle, reader, settings)
        model = Careless(reader=reader, obeys=obeys, random=Random(sample.id))
        plugin, reminders = AmbiguityPlugin(reader, settings), Reminders(settings, toolbox)
        steps = AgentSteps(model, toolbox, reader, plugin, True, settings.steps, False, reminders)
        return Session(bundle, compile_graph(steps, InMemorySaver()), uuid.uuid4().hex)

    return strategy


def main() -> None:
    print(
        f"| reminder | obeys | hints in {QUESTIONS} | stopped | asked then | F1 | F1 where hinted | calls per question |"
    )
    print("|---|---|---|---|---|---|---|---|")
    with opened_graph(Settings()) as bundle, tempfile.TemporaryDirectory() as folder:
        reader = Reader(bundle)
        check = ExecuteSPARQL(bundle.graph, bundle.profile.prefixes).check
        graph = EvaluateGraph(bundle.graph, check, describer(bundle), bundle.name, bundle.data_hash)
        questions = Path(folder) / "questions.jsonl"
        write_samples(questions, samples())
        for remind, obeys in ((False, 1.0), (True, 0.0), (True, 0.5), (True, 1.0)):
            out = Path(folder) / f"{remind}-{obeys}"
            evaluate(EvaluateOptions(questions, out, user="oracle"), careless(bundle, reader, remind, obeys), graph)
            row = figures(list(read_transcripts(out)))
            print(f"| {'on' if remind else 'off'} | {obeys if remind else '-'} | {row}", flush=True)


if __name__ == "__main__":
    main()
