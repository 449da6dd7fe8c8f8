import json
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions, Progress
from clear_kgqa.evaluation.samples import Sample, write_samples
from clear_kgqa.evaluation.tables import VARIANTS, Variant, tables
from clear_kgqa.evaluation.threshold_search import search_thresholds

P = "PREFIX : <http://x.example/> "
SAMPLES = [
    Sample("book", "Who is the author of Dune?", P + "SELECT ?a { :dune :author ?a }"),
    Sample("emma", "Who is the author of Emma?", P + "SELECT ?a { :emma :author ?a }"),
]


def test_all_tables_by_one_call(asked: EvaluateGraph, tiny: ModuleType, tmp_path: Path) -> None:
    write_samples(tmp_path / "q.jsonl", SAMPLES)
    made: list[Mapping[str, Any]] = []
    told: set[str] = set()

    def strategy_for(changes: Mapping[str, Any]) -> Any:
        made.append(changes)
        return lambda _: tiny.LabelStrategy(asked.graph)

    def progress(name: str, now: Progress) -> None:
        told.add(name)

    variants = (
        Variant("silent"),
        Variant("oracle", "oracle"),
        Variant("noisy", "noisy:0.5", seeds=2),
        Variant("rewritten", changes={"strategy": "interactive"}, rewritten=True),
    )
    options = EvaluateOptions(tmp_path / "q.jsonl", tmp_path / "out")
    page = tables(options, strategy_for, asked, progress, variants)
    assert page.is_file() and (tmp_path / "out" / "report.csv").is_file()
    assert told == {"silent", "oracle", "noisy-seed0", "noisy-seed1", "rewritten"}
    assert made == [{}, {}, {}, {}, {"strategy": "interactive"}]
    text = (tmp_path / "out" / "report.md").read_text()
    assert "oracle - silent" in text and "noisy-seed1" in text
    assert "What is the author of Dune?" in (tmp_path / "out" / "rewritten.jsonl").read_text()
    manifest = json.loads((tmp_path / "out" / "rewritten" / "manifest.json").read_text())
    assert manifest["settings"] == {"strategy": "interactive"}


def test_the_set_holds_what_the_paper_compares() -> None:
    names = {v.name for v in VARIANTS}
    assert {
        "silent",
        "oracle",
        "interactive",
        "interactive-rewritten",
        "no-plugin",
        "no-entity",
        "no-intent",
    } <= names
    assert {v.seeds for v in VARIANTS if v.user.startswith("noisy")} == {3}


def test_threshold_search_writes_grid_table_and_plot(asked: EvaluateGraph, tiny: ModuleType, tmp_path: Path) -> None:
    write_samples(tmp_path / "q.jsonl", SAMPLES)
    options = EvaluateOptions(tmp_path / "q.jsonl", tmp_path / "out", user="oracle")
    found = search_thresholds(options, lambda _: tiny.LabelStrategy(asked.graph), asked)
    assert found["items"] == 2 and found == json.loads((tmp_path / "out" / "thresholds.json").read_text())
    assert "development half" in (tmp_path / "out" / "thresholds.md").read_text()
    assert (tmp_path / "out" / "thresholds.svg").read_text().startswith("<svg")
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["user"] == "silent"
