"""The object of `ask --json`."""

from __future__ import annotations

import json

from clear_kgqa.answer_json import answer_json
from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.events import Answered, Asked, Candidate, Failed, Replied, Score, Scored, Thought

ATLANTA = {"iri": "https://e/atlanta", "label": "Atlanta"}
ANSWERED = Answered(
    form="select", columns=("city", "n"), rows=((ATLANTA, {"literal": "498715"}), (None, None)),
    values=(ATLANTA,), boolean=None, sparql="SELECT ...", text="Atlanta.",
    interpretation="largest city in Georgia (US state)",
)  # fmt: skip
ASKED = Asked(
    Clarification(
        "c1", "Georgia", "entity", "Which Georgia?",
        (Option("https://e/1", "Georgia", "country", "in Asia"), Option("https://e/2", "Georgia", "state")),
    )
)  # fmt: skip


def scored(score: float, slot: str = "Georgia") -> Scored:
    candidates = (Candidate("https://e/1", "Georgia", 0.6), Candidate("https://e/2", "Georgia", 0.4))
    return Scored((Score(slot, "entity", score, 0.6, candidates),), 0.4, 0.3, 0.1)


def test_an_answer_after_a_clarification() -> None:
    out = answer_json(
        "q", [Thought("hm"), scored(0.9), ASKED, Replied("c1", "2", "options", ("Georgia",), (1,)), ANSWERED], 0.5
    )
    assert set(out) == {
        "question", "answer", "sparql", "interpretation", "clarifications", "scores",
        "incomplete", "reason", "seconds",
    }  # fmt: skip
    assert out["answer"] == {
        "form": "select",
        "columns": ["city", "n"],
        "rows": [[ATLANTA, {"literal": "498715"}], [None, None]],
        "values": [ATLANTA],
        "boolean": None,
    }
    assert out["sparql"] == "SELECT ..."
    assert out["interpretation"] == "largest city in Georgia (US state)"
    (asked,) = out["clarifications"]
    assert (asked["slot"], asked["kind"], asked["question"]) == ("Georgia", "entity", "Which Georgia?")
    assert [option["type"] for option in asked["options"]] == ["country", "state"]
    assert set(asked["options"][0]) >= {"iri", "label", "type", "description", "path", "sparql"}
    assert (asked["reply"], asked["chosen"]) == ("2", ["https://e/2"])
    assert (out["incomplete"], out["reason"], out["seconds"]) == (False, None, 0.5)
    assert json.loads(json.dumps(out)) == out


def test_scores_stand_as_they_were_when_the_question_was_asked() -> None:
    out = answer_json("q", [scored(0.2), scored(0.9), ASKED, scored(0.0), scored(0.7, "city"), ANSWERED], 0.5)
    assert [(s["slot"], s["score"]) for s in out["scores"]] == [("Georgia", 0.9), ("city", 0.7)]
    assert out["scores"][0]["threshold"] == 0.6
    assert out["scores"][0]["candidates"][1] == {"iri": "https://e/2", "label": "Georgia", "posterior": 0.4}


def test_a_failure_has_a_reason_and_the_query_that_was_tried() -> None:
    out = answer_json("q", [Failed("empty", "Nothing matched.", ("ASK {}", "SELECT 2"), "rivers in Peru")], 0.1)
    assert (out["answer"], out["reason"], out["sparql"]) == (None, "Nothing matched.", "SELECT 2")
    assert out["interpretation"] == "rivers in Peru"


def test_an_open_clarification_is_the_reason() -> None:
    out = answer_json("q", [scored(0.9), ASKED], 0.1)
    assert out["answer"] is None
    assert out["reason"] == "ambiguous: Which Georgia?"
    assert out["clarifications"][0]["reply"] is None
    assert out["clarifications"][0]["chosen"] == []


def test_yes_or_no_and_incomplete() -> None:
    ask = Answered("ask", (), (), (), True, "ASK {}", "is Lyon in France", "Yes.", incomplete=True)
    out = answer_json("q", [ask], 0.1)
    assert (out["answer"]["form"], out["answer"]["boolean"], out["incomplete"]) == ("ask", True, True)
