from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clear_kgqa.agent.tool_specs import tool_schemas
from clear_kgqa.likelihood.context import Described
from clear_kgqa_finetune import lora
from clear_kgqa_finetune.collect import shown
from clear_kgqa_finetune.dialogues import LAST_TURN, dialogue, with_short_observations, with_short_prompt
from clear_kgqa_finetune.rows import agent_row, helper_rows, item_row, preference_rows, question_template
from clear_kgqa_tools.errors import ConfigError

RIVER, CITY = (
    {"iri": f"http://x/{n}", "label": "Po", "types": [n], "description": f"a {n}"} for n in ("river", "city")
)
SPARQL = "SELECT ?x { <http://x/river> <http://x/length> ?x }"


def observation(id: str, name: str, text: str, data: Any = None) -> dict[str, Any]:
    return {"event": "observation", "id": id, "name": name, "text": text, "data": data, "hint": ""}


def call(id: str, name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"event": "toolcall", "id": id, "name": name, "arguments": arguments}


OPTIONS = [{"label": n, "iri": f"http://x/{n}"} for n in ("city", "river")]
EVENTS: list[dict[str, Any]] = [
    {"event": "thought", "text": "First ", "delta": True},
    {"event": "thought", "text": "First the name.", "delta": False},
    call("1", "SearchNodes", name="Po"),
    observation("1", "SearchNodes", "two nodes", [CITY, RIVER]),
    {"event": "scored", "hint": "HINT: ask"},
    {"event": "asked", "clarification": {"id": "q1", "question": "Which Po?", "options": OPTIONS}},
    {"event": "replied", "clarification_id": "q1", "text": "the river", "kind": "options", "options": [1]},
    call("2", "ExecuteSPARQL", sparql="SELECT"),
    observation("2", "ExecuteSPARQL", "ERROR: syntax"),
    call("3", "ExecuteSPARQL", sparql=SPARQL),
    observation("3", "ExecuteSPARQL", "652", {"rows": 1}),
    {"event": "answered", "sparql": SPARQL},
]  # fmt: skip
RECORD: dict[str, Any] = {
    "id": "a",
    "end": "answered",
    "question": "How long is the Po?",
    "sparql": SPARQL,
    "events": EVENTS,
}


def test_events_become_a_dialogue() -> None:
    messages = dialogue(RECORD)
    assert messages
    assert [m["role"] for m in messages] == ["user", *["assistant", "tool"] * 4, "assistant"]
    assert messages[1]["content"] == "First the name."
    ask = messages[3]["tool_calls"][0]["function"]
    assert ask == {
        "name": "AskForClarification",
        "arguments": {"text": "Which Po?", "options": ["city", "river"]},
    }
    told = {"reply": "the river", "understood_as": "options", "chosen": [{"iri": "http://x/river", "label": "river"}]}
    assert messages[2]["content"] == "two nodes\n\nHINT: ask"
    assert messages[4]["content"] == f"The user's reply, as data: {json.dumps(told)}"
    assert messages[-1] == {"role": "assistant", "content": LAST_TURN}


def test_a_clarification_that_the_model_called_for_comes_once() -> None:
    events = [
        call("7", "AskForClarification", text="Which?", options=[]),
        {"event": "asked", "clarification": {"id": "c1", "question": "Which?", "options": []}},
        {"event": "replied", "clarification_id": "c1", "text": "that", "kind": "unclear"},
        {"event": "answered", "sparql": SPARQL},
    ]
    messages = dialogue({**RECORD, "events": events})
    assert messages and [m["role"] for m in messages] == ["user", "assistant", "tool", "assistant"]
    assert messages[2]["tool_call_id"] == "7"


