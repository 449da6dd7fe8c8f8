"""Answers and conversations as files that harm neither terminals nor readers."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.events import Answered, Asked, Failed, Replied
from clear_kgqa.export import answer_csv, transcript_json, transcript_markdown, turn_markdown
from clear_kgqa.session_store import Turn
from clear_kgqa_tools.text import visible

ANSWER = Answered(
    "select", ("c", "n"),
    (({"iri": "ex:a", "label": 'A "quoted", b'}, {"literal": "3"}), ({"iri": "ex:b"}, None)),
    ({"iri": "ex:a", "label": "A"},), None, "SELECT ?c ?n {}", "all of them", "A and ex:b.",
)  # fmt: skip
ASKED = Clarification(
    "c1", "entity:a", "entity", "Which A?", (Option("ex:1", "A", "city"), Option("ex:2", "A", "film"))
)


def test_csv_has_iris_and_their_labels_in_columns_of_their_own() -> None:
    assert list(csv.reader(io.StringIO(answer_csv(ANSWER)))) == [
        ["c", "c label", "n"], ["ex:a", 'A "quoted", b', "3"], ["ex:b", "", ""]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ('=HYPERLINK("http://evil";"x")', '\'=HYPERLINK("http://evil";"x")'),
        ("+49 30 1234", "'+49 30 1234"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
        ("\t=1", "'\t=1"),
        (" \n=1", "' \n=1"),
        ("\uff1d1", "'\uff1d1"),
        ("-12.5", "-12.5"),
        ("+1e3", "+1e3"),
        ("a=b", "a=b"),
    ],
)
def test_no_cell_of_a_csv_is_a_formula(value: str, cell: str) -> None:
    answer = replace(ANSWER, rows=(({"literal": value}, {"iri": "ex:a", "label": value}),))
    rows = list(csv.reader(io.StringIO(answer_csv(answer))))
    assert rows[1] == [cell, "ex:a", cell]


@pytest.mark.parametrize(("boolean", "word"), [(True, "yes"), (False, "no")])
def test_yes_and_no_are_a_table_too(boolean: bool, word: str) -> None:
    ask = replace(ANSWER, form="ask", columns=(), rows=(), boolean=boolean)
    assert answer_csv(ask) == f"answer\n{word}\n"


def test_the_transcript_tells_which_of_one_name_was_meant() -> None:
    turn = Turn("What of A?", "What of A?", [Asked(ASKED), Replied("c1", "2", "options", ("A",)), ANSWER])
    turn.notes.append((1, "  (remembered)"))
    text = transcript_markdown([turn])
    assert (
        "- (remembered)\n- Reply" in text
        and "- Which A?" in text
        and "Reply: A (film)" in text
        and "```sparql\nSELECT ?c ?n {}\n```" in text
    )
    assert json.loads(transcript_json([turn]))[0]["clarifications"][0]["reply"] == "2"


def test_hostile_text_is_neither_markdown_nor_control() -> None:
    evil = "<script>\x1b]52;c;x\x07 [a](http://evil) | `x` \u202e\n# head"
    turn = Turn(evil, evil, [Failed("empty", evil)])
    text = turn_markdown(turn)
    assert visible(text) == text and "<script>" not in text and "[a](" not in text and "\n# head" not in text
    dumped = transcript_json([turn])
    assert json.loads(dumped)[0]["question"] == evil and visible(dumped) == dumped


def test_a_query_with_backticks_stays_inside_its_fence() -> None:
    answer = replace(ANSWER, sparql='SELECT ?x { ?x ?p """\n```\n# out""" }')
    assert "````sparql" in turn_markdown(Turn("q", "q", [answer]))
