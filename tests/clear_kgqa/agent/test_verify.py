"""The form of an answer is checked without a model; then the model checks its query once."""

from __future__ import annotations

import pytest

from clear_kgqa.agent.toolbox import Toolbox
from clear_kgqa.agent.verify import counted, form_fault, verification
from clear_kgqa.readings.reader import Reader
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.execute import Execution

NEIGHBOURS = "SELECT ?x WHERE { <http://ex.org/spain> <http://ex.org/neighbour> ?x }"
COUNT = "SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE { <http://ex.org/spain> <http://ex.org/neighbour> ?x }"
ASK = "ASK { <http://ex.org/spain> <http://ex.org/neighbour> <http://ex.org/france> }"
ONE = NEIGHBOURS + " ORDER BY ?x LIMIT 1"
POPULATION = "SELECT ?n WHERE { <http://ex.org/spain> <http://ex.org/population> ?n }"


def run(bundle: GraphBundle, reader: Reader, sparql: str) -> Execution:
    return Toolbox(bundle, reader, Settings()).execution(sparql)


@pytest.mark.parametrize(
    ("question", "sparql", "fault"),
    [
        ("Does Spain border France?", NEIGHBOURS, "use ASK"),
        ("Does Spain border France?", ASK, ""),
        ("Can you tell me who Spain's neighbours are?", NEIGHBOURS, ""),
        ("How many neighbours does Spain have?", NEIGHBOURS, "COUNT"),
        ("How many neighbours does Spain have?", COUNT, ""),
        ("How many people live in Spain?", POPULATION, ""),
        ("How many neighbours does Spain have?", ASK, "does not want yes or no"),
        ("Which countries border Spain?", ASK, "does not want yes or no"),
        ("Which countries border Spain?", NEIGHBOURS, ""),
        ("Which is larger, France or Portugal?", NEIGHBOURS, "the one item"),
        ("Which is larger, France or Portugal?", ONE, ""),
    ],
)
def test_the_form_that_a_question_asks_for(
    bundle: GraphBundle, reader: Reader, question: str, sparql: str, fault: str
) -> None:
    found = form_fault(question, run(bundle, reader, sparql))
    assert fault in found
    assert bool(found) == bool(fault)


def test_the_model_is_shown_question_query_and_fault(bundle: GraphBundle, reader: Reader) -> None:
    told = verification("How many {query} neighbours?", run(bundle, reader, NEIGHBOURS))
    assert NEIGHBOURS in told
    assert "How many {query} neighbours?" in told
    assert "COUNT" in told
    assert '"no change"' in told


def test_the_last_query_that_ran_counts_but_no_empty_one_of_the_check() -> None:
    good, broken = {"sparql": "a", "failed": False, "empty": False}, {"sparql": "b", "failed": True}
    emptied = {"sparql": "c", "failed": False, "empty": True, "checking": True}
    assert counted([]) is None
    assert counted([broken]) is None
    assert counted([good, broken]) == good
    assert counted([good, emptied]) == good
    assert counted([good, {**emptied, "empty": False}]) == {**emptied, "empty": False}
    assert counted([emptied]) == emptied
