"""Real processes over a real store; what they record is what one process records."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from clear_kgqa.evaluation.process_executor import evaluate_in_processes
from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions, evaluate
from clear_kgqa.evaluation.transcripts import read_transcripts
from clear_kgqa_tools.errors import ConfigError, EndpointError

SCRIPT = str(Path(__file__).parent / "label_strategy.py")


def work(store: str, options: EvaluateOptions) -> None:
    """What a process does: imports the tiny strategy by path, opens the store, evaluates."""
    import importlib.util

    from clear_kgqa_tools.embedded import EmbeddedGraph

    spec = importlib.util.spec_from_file_location("label_strategy", SCRIPT)
    assert spec and spec.loader
    tiny = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tiny)
    graph = EmbeddedGraph(Path(store))
    evaluate(options, lambda _: tiny.LabelStrategy(graph), tiny.evaluate_graph(graph))
    graph.close()


def refuse(options: EvaluateOptions) -> None:
    raise ConfigError(f"nothing here for {options.out.name}")


def die(options: EvaluateOptions) -> None:
    raise SystemExit(7)


def outcome(out: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    records = sorted(read_transcripts(out), key=lambda r: str(r["id"]))
    summary = json.loads((out / "summary.json").read_text())
    return [{**r, "seconds": 0} for r in records], {**summary, "seconds_per_question": 0}


def test_processes_record_what_one_does_and_go_on_from_it(
    options: EvaluateOptions, asked: EvaluateGraph, store: Path, tiny: ModuleType, tmp_path: Path
) -> None:
    whole = replace(options, out=tmp_path / "whole")
    evaluate(whole, lambda _: tiny.LabelStrategy(asked.graph), asked)
    evaluate_in_processes(replace(options, limit=4), partial(work, str(store)), 2)
    seen: list[int] = []
    evaluate_in_processes(options, partial(work, str(store)), 3, lambda now: seen.append(now.done))
    assert outcome(options.out) == outcome(whole.out)
    assert min(seen) > 4 and max(seen) == 10  # the four of the first call were not answered again


def test_what_stops_a_process_is_raised(options: EvaluateOptions) -> None:
    with pytest.raises(ConfigError, match="nothing here for shard-1-of-1"):
        evaluate_in_processes(options, refuse, 1)
    with pytest.raises(EndpointError, match="ended with 7"):
        evaluate_in_processes(options, die, 1)
    with pytest.raises(ConfigError, match="leave --shard out"):
        evaluate_in_processes(replace(options, shard=(1, 2)), refuse, 1)
