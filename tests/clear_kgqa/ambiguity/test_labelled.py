"""Labelled items: reading them, compatibility through facts and through domains, figures and floors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from clear_kgqa.ambiguity.compatibility import Compatibility, masked_question
from clear_kgqa.ambiguity.labelled import LabelledItem, candidates_of, figures, read_items, scored, templates
from clear_kgqa.ambiguity.labelled_fit import logistic, trained_scores, wording_alone
from clear_kgqa.ambiguity.recipes import make_recipe
from clear_kgqa.cli import main
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.open_bundle import open_bundle

EX = "http://ex.org/"
HEAD = "@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
PROPERTIES = {"Film": "director", "Person": "date of birth", "River": "length", "Recipe": "ingredient"}


def schema_only() -> str:
    """Namesakes of every two types, with a property per type and no facts."""
    lines = [HEAD]
    for cls, prop in PROPERTIES.items():
        name = prop.replace(" ", "_")
        lines.append(f'ex:{cls} rdfs:label "{cls.lower()}" . ex:{name} rdfs:label "{prop}" ; rdfs:domain ex:{cls} .')
        lines += [f'ex:{cls}{n} a ex:{cls} ; rdfs:label "Aubette" .' for n in range(2)]
    return "\n".join(lines)


def schema_items() -> list[LabelledItem]:
    """Asked of two of a type that carries the property (ambiguous), and of one that does and one that does not."""
    items = []
    for cls, prop in PROPERTIES.items():
        question = f"What is the {prop} of Aubette?"
        items.append(LabelledItem(question, (f"{EX}{cls}0", f"{EX}{cls}1"), True))
        items += [
            LabelledItem(question, (f"{EX}{cls}0", f"{EX}{other}1"), False) for other in PROPERTIES if other != cls
        ]
    return items


@pytest.fixture(scope="module")
def namesakes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphBundle]:
    folder = tmp_path_factory.mktemp("namesakes")
    (folder / "kg.ttl").write_text(schema_only(), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEAR_KGQA_CACHE", str(folder / "cache"))
        opened = open_bundle(str(folder / "kg.ttl"))
    yield opened
    opened.close()


def write_items(path: Path, items: list[LabelledItem]) -> Path:
    rows = [{"question": i.question, "candidates": list(i.candidates), "label": int(i.label)} for i in items]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_what_the_types_may_carry_tells_clear_questions_from_ambiguous_ones(namesakes: GraphBundle) -> None:
    items = schema_items()
    scores = scored(make_recipe("calibrated", namesakes), items, candidates_of(namesakes, items))
    found = figures(items, scores)
    assert found["auroc"] == 1.0 and found["n"] == 16
    assert found["auroc_low"] <= found["auroc"] <= found["auroc_high"]
    assert scores[0] == 1.0  # nothing tells two of a type apart
    noise = figures(items, scored(make_recipe("noise", namesakes), items, candidates_of(namesakes, items)))
    assert 0.1 < noise["auroc"] < 0.9


def test_facts_count_before_domains(bundle: GraphBundle) -> None:
    compatibility = Compatibility(bundle)
    nodes = bundle.nodes.describe([EX + "france", EX + "portugal"])
    can = compatibility.askable([nodes[EX + "france"], nodes[EX + "portugal"]])
    capital = compatibility.space.index[EX + "capital"]
    assert can[0, capital] and not can[1, capital]
    assert not can[:, ~compatibility.asked].any()


def test_an_unknown_candidate_and_a_lone_one(namesakes: GraphBundle) -> None:
    items = [
        LabelledItem("length of Aubette", (EX + "River0",), False),
        LabelledItem("length of Aubette", (EX + "River0", EX + "nowhere"), False),
    ]
    alone, unknown = scored(make_recipe("calibrated", namesakes), items, candidates_of(namesakes, items))
    assert alone == 0.0
    assert unknown < 0.5
    with pytest.raises(ConfigError, match="share"):
        trained_scores(namesakes, items, candidates_of(namesakes, items))


def test_a_regression_is_judged_on_other_folds(namesakes: GraphBundle) -> None:
    items = schema_items()
    scores = trained_scores(namesakes, items, candidates_of(namesakes, items), folds=4)
    assert figures(items, scores)["auroc"] >= 0.9


class Judge:
    """A likelihood that was trained to read what a candidate has."""

    context_style = "fits"

    def score(self, question: str, contexts: list[str]) -> list[float]:
        return [0.0 if question[12:-12] in context else -4.0 for context in contexts]


def test_a_language_model_is_evidence_too(namesakes: GraphBundle) -> None:
    items = schema_items()
    assert Judge().score("What is the length of Aubette?", ["This one has length.", "This one has nothing."]) == [0, -4]
    scores = trained_scores(namesakes, items, candidates_of(namesakes, items), folds=4, likelihood=Judge())
    assert figures(items, scores)["auroc"] == 1.0


def test_logistic_regression_by_hand() -> None:
    x = np.array([[0.0], [0.0], [1.0], [1.0]])
    w = logistic(x, np.array([0.0, 1.0, 1.0, 1.0]), reg=1e-6)
    assert 1 / (1 + np.exp(-w[-1])) == pytest.approx(0.5, abs=1e-3)
    assert w[0] > 5


def test_wording_alone_sees_through_templates(namesakes: GraphBundle) -> None:
    items = [
        LabelledItem(f"{'when was' if label else 'who is'} Aubette {i % 7}", (f"{EX}a{i}", f"{EX}b{i}"), label)
        for i in range(40) for label in (True, False)
    ]  # fmt: skip
    nodes = candidates_of(namesakes, items)
    floor = figures(items, [1 / (1 + np.exp(-s)) for s in wording_alone(items, nodes, by_template=False)])
    assert floor["auroc"] == 1.0
    assert len(set(templates(items, nodes))) == 14


def test_masking_takes_names_out() -> None:
    assert masked_question("Who directed HEAT (film)?", ["Heat", "Heat (film)"]) == "Who directed"
    assert masked_question("Heat?", ["Heat"]) == "Heat?"


@pytest.mark.parametrize(
    "line",
    ['{"candidates": [], "label": 1}', '{"question": "q", "candidates": "x", "label": 1}',
     '{"question": "q", "candidates": [], "label": 2}', '{"question": "q", "candidates": [], "label": 1, "history": [1]}', ""],
)  # fmt: skip
def test_wrong_items_are_told_with_their_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "items.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"items\.jsonl"):
        read_items(tmp_path / "items.jsonl")


def test_the_command_prints_what_the_contract_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLEAR_KGQA_CACHE", str(tmp_path / "cache"))
    (tmp_path / "kg.ttl").write_text(schema_only(), encoding="utf-8")
    items = write_items(tmp_path / "items.jsonl", schema_items())
    command = ["ambiguity", "--items", str(items), "--kg", str(tmp_path / "kg.ttl")]
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"auroc", "auroc_low", "auroc_high", "brier", "ece", "accuracy", "n", "scorer", "likelihood"} <= set(found)
    assert (found["scorer"], found["likelihood"], found["n"], found["auroc"]) == ("calibrated", "offline", 16, 1.0)
    assert main([*command, "--scorer", "paper"]) == 0
    assert "question only by template" in capsys.readouterr().out
    assert main([*command, "--trained", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scorer"] == "trained"
    assert main([*command, "--scorer", "nonsense"]) == 2
    assert main(["ambiguity"]) == 2
