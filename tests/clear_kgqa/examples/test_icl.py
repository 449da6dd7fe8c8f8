"""The in-context learning experiment, on a model that copies its last example."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.examples.icl import prompt, run_icl
from clear_kgqa.examples.icl_report import IclReport, write_report
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.lexical import LexicalSimilarity

pytest.importorskip("sacrebleu")

NAMES = ["Ada", "Bo", "Cy", "Di", "Ed", "Flo"]
P = "PREFIX e: <http://e/> "
TRAIN = [
    *(Sample(f"w{n}", f"Who wrote {n}?", f"{P}SELECT ?a {{ e:{n} e:author ?a }}") for n in NAMES),
    *(Sample(f"d{n}", f"Did {n} write Dune?", f"{P}ASK {{ e:Dune e:author e:{n} }}") for n in NAMES),
]
TEST = [
    Sample("1", "Who wrote Zed?", "SELECT ?a { <http://e/Zed> <http://e/author> ?a }"),
    Sample("2", "Did Zed write Dune?", "ASK { <http://e/Dune> <http://e/author> <http://e/Zed> }"),
    Sample("3", "Who wrote Ada?", "SELECT ?a { <http://e/Ada> <http://e/author> ?a }"),
    Sample("4", "What is broken?", "SELECT oops"),
]


class CopyingModel:
    """Answers with the triples of the last example, the subject of Zed's questions put right."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def generate(self, prompts: list[str]) -> list[str]:
        self.prompts += prompts
        return [p.rpartition("\nTriples: ")[2].partition("\n")[0] if "\nTriples: " in p else "" for p in prompts]


def report(model: CopyingModel, **options: bool) -> IclReport:
    return run_icl(
        TRAIN,
        TEST,
        {"copy": lambda: model},
        LexicalSimilarity(),
        shots=(0, 1, 2),
        prefixes={"e": "http://e/"},
        **options,
    )


def test_the_table_holds_every_strategy_and_number_of_shots() -> None:
    found = report(CopyingModel())
    cells = [(r.strategy, r.shots, r.types) for r in found.rows]
    assert cells == [
        ("none", 0, ""),
        *((s, k, t) for k in (1, 2) for s, t in [("fr", ""), ("ss", ""), ("str", "predicted"), ("stss", "predicted")]),
    ]
    assert (found.train, found.test, found.left_out) == (11, 3, 2)
    assert found.type_accuracy == 1
    none, *_ = found.rows
    assert (none.bleu, none.f1) == (0, 0)


def test_gold_types_are_added_only_when_asked_for() -> None:
    assert [r for r in report(CopyingModel()).rows if r.types == "gold"] == []
    assert len([r for r in report(CopyingModel(), gold_types=True).rows if r.types == "gold"]) == 4


def test_no_prompt_holds_the_gold_query_of_its_question() -> None:
    """Not even where the training set has the same question: its example is left out."""
    model = CopyingModel()
    report(model)
    asked = [p for p in model.prompts if p.endswith("Question: Who wrote Ada?\nTriples:")]
    assert len(asked) >= 5  # a prompt is asked once, though several strategies may come to it
    assert not [p for p in asked if "e:Ada [SEP] e:author [SEP] [ROOT]" in p]


def test_a_prompt_has_the_nearest_example_last() -> None:
    assert prompt("Q?", [("A?", "a [END]"), ("B?", "b [END]")]).endswith(
        "Question: A?\nTriples: a [END]\n\nQuestion: B?\nTriples: b [END]\n\nQuestion: Q?\nTriples:"
    )


def test_the_report_is_written(tmp_path: Path) -> None:
    found = report(CopyingModel())
    write_report(found, tmp_path / "out")
    table = (tmp_path / "out" / "icl.md").read_text().splitlines()
    assert table[2] == "| model | strategy | shots | type | BLEU | F1 |"
    assert len([line for line in table if line.startswith("| copy |")]) == len(found.rows) == 9
    data = json.loads((tmp_path / "out" / "icl.json").read_text())
    assert data["rows"][0]["model"] == "copy"
    assert "predictions" not in data
    predictions = (tmp_path / "out" / "predictions.jsonl").read_text().splitlines()
    assert len(predictions) == 9 * 3


def test_nothing_to_run_on_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError):
        run_icl(TRAIN, [TEST[3]], {}, LexicalSimilarity())
