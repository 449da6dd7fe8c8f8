"""The agent's own time per step, and how many questions at once a model server keeps busy.

python benchmarks/agent.py [--questions 64] [--seconds 1.0]; the server of the second part runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from clear_kgqa.agent.chat_model import ServedModel
from clear_kgqa.agent.graph import compile_graph
from clear_kgqa.agent.nodes import AgentSteps
from clear_kgqa.agent.prompts import Prompts
from clear_kgqa.agent.reminders import Reminders
from clear_kgqa.agent.toolbox import Toolbox
from clear_kgqa.ambiguity.plugin import AmbiguityPlugin
from clear_kgqa.events import Answered
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import Session, make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.embedded import EmbeddedGraph
from clear_kgqa_tools.open_bundle import open_bundle

QUESTION = "What is the capital of France?"
QUERY = 'SELECT DISTINCT ?x WHERE { ?c <http://www.w3.org/2000/01/rdf-schema#label> "France"@en ; ?p ?x } LIMIT 3'
PLAN = [
    [("SearchNodes", {"name": "France"})],
    [("ExecuteSPARQL", {"sparql": QUERY})],
    [("ExecuteSPARQL", {"sparql": QUERY + " OFFSET 1"})],
    [],
    [],
]
"""What the stand-in for a model does; it ends with its words and "no change"."""


class Clock:
    """Adds up what model, graph and safety check take, on the wall and on our own processor."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0
        self.steps: list[tuple[float, float]] = []
        self._since = (0.0, 0.0)

    def timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **named: Any) -> Any:
            wall, cpu = time.perf_counter(), time.process_time()
            try:
                return call(*given, **named)
            finally:
                self.wall += time.perf_counter() - wall
                self.cpu += time.process_time() - cpu

        return run

    def begin(self) -> None:
        self.wall = self.cpu = 0.0
        self._since = (time.perf_counter(), time.process_time())

    def step(self) -> None:
        """A step ends where the model is asked again."""
        wall, cpu = time.perf_counter() - self._since[0], time.process_time() - self._since[1]
        self.steps.append((wall - self.wall, cpu - self.cpu))
        self.begin()


class Wire:
    """Stands in for the client of a server: replies at once, by the plan."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.at = clock, 0

    def invoke(self, messages: Any, **options: Any) -> AIMessage:
        if self.at:
            self.clock.step()
        calls = PLAN[self.at]
        self.at = (self.at + 1) % len(PLAN)
        self.clock.begin()
        raw = [
            {"id": f"{time.monotonic_ns()}-{i}", "name": n, "arguments": json.dumps(a)}
            for i, (n, a) in enumerate(calls)
        ]
        return AIMessage("No change." if not calls else "", additional_kwargs={"raw_calls": raw})


def own_time(bundle: Any, reader: Reader, turns: int) -> list[tuple[float, float]]:
    """(wall, processor) seconds of each step of a served model's turns, without model, graph and safety check."""
    clock = Clock()
    settings = Settings(model="m", protocol="tools", remind=False)
    toolbox = Toolbox(bundle, reader, settings)
    toolbox.execute.check = clock.timed(toolbox.execute.check)  # type: ignore[method-assign]
    query = EmbeddedGraph.query
    EmbeddedGraph.query = clock.timed(query)  # type: ignore[method-assign]
    try:
        model = ServedModel(settings=settings, wire=Wire(clock), prompts=Prompts(bundle))
        plugin, reminders = AmbiguityPlugin(reader, settings), Reminders(settings, toolbox)
        steps = AgentSteps(model, toolbox, reader, plugin, True, 20, False, reminders)
        for turn in range(turns + 1):
            if turn == 1:
                clock.steps.clear()  # the first turn fills caches
            list(Session(bundle, compile_graph(steps, InMemorySaver()), str(turn)).start(QUESTION))
    finally:
        EmbeddedGraph.query = query  # type: ignore[method-assign]
    return clock.steps


def langgraph_step() -> float:
    """Seconds of processor that LangGraph takes for a step that does nothing, as a measure of the machine."""
    graph = StateGraph(int)
    graph.add_node("add", lambda number: number + 1)
    graph.add_edge(START, "add")
    graph.add_conditional_edges("add", lambda number: END if number >= 200 else "add", ["add", END])
    compiled = graph.compile(checkpointer=InMemorySaver())
    started = time.process_time()
    compiled.invoke(0, {"configurable": {"thread_id": "1"}, "recursion_limit": 500})
    return (time.process_time() - started) / 200


def throughput(bundle: Any, reader: Reader, questions: int, seconds: float) -> tuple[float, float]:
    """(share of the ideal throughput, seconds) of that many questions at once."""
    with subprocess.Popen(
        [sys.executable, __file__, "--serve", str(seconds)], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        settings = Settings(model="m", base_url=f"http://127.0.0.1:{port}/v1", protocol="tools", remind=False)

        def answer(number: int) -> bool:
            session = make_session(bundle, settings, reader=reader)
            return isinstance(list(session.start(QUESTION))[-1], Answered)

        answer(0)  # imports, connections and caches
        started = time.perf_counter()
        with ThreadPoolExecutor(questions) as pool:
            answered = sum(pool.map(answer, range(questions)))
        took = time.perf_counter() - started
        server.terminate()
    if answered != questions:
        raise SystemExit(f"only {answered} of {questions} questions were answered")
    return len(PLAN) * seconds / took, took


def serve(seconds: float) -> None:
    """A model server that waits, then follows the plan by how far the conversation is."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            at = max(i for i, m in enumerate(request["messages"]) if m.get("content") == QUESTION)
            turns = sum(m["role"] == "assistant" for m in request["messages"][at:])
            time.sleep(seconds)
            body = json.dumps(_completion(PLAN[turns])).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            return

    class Server(ThreadingHTTPServer):
        request_queue_size = 256

    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


def _completion(calls: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    listed = [
        {
            "id": f"{time.monotonic_ns()}-{i}",
            "type": "function",
            "function": {"name": n, "arguments": json.dumps(a)},
        }
        for i, (n, a) in enumerate(calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": "No change." if not calls else None}
    if calls:
        message["tool_calls"] = listed
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def main() -> None:
    """Print one line per figure, with its bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--serve", type=float)
    wanted = parser.parse_args()
    if wanted.serve is not None:
        serve(wanted.serve)
        return
    bundle = open_bundle("demo")
    reader = Reader(bundle)
    steps = own_time(bundle, reader, wanted.turns)
    wall, cpu = (statistics.median(values) * 1000 for values in zip(*steps, strict=True))
    print(f"own time per step, median of {len(steps)}   {wall:6.2f} ms  ({cpu:.2f} ms of processor; bound 3)")
    print(f"LangGraph alone, a step             {langgraph_step() * 1000:6.2f} ms  (0.33 on an idle machine)")
    share, took = throughput(bundle, reader, wanted.questions, wanted.seconds)
    print(
        f"{wanted.questions} questions at once                {share:6.1%}     ({took:.1f} s; bound 90 % of the ideal)"
    )
    bundle.close()


if __name__ == "__main__":
    main()
