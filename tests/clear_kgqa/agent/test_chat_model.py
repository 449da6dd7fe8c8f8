"""Every fault of a model or its server, over real HTTP: repaired, sent back, or told in one line without the key."""

from __future__ import annotations

import json
import socket
import threading
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from clear_kgqa.agent.chat_model import ServedModel, chat_model
from clear_kgqa.agent.tool_specs import tool_schemas
from clear_kgqa.settings import Settings
from clear_kgqa_tools.errors import Cancelled, ClearKgqaError, ConfigError, EndpointError

from .faulty_model_server import KEY, FaultyModelServer, Raw, completion, error

RUN = "ExecuteSPARQL"
GOOD = completion("", [(RUN, {"sparql": "ASK {}"})])
ASKED = [HumanMessage("q?")]


def model(server: FaultyModelServer | str, tools: bool = True, **given: Any) -> ServedModel:
    url = server if isinstance(server, str) else server.url
    chosen: dict[str, Any] = {"model": "m", "base_url": url, "api_key": KEY, "protocol": "tools", "retries": 0}
    settings = Settings(**{**chosen, **given})
    made = chat_model(settings)
    bound = made.bind_tools(tool_schemas())
    assert isinstance(bound, ServedModel)
    return bound if tools else made


def reply(*script: Any, **given: Any) -> AIMessage:
    with FaultyModelServer(list(script)) as server:
        return model(server, **given).invoke(ASKED)


def fault(*script: Any, **given: Any) -> ClearKgqaError:
    with pytest.raises(ClearKgqaError) as caught:
        reply(*script, **given)
    text = str(caught.value)
    assert "\n" not in text
    assert KEY not in text
    return caught.value


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(
    "arguments",
    [
        '{"sparql": "ASK {}"}',
        '"ASK {}"',
        '["ASK {}"]',
        '"{\\"sparql\\": \\"ASK {}\\"}"',
        "{'sparql': 'ASK {}'}",
    ],
)
def test_odd_arguments_are_repaired(arguments: str, streaming: bool) -> None:
    said = reply(completion("", [(RUN, arguments)]), streaming=streaming)
    assert [(c["name"], c["args"]) for c in said.tool_calls] == [(RUN, {"sparql": "ASK {}"})]


@pytest.mark.parametrize("streaming", [False, True])
def test_what_cannot_be_repaired_is_sent_back_as_a_valid_history(streaming: bool) -> None:
    with FaultyModelServer([completion("", [(RUN, "5")]), GOOD]) as server:
        said = model(server, streaming=streaming).invoke(ASKED)
    assert said.tool_calls[0]["args"] == {"sparql": "ASK {}"}
    assert said.usage_metadata is not None
    assert said.usage_metadata["total_tokens"] == 220
    [call] = server.chats[1]["messages"][1]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {}
    assert server.chats[1]["messages"][2]["tool_call_id"] == call["id"]
    assert "not a JSON object: 5" in server.chats[1]["messages"][2]["content"]


@pytest.mark.parametrize("streaming", [False, True])
def test_a_reply_cut_off_is_never_run_and_corrected_at_most_twice(streaming: bool) -> None:
    cut_off = completion("", [(RUN, '{"sparql": "SELECT ?x {')], finish="length")
    with FaultyModelServer([cut_off]) as server, pytest.raises(EndpointError, match=r"cut off .*reply_tokens"):
        model(server, streaming=streaming).invoke(ASKED)
    assert len(server.chats) == 3
    for chat in server.chats:
        for message in chat["messages"]:
            for call in message.get("tool_calls") or []:
                json.loads(call["function"]["arguments"])
    assert reply(completion("x", [(RUN, "{")], finish="length"), GOOD).tool_calls


def test_a_call_written_as_text_is_read() -> None:
    said = reply(completion('<tool_call>{"name": "SearchNodes", "arguments": {"name": "Paris"}}</tool_call>'))
    assert said.tool_calls[0]["args"] == {"name": "Paris"}
    assert said.content == ""


def test_a_call_written_as_text_that_cannot_be_read_names_the_server_setting() -> None:
    assert "tool parser" in str(fault(completion("<tool_call>SearchNodes Paris</tool_call>")))


def test_thinking_is_never_the_answer() -> None:
    assert reply(completion("<think>It is 5.</think>Paris.")).content == "Paris."
    assert reply(completion("<think>It is 5."), completion("Paris.")).content == "Paris."
    assert "empty" in str(fault(completion("<think>It is 5.")))


def test_content_null_empty_or_in_parts() -> None:
    assert "The reply was empty" in str(fault(completion(None)))
    assert reply(completion(None, [(RUN, {"sparql": "S"})])).tool_calls
    parts: Any = [{"type": "text", "text": "Paris."}]
    assert reply(completion(parts)).content == "Paris."