def test_recorded_messages_are_taken_with_arguments_as_objects() -> None:
    function = {"name": "SearchNodes", "arguments": '{"name": "Po"}'}
    recorded = [
        {"role": "user", "content": "?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "x"},
        {"role": "assistant", "content": "done"},
    ]
    messages = dialogue({**RECORD, "messages": recorded})
    assert messages and messages[1]["tool_calls"][0]["function"]["arguments"] == {"name": "Po"}
    assert messages[1]["content"] == ""
    assert dialogue({**RECORD, "messages": recorded[:-1]}) is None


def test_long_observations_keep_their_first_results_and_the_hint() -> None:
    results = [json.dumps({"iri": f"<http://x/{n}>", "label": "Po", "types": [n]}) for n in ("river", "city", "film")]
    text = "\n".join(
        ["Data from the graph.", *results, '{"iri": "<http://x/cu… (900 characters in all)', "", "HINT: ask"]
    )
    messages = [{"role": "user", "content": results[0]}, {"role": "tool", "content": text}]
    assert with_short_observations(messages, 0) == messages
    question, short = with_short_observations(messages, 2)
    assert question == messages[0]
    assert short["content"].split("\n") == [
        "Data from the graph.", '{"iri": "<http://x/river>", "label": "Po"}', '{"iri": "<http://x/city>", "label": "Po"}',
        "(more)", "", "HINT: ask",
    ]  # fmt: skip
    assert with_short_observations(messages, 9)[1]["content"].endswith("(900 characters in all)\n\nHINT: ask")


def test_a_short_prompt_names_tools_and_arguments_only() -> None:
    messages = [{"role": "system", "content": "Long."}, {"role": "user", "content": "Who?"}]
    kept, tools = with_short_prompt(messages, tool_schemas())
    assert kept == messages[1:]
    assert tools[1] == {
        "type": "function",
        "function": {"name": "SearchGraphPattern", "arguments": ["sparql", "semantic"]},
    }


def test_calls_made_at_once_are_told_one_after_the_other() -> None:
    events = [
        call("1", "SearchNodes", name="Po"),
        call("2", "SearchNodes", name="Arno"),
        observation("1", "SearchNodes", "two nodes"),
        observation("2", "SearchNodes", "one node"),
        {"event": "answered", "sparql": SPARQL},
    ]
    messages = dialogue({**RECORD, "events": events})
    assert messages
    assert [m.get("tool_call_id") or [c["id"] for c in m.get("tool_calls", [])] for m in messages] == [
        [], ["1"], "1", ["2"], "2", []
    ]  # fmt: skip


def test_a_question_is_never_on_both_sides() -> None:
    other = {**RECORD, "question": "how long is the po?", "sparql": SPARQL.replace("river", "city")}
    rows = [agent_row(record, [], "") for record in (RECORD, other)]
    assert rows[0] and rows[1] and set(rows[0]["keys"]) & set(rows[1]["keys"])


def test_secrets_are_taken_out() -> None:
    events = [
        call("1", "ExecuteSPARQL", sparql="SERVICE <http://me:pass@host/sparql>"),
        observation("1", "ExecuteSPARQL", "key sk-abcdefghijklmnop1234 refused"),
        {"event": "answered", "sparql": SPARQL},
    ]
    text = json.dumps(dialogue({**RECORD, "events": events}))
    assert "pass@" not in text and "me:" not in text and "sk-abc" not in text
    assert "<http://host/sparql>" in text


def test_the_entity_used_in_the_end_is_the_gold_candidate() -> None:
    (row,) = helper_rows(RECORD, None, "full")
    assert row["gold"] == 1
    assert row["contexts"] == ["Po (city). a city", "Po (river). a river"]
    assert row["keys"] == ["http://x/city", "http://x/river"]


def test_a_failed_call_against_its_correction_is_a_preference() -> None:
    (row,) = preference_rows(RECORD, [], "Be brief.")
    assert row["rejected"]["tool_calls"][0]["function"]["arguments"] == {"sparql": "SELECT"}
    assert row["chosen"]["tool_calls"][0]["function"]["arguments"] == {"sparql": SPARQL}
    assert row["messages"][0] == {"role": "system", "content": "Be brief."}
    assert "the river" in row["messages"][-1]["content"]


def test_labelled_items_keep_candidates_and_template_together() -> None:
    item = {
        "question": "Length of PO?",
        "history": ["Hi."],
        "label": 1,
        "candidates": ["http://x/river", "http://x/city"],
    }
    row = item_row(item, lambda iris: [Described("Po", (), (iri,)) for iri in iris], "properties")
    assert row["question"] == "Hi. Length of PO?"
    assert row["contexts"] == ["Po: http://x/river", "Po: http://x/city"]
    assert row["keys"] == ["http://x/river", "http://x/city", "length of entity_"]
    assert question_template("What's  PO's length?", ["Po"]) == "what s entity_ s length"


def run_folder(tmp_path: Path, records: list[dict[str, Any]], mark: dict[str, Any] | None) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "transcripts.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    if mark is not None:
        (folder / "training.json").write_text(json.dumps(mark))
    return folder


ALLOWED = {"allowed": True, "licence": "CC0-1.0", "consent": "simulated users"}


@pytest.mark.parametrize("mark", [None, {"allowed": False}, {"allowed": True, "licence": "CC0-1.0"}])
def test_runs_that_are_not_marked_as_allowed_are_refused(mark: dict[str, Any] | None, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not marked as allowed"):
        lora.data([run_folder(tmp_path, [RECORD], mark)], tmp_path / "out", echo=lambda line: None)
    assert not (tmp_path / "out").exists()


def test_data_from_a_run(tmp_path: Path) -> None:
    wrong = {**RECORD, "id": "b", "metrics": {"lenient": {"f1": 0.5}}}
    failed = {"id": "c", "end": "error", "question": "?", "error": "down"}
    opted_out = {**RECORD, "id": "d", "training": False}
    lines: list[str] = []
    folder = run_folder(tmp_path, [RECORD, wrong, failed, opted_out], ALLOWED)
    card = lora.data([folder], tmp_path / "out", valid_share=0.0, echo=lines.append)
    assert card["rows"] == {kind: {"train": 1, "valid": 0} for kind in ("agent", "helper", "preference", "sparql")}
    assert card["dropped"] == {"wrong answer": 1, "failed": 1}
    assert card["sources"] == [{"name": "run", "licence": "CC0-1.0", "consent": "simulated users"}]
    assert json.loads((tmp_path / "out" / "card.json").read_text()) == card
    agent = json.loads((tmp_path / "out" / "agent.train.jsonl").read_text())
    assert {t["function"]["name"] for t in agent["tools"]} >= {
        "SearchNodes",
        "ExecuteSPARQL",
        "AskForClarification",
    }
    assert any(f"⟦{LAST_TURN}⟧" in line for line in lines)
    assert "dropped: 1 (failed)" in lines


def test_nothing_to_train_on_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nothing to train on"):
        lora.data([run_folder(tmp_path, [], ALLOWED)], tmp_path / "out", echo=lambda line: None)


def test_items_need_a_graph(tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    items.write_text("{}\n")
    with pytest.raises(ConfigError, match="--kg"):
        lora.data([], tmp_path / "out", items=items, echo=lambda line: None)


def test_items_over_a_graph_get_the_properties_of_their_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEAR_KGQA_CACHE", str(tmp_path / "cache"))
    rdfs, rdf = "http://www.w3.org/2000/01/rdf-schema#", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    triples = [
        *((f"<http://x/{n}>", f"<{rdf}type>", f"<http://x/{n.capitalize()}>") for n in ("river", "city")),
        *((f"<http://x/{n}>", f"<{rdfs}label>", '"Po"@en') for n in ("river", "city")),
        *(
            (f"<http://x/{p}>", f"<{rdfs}domain>", f"<http://x/{c}>")
            for p, c in (("mayor", "City"), ("mouth", "River"))
        ),
        *((f"<http://x/{p}>", f"<{rdfs}label>", f'"{p}"@en') for p in ("mayor", "mouth", "City", "River")),
    ]
    graph = tmp_path / "kg.nt"
    graph.write_text("".join(f"{' '.join(t)} .\n" for t in triples))
    item = {"question": "Who is mayor of Po?", "label": 0, "candidates": ["http://x/river", "http://x/city"]}
    items = tmp_path / "items.jsonl"
    items.write_text(json.dumps(item) + "\n")
    lora.data([], tmp_path / "out", items=items, kg=str(graph), context_style="properties", valid_share=0.0,
              echo=lambda line: None)  # fmt: skip
    row = json.loads((tmp_path / "out" / "helper.train.jsonl").read_text())
    assert row["contexts"] == ["Po: mouth", "Po: mayor"]


def test_helper_rows_are_shown_with_the_question_marked() -> None:
    assert shown("helper", {"question": "Who?", "contexts": ["A"]}) == "  A\n  Question: ⟦Who?⟧"
