import json
from pathlib import Path

import pytest

from clear_kgqa.evaluation.score import score
from clear_kgqa_tools.errors import ConfigError


def write(path: Path, *objects: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(o) + "\n" for o in objects), encoding="utf-8")
    return path


def test_a_file_of_predictions(tmp_path: Path) -> None:
    gold = write(
        tmp_path / "gold.jsonl",
        {"id": "1", "answers": ["a", "b"], "type": "list"},
        {"id": "2", "boolean": True, "type": "ask"},
        {"id": "3", "answers": ["3"], "type": "count"},
        {"id": "4", "answers": ["x"], "type": "list"},
    )
    predictions = write(
        tmp_path / "p.jsonl",
        {"id": "1", "answers": ["a"]},
        {"id": "2", "boolean": True},
        {"id": "3", "answers": [3.0]},
    )
    out = score(gold, predictions)
    assert (out["n"], out["missing"], out["mode"]) == (4, 1, "strict")
    assert out["f1"] == pytest.approx((2 / 3 + 1 + 0 + 0) / 4, abs=1e-6)
    assert out["precision"] == 0.5 and out["recall"] == 0.375 and out["rhits1"] == 0.5 and out["em"] == 0.75
    assert out["accuracy"] == 0.25
    assert out["qald_f1"] == pytest.approx(2 * 0.75 * 0.375 / 1.125, abs=1e-6)
    assert set(out["types"]) == {"list", "ask", "count"}
    assert out["types"]["list"]["n"] == 2 and out["types"]["list"]["f1"] == pytest.approx(1 / 3, abs=1e-6)
    assert score(gold, predictions, "lenient")["accuracy"] == 0.5


def test_gold_as_prediction_is_one(tmp_path: Path) -> None:
    gold = write(
        tmp_path / "g.jsonl",
        {"id": "1", "answers": ["a | b"]},
        {"id": "2", "answers": []},
        {"id": "3", "boolean": False},
    )
    for mode in ("strict", "lenient"):
        out = score(gold, gold, mode)
        assert {out[k] for k in ("f1", "precision", "recall", "rhits1", "em", "accuracy", "qald_f1", "match")} == {1}
        assert "types" not in out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"id": "9", "answers": []}, "the id '9' is not in"),
        ({"id": "1"}, "p.jsonl:1: `answers` or `boolean` is missing"),
        ({"answers": []}, "p.jsonl:1: `id` is missing"),
    ],
)
def test_wrong_predictions(tmp_path: Path, line: dict[str, object], message: str) -> None:
    gold = write(tmp_path / "g.jsonl", {"id": "1", "answers": ["a"]})
    with pytest.raises(ConfigError, match=message):
        score(gold, write(tmp_path / "p.jsonl", line))