def test_names_and_ids_that_a_strict_server_would_refuse_are_replaced() -> None:
    twice = completion("", [("search nodes!", {"name": "a"}), ("SearchNodes", {"name": "b"})], ids=["x", "x"])
    said = reply(twice)
    assert said.tool_calls[0]["name"] == "search_nodes_"
    assert len({c["id"] for c in said.tool_calls}) == 2
    history = [
        HumanMessage("q?"),
        AIMessage("", tool_calls=[{"name": RUN, "args": {}, "id": "c0"}]),
        ToolMessage("r", tool_call_id="c0"),
    ]
    with FaultyModelServer([GOOD]) as server:
        assert model(server).invoke(history).tool_calls[0]["id"] == "call00001"


@pytest.mark.parametrize(
    ("sent", "kind", "says"),
    [
        ({"id": "x", "choices": []}, EndpointError, "sent no choices"),
        ({"id": "x", "choices": None}, EndpointError, "sent no choices"),
        ({"id": "x"}, EndpointError, "sent no choices"),
        ({"choices": [{"index": 0}]}, EndpointError, "sent no choices"),
        ({"error": {"message": f"out of memory {KEY}"}}, EndpointError, "out of memory <key>"),
        (
            Raw(200, "<!DOCTYPE html><p>login", "text/html"),
            EndpointError,
            "sent an HTML page; check --base-url",
        ),
        (Raw(200, "<html>", "application/json"), EndpointError, "sent an HTML page"),
        (Raw(200, "", "application/json"), EndpointError, "not JSON"),
        (
            error(401, f"Incorrect API key provided: {KEY}"),
            ConfigError,
            "refuses the key (HTTP 401); set OPENAI_API_KEY",
        ),
        (error(403, "no"), ConfigError, "refuses the key (HTTP 403)"),
        (error(404, "The model does not exist"), ConfigError, "no model 'm'"),
        (error(400, "m does not support tools"), ConfigError, 'protocol = "text"'),
        (error(400, "temperature is not allowed"), ConfigError, "temperature is not allowed"),
        (error(429, "quota"), EndpointError, "HTTP 429): quota"),
        (Raw(502, "<html>Bad gateway</html>", "text/html"), EndpointError, "fails (HTTP 502)"),
        (Raw(302, "", "text/html"), ConfigError, "refuses the request (HTTP 302)"),
        (Raw(hang_up=True), EndpointError, "cannot be reached"),
    ],
)
@pytest.mark.parametrize("streaming", [False, True])
def test_what_a_server_sends_instead(sent: Any, kind: type[Exception], says: str, streaming: bool) -> None:
    if streaming and isinstance(sent, dict):
        sent = Raw(200, f"data: {json.dumps(sent)}\n\ndata: [DONE]\n\n", "text/event-stream")
    caught = fault(sent, streaming=streaming)
    assert isinstance(caught, kind)
    if not streaming or (isinstance(sent, Raw) and sent.status != 200):
        assert says in str(caught)


@pytest.mark.parametrize(
    "told",
    [
        error(400, "This model's maximum context length is 4096 tokens.", "context_length_exceeded"),
        error(400, "the request exceeds the available context size, try increasing it"),
        error(500, "input exceeds context window"),
    ],
)
def test_a_context_too_long_is_tried_shorter_once(told: Raw) -> None:
    assert "does not fit the model's context; set context_tokens" in str(fault(told))
    long = [HumanMessage("word " * 8_000)]
    with FaultyModelServer([told, GOOD]) as server:
        assert model(server).invoke(long).tool_calls
    first, second = (len(c["messages"][0]["content"]) for c in server.chats)
    assert second < 0.6 * first


def test_a_server_that_is_down_and_one_that_hangs() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://user:secret@127.0.0.1:{held.getsockname()[1]}/v1"
        with pytest.raises(EndpointError, match="cannot be reached") as caught:
            model(url).invoke(ASKED)
    assert "secret" not in str(caught.value)
    assert "no reply within 0.2 s" in str(fault(Raw(sleep=5.0), timeout=0.2))


def test_a_server_that_fails_once_is_asked_again() -> None:
    assert reply(Raw(503, "{}"), GOOD, retries=1).tool_calls


def test_cancel_does_not_wait_for_the_server() -> None:
    with FaultyModelServer([Raw(sleep=30.0)]) as server:
        asked = model(server)
        timer = threading.Timer(0.3, asked.cancel)
        timer.start()
        with pytest.raises(Cancelled):
            asked.invoke(ASKED)
    assert len(server.chats) == 1


