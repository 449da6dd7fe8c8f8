"""llama.cpp's server with SmolLM2, a real OpenAI-compatible server with a real model: shapes are asserted, not wisdom.

Needs llama-cpp-python, which .ci/run builds, and the model from the package index; skipped, saying why, without either.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import platformdirs
import pytest
from langchain_core.messages import HumanMessage
from openai import OpenAIError

from clear_kgqa.agent.chat_model import chat_model
from clear_kgqa.agent.chat_model_faults import readable
from clear_kgqa.agent.chat_model_reply import read_reply
from clear_kgqa.agent.chat_model_wire import RAW_CALLS, StreamedCalls, wire
from clear_kgqa.agent.probe import probe
from clear_kgqa.agent.tool_specs import EXECUTE_SPARQL, SEARCH_NODES, checked, tool_schemas
from clear_kgqa.events import Answered, Asked, Failed
from clear_kgqa.likelihood.smollm2 import smollm2_gguf
from clear_kgqa.readings.reader import Reader
from clear_kgqa.session import make_session
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("llama_cpp") is None, reason="llama-cpp-python is not installed; .ci/run builds it"),
]
CONTEXT = 4096


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server; its own words are in the failure where it does not start."""
    cache = Path(os.environ.get("CLEAR_KGQA_TEST_MODELS", platformdirs.user_cache_path("clear-kgqa") / "models"))
    try:
        gguf = smollm2_gguf(cache)
    except ConfigError as error:
        pytest.skip(str(error))
    log = tmp_path_factory.mktemp("llama") / "server.log"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable, "-m", "llama_cpp.server", "--model", str(gguf), "--port", str(port),
        "--host", "127.0.0.1", "--n_ctx", str(CONTEXT), "--chat_format", "chatml-function-calling", "--verbose", "false",
    ]  # fmt: skip
    with log.open("wb") as told, subprocess.Popen(command, stdout=told, stderr=told) as server:
        address = f"http://127.0.0.1:{port}/v1"
        try:
            _wait(address, server, log)
            _warm(address, server)
            yield address
        finally:
            server.terminate()


def _wait(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(240):
        try:
            httpx.get(f"{address}/models")
            return
        except httpx.TransportError:
            assert server.poll() is None, log.read_text(errors="replace")[-2000:]
            time.sleep(0.5)
    raise AssertionError(f"the server did not start within two minutes: {log.read_text(errors='replace')[-2000:]}")


def _warm(address: str, server: subprocess.Popen[bytes]) -> None:
    """One reply; a build whose kernels this processor cannot run dies of it, which says nothing about our side."""
    messages = [{"role": "user", "content": "Say hello to everybody here, please."}]
    try:
        httpx.post(f"{address}/chat/completions", json={"messages": messages, "max_tokens": 4}, timeout=120)
    except httpx.TransportError:
        if (signal := server.wait(30)) < 0:
            pytest.skip(f"llama.cpp crashes on this processor (signal {-signal})")
        raise


def settings(url: str, **given: Any) -> Settings:
    chosen = {
        "model": "m",
        "base_url": url,
        "retries": 0,
        "reply_tokens": 64,
        "context_tokens": CONTEXT,
        "protocol": "tools",
    }
    return Settings(**{**chosen, **given})


def test_a_named_tool_is_called_with_an_object(url: str) -> None:
    named = {"type": "function", "function": {"name": SEARCH_NODES}}
    said = wire(settings(url, reply_tokens=256)).invoke(
        "Find the node named Paris.", tools=tool_schemas(), tool_choice=named
    )
    [call] = read_reply(said, set()).message.tool_calls
    assert call["name"] == SEARCH_NODES
    assert not isinstance(checked(call["name"], call["args"]), str)


def test_a_json_schema_is_kept_to(url: str) -> None:
    name = {"type": "string", "enum": ["Paris", "Rome"]}  # any string might not end before the reply must
    schema = {"type": "object", "properties": {"name": name}, "required": ["name"]}
    form = {"type": "json_object", "schema": schema}
    asked = wire(settings(url)).bind(extra_body={"response_format": form})
    assert json.loads(str(asked.invoke("Name a city, as JSON.").content))["name"] in ("Paris", "Rome")


@pytest.mark.parametrize("streaming", [False, True])
def test_a_named_tool_reaches_the_agent_whole_and_in_pieces(url: str, streaming: bool) -> None:
    named = {"type": "function", "function": {"name": EXECUTE_SPARQL}}
    served = wire(settings(url, streaming=streaming))
    options = {"tools": tool_schemas(), "tool_choice": named}
    if streaming:
        found = StreamedCalls()
        for chunk in served.stream("Which cities are there?", **options):
            found.add(chunk)
        calls = found.calls
    else:
        calls = served.invoke("Which cities are there?", **options).additional_kwargs[RAW_CALLS]
    assert [c["name"] for c in calls] == [EXECUTE_SPARQL]
    assert calls[0]["arguments"].lstrip().startswith("{")


@pytest.mark.parametrize("streaming", [False, True])
def test_plain_text_comes_whole_and_in_pieces(url: str, streaming: bool) -> None:
    said = chat_model(settings(url, streaming=streaming)).invoke("Say hello.")
    assert said.text.strip()


def test_the_probe_finds_what_the_server_does(url: str) -> None:
    found = probe(settings(url))
    assert found.context_tokens in (None, CONTEXT)
    assert all(line for _, line in found.lines(settings(url)))


def test_a_conversation_too_long_for_it_is_one_line(url: str) -> None:
    with pytest.raises(ConfigError, match="does not fit the model's context"):
        chat_model(settings(url, context_tokens=60_000)).invoke([HumanMessage("word " * 9_000)])


@pytest.mark.parametrize("protocol", ["tools", "text"])
def test_a_whole_turn_ends_as_every_turn_does(url: str, bundle: GraphBundle, reader: Reader, protocol: str) -> None:
    chosen = settings(url, protocol=protocol, steps=2, verify=False)
    last = list(make_session(bundle, chosen, reader=reader).start("What is the capital of France?"))[-1]
    assert isinstance(last, Answered | Asked | Failed)


def test_what_the_server_does_not_have_or_refuses_is_one_line(url: str) -> None:
    unknown = {"type": "function", "function": {"name": "FindPath"}}
    with pytest.raises(OpenAIError) as refused:
        wire(settings(url)).invoke("Hello.", tools=tool_schemas(), tool_choice=unknown)
    elsewhere = settings(url.replace("/v1", "/v2"))
    with pytest.raises(ConfigError, match="HTTP 404") as missing:
        chat_model(elsewhere).invoke("Hello.")
    for told in (str(readable(refused.value, elsewhere)), str(missing.value)):
        assert "\n" not in told
        assert elsewhere.base_url in told
