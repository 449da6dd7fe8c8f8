"""What a server can do is found out over HTTP, and how to switch on the rest is said."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from clear_kgqa.agent.chat_model import chat_model
from clear_kgqa.agent.probe import probe, probed
from clear_kgqa.agent.tool_specs import tool_schemas
from clear_kgqa.settings import Settings
from clear_kgqa_tools.errors import ClearKgqaError, ConfigError, EndpointError

from .faulty_model_server import KEY, FaultyModelServer, Raw, completion, error

NATIVE = completion("", [("SearchNodes", {"name": "Paris"})])
WRITTEN = completion('<tool_call>{"name": "SearchNodes", "arguments": {"name": "Paris"}}</tool_call>')
PROSE = completion("Paris is a city in France.")


def settings(server: FaultyModelServer, **given: Any) -> Settings:
    chosen = {"model": "m", "base_url": server.url, "api_key": KEY, "retries": 0, "timeout": 5.0}
    return Settings(**{**chosen, **given})


def lines(server: FaultyModelServer) -> dict[str, str]:
    chosen = settings(server)
    return dict(probe(chosen).lines(chosen))


def test_a_server_that_can_do_everything() -> None:
    full = completion("", [("SearchNodes", {"name": "Paris"})], logprobs={"content": [{"token": "a", "logprob": -1}]})
    with FaultyModelServer([full], {"/v1/models": {"data": [{"id": "m", "max_model_len": 32768}]}}) as server:
        found = probe(settings(server))
        assert (found.tools, found.written, found.logprobs, found.context_tokens) == (
            True,
            False,
            True,
            32768,
        )
        assert all(line.startswith("ok") for line in lines(server).values())


def test_tool_calls_as_text_or_not_at_all_and_how_to_switch_them_on() -> None:
    with FaultyModelServer([WRITTEN]) as server:
        assert probe(settings(server)).tools
        assert "--tool-call-parser" in lines(server)["tool calls"]
    with FaultyModelServer([PROSE]) as server:
        assert not probe(settings(server)).tools
        assert "--enable-auto-tool-choice" in lines(server)["tool calls"]
        assert "does not say" in lines(server)["context"]


def test_a_server_that_refuses_options_is_asked_more_plainly() -> None:
    def strict(request: dict[str, Any]) -> Any:
        return error(400, "m does not support tools") if "tools" in request else PROSE

    def no_logprobs(request: dict[str, Any]) -> Any:
        return error(400, "logprobs are not available") if "logprobs" in request else NATIVE

    with FaultyModelServer([strict]) as server:
        assert not probe(settings(server)).tools
    with FaultyModelServer([no_logprobs]) as server:
        found = probe(settings(server))
        assert (found.tools, found.logprobs) == (True, False)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/props", {"default_generation_settings": {"n_ctx": 4096}}),
        ("/v1/models", {"data": [{"id": "other", "max_model_len": 9}, {"id": "m", "context_length": 4096}]}),
        (
            "/api/v0/models",
            {"data": [{"id": "m", "loaded_context_length": 4096, "max_context_length": 9999}]},
        ),
        ("/api/ps", {"models": [{"model": "m", "context_length": 4096}]}),
    ],
)
def test_the_context_as_servers_tell_it(path: str, told: dict[str, Any]) -> None:
    with FaultyModelServer([NATIVE], {path: told}) as server:
        assert probe(settings(server)).context_tokens == 4096
        assert "4,096 tokens, less than context_tokens" in lines(server)["context"]


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (error(401, f"bad key {KEY}"), ConfigError),
        (Raw(502, "<html>", "text/html"), EndpointError),
        (Raw(200, "<html>", "text/html"), EndpointError),
        (Raw(200, '{"id": "x"}'), EndpointError),
        (Raw(hang_up=True), EndpointError),
    ],
)
def test_a_server_that_does_not_serve(sent: Raw, kind: type[Exception]) -> None:
    with FaultyModelServer([sent]) as server, pytest.raises(ClearKgqaError) as caught:
        probe(settings(server))
    assert isinstance(caught.value, kind)
    assert KEY not in str(caught.value)


def test_the_probe_is_made_once_before_the_first_question_and_chooses_the_protocol() -> None:
    spoken = completion('Action: SearchNodes({"name": "Paris"})')
    with FaultyModelServer([PROSE, spoken], {"/props": {"default_generation_settings": {"n_ctx": 2048}}}) as server:
        asked = chat_model(settings(server)).bind_tools(tool_schemas())
        for _ in range(2):
            assert asked.invoke("Where is Paris?").tool_calls[0]["args"] == {"name": "Paris"}
    assert len(server.chats) == 3
    assert "tools" in server.chats[0]
    assert "tools" not in server.chats[1]


def test_many_sessions_share_one_probe() -> None:
    with FaultyModelServer([NATIVE]) as server:
        chosen = settings(server)
        threads = [threading.Thread(target=probed, args=(chosen,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(server.chats) == 1
