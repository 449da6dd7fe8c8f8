import csv
import io
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from clear_kgqa.evaluation.report import load_runs, report
from clear_kgqa.evaluation.report.runs import compare
from clear_kgqa.evaluation.report.svg import bar_chart, histogram, line_chart
from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions, evaluate
from clear_kgqa.evaluation.samples import Sample, write_samples
from clear_kgqa_tools.errors import ConfigError

P = "PREFIX : <http://x.example/> "
NODES = {"dune": "Dune", "dune2": "Dune", "emma": "Emma", "ivanhoe": "Ivanhoe"}


@pytest.fixture
def run(asked: EvaluateGraph, tiny: ModuleType, tmp_path: Path) -> Any:
    questions = tmp_path / "questions.jsonl"
    samples = [
        Sample(node, f"Who is the author of {name}?", f"{P}SELECT ?a {{ :{node} :author ?a }}", type=name)
        for node, name in NODES.items()
    ]
    evil = Sample("evil", "Author\x1b]52;c\x07 of <script>alert(1)</script>?", P + "ASK { :dune :author ?a }")
    write_samples(questions, [*samples, evil, Sample("broken", "Broken?", "SELECT")])

    def go(out: str, user: str, **more: Any) -> Path:
        options = EvaluateOptions(questions, tmp_path / out, user=user, settings={"strategy": "tiny"}, **more)
        evaluate(options, lambda _: tiny.LabelStrategy(asked.graph), asked)
        return tmp_path / out

    return go


def test_markdown_of_two_runs(run: Any) -> None:
    text = report([run("silent", "silent"), run("oracle", "oracle")])
    assert "| tiny, silent | 6 | 5 | 0 | 1 | 0.600 |" in text and "| tiny, oracle | 6 | 5 | 0 | 1 | 0.800 |" in text
    assert "| tiny, oracle - tiny, silent | 5 | +0.200 |" in text
    assert "F1 against questions per item: tiny, silent" in text
    assert "excluded: broken or empty on this graph | 1 | broken |" in text
    assert "\x1b" not in text


def test_html_is_self_contained_and_harmless(run: Any, tmp_path: Path) -> None:
    page = tmp_path / "sub" / "report.html"
    assert report([run("silent", "silent"), run("oracle", "oracle")], page) == ""
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text and "&lt;script&gt;" in text
    assert not re.search(r'(?:src|href)="(?!#)', text) and not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    assert text.count("<details>") == 14 and text.count("<svg") >= 4
    assert "Which Dune?" in text and "reply: " in text and "no reply" in text


def test_csv_has_a_row_for_every_run_and_type(run: Any, tmp_path: Path) -> None:
    report([run("silent", "silent")], tmp_path / "report.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "report.csv").read_text())))
    assert [r["type"] for r in rows] == ["", "Dune", "Emma", "Ivanhoe"]
    assert float(rows[1]["f1"]) == 0.5 and rows[0]["n"] == "6"


def test_shards_are_merged(run: Any) -> None:
    shards = [run(f"shard{at}", "oracle", shard=(at, 3)) for at in (1, 2, 3)]
    whole = run("whole", "oracle")
    merged, single = load_runs([*shards, whole])
    assert len(merged.folders) == 3 and merged.name != single.name
    assert untimed(merged.summary) == untimed(single.summary)
    assert compare(merged, single).difference.mean == 0


def untimed(summary: dict[str, Any]) -> dict[str, Any]:
    kept = {k: v for k, v in summary.items() if k != "seconds_per_question"}
    return {k: untimed(v) if isinstance(v, dict) else v for k, v in kept.items()}


def test_what_cannot_be_reported(run: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at least one"):
        report([])
    with pytest.raises(ConfigError, match="holds no readable manifest"):
        report([tmp_path / "nothing"])
    with pytest.raises(ConfigError, match=r"\.html, \.md or \.csv"):
        report([run("silent", "silent")], tmp_path / "report.pdf")


def test_the_mode_is_that_of_the_run(run: Any) -> None:
    folder = run("lenient", "silent", mode="lenient")
    assert load_runs([folder])[0].mode == "lenient" and load_runs([folder], "strict")[0].mode == "strict"
    (folder / "summary.json").write_text(json.dumps({}))
    assert load_runs([folder])[0].mode == "strict"


def test_charts_of_nothing_and_of_something() -> None:
    assert "<polyline" not in line_chart({}, "x", "y") and "<polyline" not in line_chart({"a": []}, "x", "y")
    assert line_chart({"a": [(0, 0), (1, 1)], "<b>": [(0, 1)]}, "x", "y").count("<polyline") == 2
    assert "&lt;b&gt;" in line_chart({"<b>": [(0, 1)]}, "x", "y")
    assert bar_chart({"a": 0.5, "b": 1.0}, "x", "y").count("<rect") == 2
    assert histogram({"a": [0.0, 1.0, 0.5], "b": []}, "x").count("<polyline") == 2
