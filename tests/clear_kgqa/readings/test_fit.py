"""Fitting: the gradient, what it learns, folds that share nothing, and the command with its provenance."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clear_kgqa.ambiguity.asking_curves import AskedItem, by_margin, by_voi, curve, curves_by_set, items_of
from clear_kgqa.cli import main
from clear_kgqa.evaluation.calibration import auroc, auroc_interval, auroc_within, brier, ece, grouped_folds
from clear_kgqa.evaluation.samples import Sample, write_samples
from clear_kgqa.readings.features import FEATURES, NULL_FEATURES
from clear_kgqa.readings.fit import cross_validated, fit, gains, loss, posterior_of, quality, stack
from clear_kgqa.readings.fit_rows import FitRow, tabulate
from clear_kgqa.readings.posterior import Weights
from clear_kgqa_tools.bundle import GraphBundle

pytest.importorskip("scipy")
EX = "http://ex.org/"


def ask(name: str, subject: str, predicate: str, question: str) -> Sample:
    return Sample(name, question, f"SELECT ?x {{ <{EX}{subject}> <{EX}{predicate}> ?x }}")


SAMPLES = [
    *(ask(f"cap{c}", c, "capital", f"What is the capital of {c.title()}?") for c in ("france", "spain", "georgia")),
    *(
        ask(f"pop{c}", c, "population", f"How many people live in {c.title()}?")
        for c in ("lyon", "nice", "madrid", "batumi")
    ),
    *(ask(f"nb{c}", c, "neighbour", f"Which countries border {c.title()}?") for c in ("france", "spain", "portugal")),
    ask("heat", "heat1995", "director", "Who directed Heat?"),
    Sample("empty", "What is the area of Lyon?", f"SELECT ?x {{ <{EX}lyon> <{EX}area> ?x }}"),
]


@pytest.fixture(scope="module")
def rows(bundle: GraphBundle, tmp_path_factory: pytest.TempPathFactory) -> list[FitRow]:
    folder = tmp_path_factory.mktemp("tiny_questions")
    write_samples(folder / "questions.jsonl", SAMPLES)
    return tabulate(bundle, folder / "questions.jsonl", folder / "gold.sqlite")


def test_rows_hold_readings_with_their_f1(rows: list[FitRow]) -> None:
    assert len(rows) == len(SAMPLES) - 1  # empty gold is left out
    first = rows[0]
    assert first.ceiling == 1.0 and len(first.f1) == len(first.table.readings)
    assert first.entity.endswith(EX + "france")
    assert first.template == rows[1].template == "what is the capital of _"


def test_the_gradient_is_that_of_the_loss(rows: list[FitRow]) -> None:
    stacked = stack([replace(row, breadth=at / len(rows)) for at, row in enumerate(rows)])
    w = np.random.default_rng(0).normal(0, 0.3, 2 * (len(FEATURES) + len(NULL_FEATURES)))
    _, gradient = loss(w, stacked, 0.7)
    for at in range(0, len(w), 9):
        step = np.zeros(len(w))
        step[at] = 1e-5
        slope = (loss(w + step, stacked, 0.7)[0] - loss(w - step, stacked, 0.7)[0]) / 2e-5
        assert slope == pytest.approx(gradient[at], rel=1e-4, abs=1e-4)


def test_a_fit_answers_what_it_was_fitted_on(rows: list[FitRow]) -> None:
    weights = fit(rows, reg=0.1)
    blank = Weights(np.zeros(len(FEATURES)), np.zeros(len(NULL_FEATURES)), {})
    fitted, unfitted = (quality(rows, [posterior_of(r, w) for r in rows]) for w in (weights, blank))
    assert fitted.ece < unfitted.ece
    assert fitted.silent.mean > 0.8
    assert fitted.silent.low <= fitted.silent.mean <= fitted.silent.high <= 1.0


def test_readings_keep_their_f1_in_the_order_of_the_posterior(rows: list[FitRow]) -> None:
    posterior = posterior_of(rows[0], fit(rows))
    assert gains(rows[0], posterior)[posterior.best] == 1.0


def test_curves_start_silent_and_an_oracle_never_harms(rows: list[FitRow]) -> None:
    posteriors = cross_validated(rows, folds=3)
    items = items_of(rows, posteriors)
    points = curve(items, by_voi)
    assert points[0] == (0.0, pytest.approx(np.mean([i.silent for i in items])))
    assert points[-1][0] == 1.0
    assert curve(items, by_voi, noise=1.0)[-1][1] <= points[-1][1]
    found = curves_by_set(rows, posteriors)
    (table,) = found.values()
    assert len({at["0"] for at in table.values()}) == 1
    assert "voi, noisy:0.3, modelled" in table


def test_what_a_reply_is_worth(rows: list[FitRow]) -> None:
    heat = next(i for i in items_of(rows, [posterior_of(r, fit(rows)) for r in rows]) if "Heat" in i.text)
    wanted = AskedItem(heat.text, heat.posterior, heat.f1)
    _, menu = by_margin(wanted)
    assert menu is not None
    assert wanted.informed(menu) == 1.0
    assert wanted.informed(menu, noise=1.0) < 1.0
    assert by_voi(wanted)[0] >= 0.0
    assert wanted.informed(menu, noise=0.3, assumed=0.0) == pytest.approx(0.7 + 0.3 * wanted.informed(menu, noise=1.0))


def test_folds_share_neither_key() -> None:
    keys = [("a", 1), ("b", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 5)]
    fold = grouped_folds(keys, 3)
    assert fold[0] == fold[1] == fold[2]
    assert sorted(np.bincount(fold, minlength=3)) == [1, 2, 3]
    assert (grouped_folds(keys, 3) == fold).all()


def test_auroc_and_calibration_by_hand() -> None:
    assert auroc([True, False, True, False], [0.9, 0.1, 0.4, 0.6]) == 0.75
    assert auroc([True, False], [0.5, 0.5]) == 0.5 and auroc([True], [1.0]) == 0.5 and auroc([], []) == 0.5
    found = auroc_interval([True, False] * 20, [0.9, 0.1] * 20)
    assert (found.mean, found.low, found.high) == (1.0, 1.0, 1.0)
    assert auroc_within([True, False, True, False], [0.9, 0.8, 0.2, 0.1], ["x", "x", "y", "y"]) == 1.0
    assert auroc_within([True, False], [1, 0], ["x", "y"]) == 0.5
    assert brier([1.0, 0.0], [0.5, 0.5]) == 0.25 and brier([], []) == 0.0
    assert ece([1.0, 0.0], [0.5, 0.5], bins=1) == 0.0 and ece([1.0, 1.0], [0.5, 0.5]) == 0.5 and ece([], []) == 0.0


def test_the_command_writes_weights_with_provenance(
    bundle: GraphBundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import pyoxigraph as ox

    monkeypatch.setenv("CLEAR_KGQA_CACHE", str(tmp_path / "cache"))
    assert bundle.folder is not None
    store = ox.Store.read_only(str(bundle.folder / "store"))
    ox.serialize(
        [ox.Triple(q.subject, q.predicate, q.object) for q in store], str(tmp_path / "g.nt"), ox.RdfFormat.N_TRIPLES
    )
    (tmp_path / "tiny").mkdir()
    write_samples(tmp_path / "tiny" / "questions.jsonl", SAMPLES)
    command = [
        "fit",
        "--kg",
        str(tmp_path / "g.nt"),
        "--questions",
        str(tmp_path / "tiny" / "questions.jsonl"),
        "--folds",
        "3",
    ]
    assert main([*command, "--out", str(tmp_path / "w.json"), "--curves", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["sets"]["tiny"]["n"] == len(SAMPLES) - 1 and "voi" in report["curves"]["tiny"]
    written = json.loads((tmp_path / "w.json").read_text(encoding="utf-8"))
    assert set(written["reading"]) == set(FEATURES)
    told = written["provenance"]
    assert told["fitted_on"][0]["questions"] == len(SAMPLES) - 1 and len(told["fitted_on"][0]["questions_sha256"]) == 64
    assert told["cross_validated"] == report["sets"] and str(tmp_path) not in json.dumps(told)
    assert main(["fit", "--kg", "demo"]) == 2
    assert main([*command[:5], "--folds", "50"]) == 2
