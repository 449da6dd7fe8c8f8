"""A question on the demo graph once warm: wall-clock and processor milliseconds, beside LangGraph alone in the same run."""

from __future__ import annotations

import json
import statistics
import time
from importlib.resources import files
from typing import Any

from langgraph.graph import END, START, StateGraph

from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.open_bundle import open_bundle

WARM_UP = 10
STEPS = 8  # what a turn of the offline planner takes


def bare_turn() -> Any:
    """A LangGraph graph of as many empty steps as a turn has."""
    graph = StateGraph(dict)
    names = [f"s{i}" for i in range(STEPS)]
    for name in names:
        graph.add_node(name, lambda state: {})
    for a, b in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(a, b)
    return graph.compile()


def timed(run: Any, times: int) -> tuple[float, float]:
    """Median wall and processor milliseconds of one call."""
    wall, processor = [], []
    for i in range(times):
        at, used = time.perf_counter(), time.process_time()
        run(i)
        wall.append(1000 * (time.perf_counter() - at))
        processor.append(1000 * (time.process_time() - used))
    return statistics.median(wall), statistics.median(processor)


def main() -> None:
    lines = files("clear_kgqa").joinpath("data/demo_questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines][::3]
    bundle = open_bundle("demo")
    reader, settings = Reader(bundle), Settings()
    session = make_session(bundle, settings, reader=reader, silent=True)
    for question in questions[:WARM_UP]:
        list(session.start(question))
    questions = questions[WARM_UP:]

    def turn(i: int) -> None:
        list(make_session(bundle, settings, reader=reader, silent=True).start(questions[i]))

    wall, processor = timed(turn, len(questions))
    graph = bare_turn()
    bare, _ = timed(lambda i: graph.invoke({}), 50)
    print(f"{len(questions)} questions, median: {wall:.1f} ms wall, {processor:.1f} ms of our processor time")
    print(f"LangGraph alone, {STEPS} empty steps: {bare:.1f} ms wall")
    bundle.close()


if __name__ == "__main__":
    main()
