"""A real local Ray with two workers; slow to start, so marked."""

import json
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from clear_kgqa.evaluation.ray_executor import evaluate_on_ray
from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions, evaluate
from clear_kgqa.evaluation.shards import merge_shards
from clear_kgqa.evaluation.transcripts import read_transcripts
from clear_kgqa_tools.errors import ConfigError

HERE = Path(__file__).parent


def outcome(out: Path) -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]]:
    records = sorted(read_transcripts(out), key=lambda r: str(r["id"]))
    summary = json.loads((out / "summary.json").read_text())
    manifest = json.loads((out / "manifest.json").read_text())
    return [{**r, "seconds": 0} for r in records], {**summary, "seconds_per_question": 0}, manifest


def shard_work(store: str, script: str, options: EvaluateOptions) -> None:
    """What a worker runs: imports the tiny strategy by path, opens the store, evaluates."""
    import importlib.util

    from clear_kgqa_tools.embedded import EmbeddedGraph

    spec = importlib.util.spec_from_file_location("label_strategy", script)
    assert spec and spec.loader
    tiny = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tiny)
    graph = EmbeddedGraph(Path(store))
    evaluate(options, lambda _: tiny.LabelStrategy(graph), tiny.evaluate_graph(graph))
    graph.close()


def test_merged_shards_equal_one_run(
    options: EvaluateOptions, asked: EvaluateGraph, tiny: ModuleType, tmp_path: Path
) -> None:
    def go(out: str, **more: Any) -> Path:
        evaluate(replace(options, out=tmp_path / out, **more), lambda _: tiny.LabelStrategy(asked.graph), asked)
        return tmp_path / out

    shards = [go(f"part{at}", shard=(at, 3)) for at in (1, 2, 3)]
    merge_shards(options, shards)
    assert outcome(options.out) == outcome(go("whole"))
    merge_shards(options, shards)
    assert len((options.out / "transcripts.jsonl").read_text().splitlines()) == 10


def test_a_shard_of_its_own_is_refused(options: EvaluateOptions) -> None:
    with pytest.raises(ConfigError, match="leave --shard out"):
        evaluate_on_ray(replace(options, shard=(1, 2)), print, 2)


@pytest.mark.slow
def test_two_ray_workers_do_what_one_process_does(
    options: EvaluateOptions, asked: EvaluateGraph, store: Path, tiny: ModuleType, tmp_path: Path
) -> None:
    ray = pytest.importorskip("ray")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    root = HERE.parents[2]
    os.environ["PYTHONPATH"] = os.pathsep.join([str(root), str(root / "tools")])
    work = partial(shard_work, str(store), str(HERE / "label_strategy.py"))
    evaluate_on_ray(options, work, workers=2)
    whole = replace(options, out=tmp_path / "whole")
    evaluate(whole, lambda _: tiny.LabelStrategy(asked.graph), asked)
    assert outcome(options.out) == outcome(whole.out)
