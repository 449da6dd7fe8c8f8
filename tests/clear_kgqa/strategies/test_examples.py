"""Worked examples in every strategy's prompt, chosen from the question's text and never from its gold query."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clear_kgqa.events import Answered
from clear_kgqa.examples.chosen import chosen_selector, on_one_line, queries_shown
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError
from tests.clear_kgqa.agent.faulty_model_server import KEY, FaultyModelServer, completion
from tests.clear_kgqa.mars.talk import NO_CHANGE, mars, query, rewritten

E = "http://ex.org/"
QUESTION = "What is the capital of France?"
GOLD = f"SELECT ?x {{ <{E}france> <{E}capital> ?x }}"
QUERY = f"SELECT DISTINCT ?x WHERE {{ <{E}france> <{E}capital> ?x }}"
OTHERS = {
    "What is the capital of Spain?": f"SELECT ?x {{ <{E}spain> <{E}capital> ?x }} # comment\n",
    "What is the capital of Georgia?": f"SELECT ?x {{ <{E}georgia> <{E}capital> ?x }}",
    "Does Spain border Portugal?": f"ASK {{ <{E}spain> <{E}neighbour> <{E}portugal> }}",
}


def file(folder: Path, gold: str = GOLD) -> Path:
    """The examples, the question itself with its gold query among them."""
    asked = {**OTHERS, QUESTION.upper(): gold}
    lines = [json.dumps({"id": str(i), "question": q, "sparql": s}) for i, (q, s) in enumerate(asked.items())]
    (folder / "train.jsonl").write_text("\n".join(lines))
    return folder / "train.jsonl"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLEAR_KGQA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def asked(bundle: GraphBundle, strategy: str, reply: dict[str, Any], **given: Any) -> tuple[str, Answered]:
    """What the model was sent before its first reply, and the answer."""
    with FaultyModelServer([reply, completion("Paris.")]) as server:
        settings = Settings(
            model="m", base_url=server.url, api_key=KEY, protocol="tools", verify=False, strategy=strategy, **given
        )
        session = make_session(bundle, settings)
        answer = list(session.start(QUESTION))[-1]
        session.close()
        assert isinstance(answer, Answered), answer
        return "\n".join(str(m["content"]) for m in server.chats[0]["messages"]), answer


REPLIES = {
    "clear": completion("", [("ExecuteSPARQL", {"sparql": QUERY})]),
    "interactive": completion("", [("ExecuteSPARQL", {"sparql": QUERY})]),
    "io": completion('Answer: ["Paris"]'),
    "cot": completion('Answer: ["Paris"]'),
    "nlkgq": completion(QUERY),
}
SHOWN = {
    "io": 'Answer: ["Madrid"]',
    "cot": 'What leads to the answer: Spain, capital, ?x.\nAnswer: ["Madrid"]',
}
LEAKS = {"io": "Paris", "cot": "Paris"}


@pytest.mark.parametrize("strategy", REPLIES)
def test_examples_stand_in_the_prompt_and_the_questions_own_gold_never(
    bundle: GraphBundle, tmp_path: Path, strategy: str
) -> None:
    """The file holds the very question with its gold query: even a careless user leaks nothing."""
    sent, answer = asked(bundle, strategy, REPLIES[strategy], examples="ss:2", examples_from=file(tmp_path))
    assert answer.values == ({"iri": f"{E}paris", "label": "Paris"},)
    assert "What is the capital of Spain?" in sent
    assert SHOWN.get(strategy, f"<{E}spain> <{E}capital> ?x") in sent
    assert LEAKS.get(strategy, f"<{E}france> <{E}capital>") not in sent


def test_mars_shows_them_to_its_reasoner(bundle: GraphBundle, reader: Reader, tmp_path: Path) -> None:
    strategy, model = mars(
        bundle, reader, rewritten(), query(QUERY), NO_CHANGE, examples="ss:1", examples_from=file(tmp_path)
    )
    assert isinstance(list(strategy.start(QUESTION))[-1], Answered)
    system = str(model.seen[1][0].content)
    assert "Question: What is the capital of Spain?\nSPARQL: SELECT" in system and GOLD not in system


def test_without_the_option_no_example_is_shown(bundle: GraphBundle) -> None:
    sent, _ = asked(bundle, "nlkgq", REPLIES["nlkgq"])
    assert "Question: What is" not in sent


@pytest.mark.parametrize("spec", ["fr:2", "ss:2", "str:1", "stss:1"])
def test_what_is_chosen_does_not_depend_on_the_questions_gold_query(
    bundle: GraphBundle, tmp_path: Path, spec: str
) -> None:
    chosen = []
    for gold in (GOLD, f"ASK {{ <{E}a> <{E}b> ?x . ?x <{E}b> ?x }}"):
        selector = chosen_selector(Settings(examples=spec, examples_from=file(tmp_path, gold)), bundle)
        assert selector is not None
        chosen.append([s.question for s in selector.select(QUESTION)])
    assert chosen[0] and chosen[0] == chosen[1]


def test_a_file_alone_asks_for_the_published_best(bundle: GraphBundle, tmp_path: Path, cache: Path) -> None:
    selector = chosen_selector(Settings(examples_from=file(tmp_path)), bundle)
    assert selector is not None and (selector.strategy, selector.shots) == ("stss", 3)
    assert len(list((cache / "examples").glob("*.npz"))) == 1
    again = chosen_selector(Settings(examples_from=tmp_path / "train.jsonl"), bundle)
    assert again is not None and again.index is selector.index


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"examples": "ss:3"}, "--examples-from FILE"),
        ({"examples": "best:3", "examples_from": Path("x.jsonl")}, "write one of fr, ss, str, stss"),
        ({"examples_from": Path("nowhere.jsonl")}, "cannot read nowhere.jsonl"),
    ],
)
def test_what_cannot_be_chosen_from_is_told(bundle: GraphBundle, given: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        chosen_selector(Settings(**given), bundle)


def test_questions_without_queries_are_no_examples(bundle: GraphBundle, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"id": "1", "question": "Who?"}')
    with pytest.raises(ConfigError, match="no question with a gold query"):
        chosen_selector(Settings(examples_from=tmp_path / "q.jsonl"), bundle)


def test_a_query_goes_on_one_line_without_its_comments() -> None:
    assert on_one_line('SELECT ?x { # all\n ?x a "#1"\n}') == 'SELECT ?x { ?x a "#1" }'
    assert queries_shown([]) == ""


@pytest.mark.parametrize("strategy", ["io", "cot", "nlkgq", "direct"])
def test_strategies_that_need_a_model_say_so_and_what_to_give(bundle: GraphBundle, strategy: str) -> None:
    with pytest.raises(ConfigError) as told:
        make_session(bundle, Settings(strategy=strategy))
    line = str(told.value)
    assert strategy in line and "offline" in line and "give --model" in line and "\n" not in line


def test_a_local_model_serves_direct_alone_and_direct_takes_no_other(bundle: GraphBundle) -> None:
    with pytest.raises(ConfigError, match="--model hf:x/y is for --strategy direct"):
        make_session(bundle, Settings(model="hf:x/y"))
    with pytest.raises(ConfigError, match="hf:MODEL"):
        make_session(bundle, Settings(strategy="direct", model="gpt-4o"))