def test_without_tools_any_text_is_an_answer() -> None:
    text = '{"name": "SearchNodes", "arguments": {}}'
    assert reply(completion(text), tools=False).content == text


def test_the_key_goes_to_the_server_and_a_server_without_keys_gets_a_placeholder() -> None:
    with FaultyModelServer([GOOD]) as server:
        model(server).invoke(ASKED)
        model(server, api_key=None).invoke(ASKED)
    assert server.keys == [f"Bearer {KEY}", "Bearer none"]


def test_the_text_protocol() -> None:
    said = completion('Thought: look\nAction: SearchNodes({"name": "Paris"})\nObservation: I made this up\nAnswer: 5')
    with FaultyModelServer([said]) as server:
        found = model(server, protocol="text").invoke(ASKED)
    assert (found.content, found.tool_calls[0]["args"]) == ("look", {"name": "Paris"})
    [chat] = server.chats
    assert "tools" not in chat
    assert chat["stop"] == ["\nObservation:"]
    assert "Action: ToolName" in chat["messages"][0]["content"]


@pytest.mark.parametrize(
    "told",
    [
        error(500, "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]"),
        error(500, "error parsing tool call: raw='{sparql' err=invalid character"),
        error(400, "Failed to call a function. Please adjust your prompt.", "tool_use_failed"),
    ],
)
def test_a_call_that_the_server_itself_cannot_read_is_sent_back(told: Raw) -> None:
    with FaultyModelServer([told, GOOD]) as server:
        assert model(server).invoke(ASKED).tool_calls
    assert server.chats[1]["messages"][-1]["content"].startswith("The tool call could not be read")
    assert "cannot be used" in str(fault(told))


def streamed(*deltas: list[dict[str, Any]]) -> Raw:
    """A stream of tool-call deltas."""
    head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    choices = [{"index": 0, "delta": {"tool_calls": d}, "finish_reason": None} for d in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "tool_calls"})
    lines = "".join(f"data: {json.dumps({**head, 'choices': [c]})}\n\n" for c in choices)
    return Raw(200, lines + "data: [DONE]\n\n", "text/event-stream")


def piece(arguments: str, index: int = 0, identity: str | None = None, name: str | None = None) -> dict[str, Any]:
    return {"index": index, "id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    "stream",
    [
        [[piece('{"sparql": "A', identity="a", name=RUN)], [piece("SK {}")], [piece('"}')]],
        [[piece(text, identity="a", name=RUN)] for text in ('{"sparql": "A', "SK {}", '"}')],  # llama-cpp-python
        [[piece("", identity="a", name=RUN)], [piece('{"sparql": "ASK {}"}', name="")]],
        [[piece("", identity="a", name="Execute")], [piece('{"sparql": "ASK {}"}', name="SPARQL")]],
    ],
)
def test_a_streamed_call_is_put_together_however_its_pieces_come(stream: list[list[dict[str, Any]]]) -> None:
    [call] = reply(streamed(*stream), streaming=True).tool_calls
    assert (call["name"], call["args"]) == (RUN, {"sparql": "ASK {}"})


@pytest.mark.parametrize("numbers", [(0, 1), (0, 0)])
def test_two_streamed_calls_stay_two_whatever_their_numbers(numbers: tuple[int, int]) -> None:
    first, second = numbers
    stream = [
        [piece('{"sparql": "ASK ', first, "a", RUN)],
        [piece('{}"}', first)],
        [piece('{"name": ', second, "b", "SearchNodes")],
        [piece('"Paris"}', second)],
    ]
    calls = reply(streamed(*stream), streaming=True).tool_calls
    assert [(c["name"], c["args"]) for c in calls] == [(RUN, {"sparql": "ASK {}"}), ("SearchNodes", {"name": "Paris"})]


@pytest.mark.parametrize("streaming", [False, True])
def test_the_longest_reply_is_told_in_the_words_that_the_server_knows(streaming: bool) -> None:
    newer = error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    with FaultyModelServer([newer, GOOD]) as server:
        asked = model(server, streaming=streaming, reply_tokens=99)
        assert asked.invoke(ASKED).tool_calls
        assert asked.invoke(ASKED).tool_calls
    told = [(chat.get("max_tokens"), chat.get("max_completion_tokens")) for chat in server.chats]
    assert told == [(99, None), (None, 99), (None, 99)]


def test_openai_itself_gets_its_newer_word() -> None:
    from clear_kgqa.agent.chat_model_wire import wire

    made = wire(Settings(model="m", api_key=KEY, reply_tokens=99))
    assert made._get_request_payload("hello")["max_completion_tokens"] == 99
