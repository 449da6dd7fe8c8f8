from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from clear_kgqa.likelihood.openai import OpenAILikelihood
from clear_kgqa_tools.errors import ConfigError, EndpointError

Reply = Callable[[dict[str, Any]], tuple[int, Any]]


@contextmanager
def serving(reply: Reply) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A completions server on loopback; yields its base URL and what it was sent."""
    seen: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append({"path": self.path, "key": self.headers.get("Authorization"), **body})
            status, answer = reply(body)
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", seen
    finally:
        server.shutdown()
        server.server_close()


def tokens(text: str) -> list[str]:
    """Words with their leading space."""
    out: list[str] = []
    for piece in text.replace("\n", " \n").split(" "):
        out.append(piece if not out else f" {piece}")
    return out


def log_probability(words: list[str], at: int) -> float:
    """A model that expects what it has seen before: one half, else one in a thousand."""
    return math.log(0.5 if words[at] in words[:at] else 0.001)


def vllm(body: dict[str, Any]) -> tuple[int, Any]:
    choices = []
    for index, prompt in enumerate(body["prompt"]):
        words = tokens(prompt)
        known = ((at, log_probability(words, at)) for at in range(1, len(words)))
        entries = [None, *({str(at): {"logprob": value, "decoded_token": words[at]}} for at, value in known)]
        choices.append({"index": index, "text": "", "prompt_logprobs": entries})
    return 200, {"choices": choices[::-1]}


def echoing(value: Callable[[list[str], int], float]) -> Reply:
    def reply(body: dict[str, Any]) -> tuple[int, Any]:
        if not body.get("echo"):
            return 200, {"choices": [{"index": at, "text": ""} for at in range(len(body["prompt"]))]}
        choices = []
        for index, prompt in enumerate(body["prompt"]):
            words = [*tokens(prompt), " more"]
            offsets = [len("".join(words[:at])) for at in range(len(words))]
            values = [None, *(value(words, at) for at in range(1, len(words)))]
            columns = {"tokens": words, "token_logprobs": values, "text_offset": offsets}
            choices.append({"index": index, "text": "", "logprobs": columns})
        return 200, {"choices": choices}

    return reply


CONTEXTS = ["Georgia has capital", "Georgia has mayor"]
QUESTION = "Georgia has which capital"
HALF, RARE = math.log(0.5), math.log(0.001)


@pytest.mark.parametrize("server", [vllm, echoing(log_probability)], ids=["prompt_logprobs", "echo"])
def test_sums_the_question_tokens(server: Reply) -> None:
    with serving(server) as (url, _):
        scores = OpenAILikelihood("m", url, neutral_share=0).score(QUESTION, CONTEXTS)
    # Of the four question tokens "Georgia" starts a context without its space, "has" is known to both,
    # "capital" to one.
    assert scores == pytest.approx([2 * HALF + 2 * RARE, HALF + 3 * RARE])


def test_all_candidates_and_the_neutral_question_go_in_one_request_and_are_cached() -> None:
    with serving(vllm) as (url, seen):
        scorer = OpenAILikelihood("m", url, api_key="secret-key")
        first = scorer.score(QUESTION, CONTEXTS)
        requests = len(seen)
        assert scorer.score(QUESTION, CONTEXTS) == first
    assert len(seen) == requests
    assert seen[-1]["path"] == "/v1/completions"
    assert seen[-1]["key"] == "Bearer secret-key"
    assert len(seen[-1]["prompt"]) == 4
    assert seen[-1]["prompt"][0] == f"{CONTEXTS[0]}\nQuestion: {QUESTION}"


def test_wrong_numbers_are_refused() -> None:
    """llama-cpp-python's echo returns about the same value for every token."""
    with (
        serving(echoing(lambda words, at: -9.0 - at % 3 * 0.1)) as (url, _),
        pytest.raises(ConfigError, match="self-check"),
    ):
        OpenAILikelihood("m", url).score(QUESTION, CONTEXTS)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((401, {"error": "no"}), "answered 401"),
        ((200, b"<html>"), "no choices"),
        ((200, {"choices": []}), "0 choices"),
        ((200, {"choices": [{"prompt_logprobs": [3], "logprobs": {"tokens": 1}}]}), "another shape"),
    ],
)
def test_unusable_replies_are_one_clear_error(reply: tuple[int, Any], message: str) -> None:
    with serving(lambda body: reply) as (url, _), pytest.raises(ConfigError, match=message) as error:
        OpenAILikelihood("m", url, api_key="secret-key").score(QUESTION, CONTEXTS)
    assert "secret-key" not in str(error.value)


def test_a_server_that_goes_away_is_an_endpoint_error() -> None:
    with serving(vllm) as (url, _):
        scorer = OpenAILikelihood("m", url)
        scorer.score(QUESTION, CONTEXTS)
    with pytest.raises(EndpointError, match="does not answer"):
        scorer.score("Who?", CONTEXTS)


def test_tokens_that_do_not_spell_the_question_are_refused() -> None:
    def masked(body: dict[str, Any]) -> tuple[int, Any]:
        status, answer = vllm(body)
        for choice in answer["choices"]:
            for entry in choice["prompt_logprobs"][1:]:
                next(iter(entry.values()))["decoded_token"] = "?"
        return status, answer

    with serving(masked) as (url, _), pytest.raises(EndpointError, match="do not spell"):
        OpenAILikelihood("m", url).score(QUESTION, CONTEXTS)
