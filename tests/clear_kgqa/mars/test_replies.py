"""What models really send in place of the JSON object."""

from __future__ import annotations

import pytest

from clear_kgqa.mars.replies import Decision, read_decision, read_text, read_verdict

ASK = "ASK { <http://e/a> <http://e/b> ?x }"


@pytest.mark.parametrize(
    ("said", "decision"),
    [
        ('{"thought": "so", "expand": [2, 5], "sparql": ""}', Decision("so", expand=(2, 5))),
        ('{"expand": ["2", "5"]}', Decision(expand=(2, 5))),
        ('{"expand": "2, 5"}', Decision(expand=(2, 5))),
        ('{"expand": 2}', Decision(expand=(2,))),
        ('{"expand": [2, 2]}', Decision(expand=(2,))),
        ("{'expand': [2]}", Decision(expand=(2,))),
        ('Let me see.\n```json\n{"expand": [2]}\n```', Decision(expand=(2,))),
        ('<think>{"expand": [9]}</think>{"expand": [2]}', Decision(expand=(2,))),
        (f'{{"thought": "", "sparql": "{ASK}"}}', Decision(sparql=ASK)),
        (f'{{"query": "{ASK}", "expand": [1]}}', Decision(sparql=ASK)),
        (f'{{"sparql": "```sparql\\n{ASK}\\n```"}}', Decision(sparql=ASK)),
        (ASK, Decision(sparql=ASK)),
        (f"```sparql\n{ASK}\n```", Decision(sparql=ASK)),
        (f"The query is:\n{ASK}", Decision(sparql=ASK)),
    ],
)
def test_a_decision(said: str, decision: Decision) -> None:
    found = read_decision(said)
    assert (found.thought, found.sparql.strip(), found.expand, found.fault) == (
        decision.thought,
        decision.sparql,
        decision.expand,
        "",
    )


@pytest.mark.parametrize(
    "said", ["", "Paris", "{", '{"expand": []}', '{"sparql": null}', "[1, 2]", '{"expand": {"a": 1}}']
)
def test_what_is_no_decision_says_so(said: str) -> None:
    assert read_decision(said).fault


def test_a_verdict_and_a_text_field() -> None:
    assert read_verdict('{"verdict": "no change"}') == ""
    assert read_verdict("No change needed.") == ""
    assert read_verdict(f'{{"sparql": "{ASK}"}}') == ASK
    assert read_verdict("<think>SELECT</think>no change") == ""
    assert read_text('{"english": "What\\n is it?"}', "english") == "What is it?"
    assert read_text('{"english": 5}', "english") == ""
    assert read_text("What is it?", "english") == ""
