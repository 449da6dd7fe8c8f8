"""Likelihood by an OpenAI-compatible completions server that returns the log-probabilities of its prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from clear_kgqa.likelihood.prompt import NEUTRAL_SHARE, QUESTION_CUE, CorrectedScore, Pair
from clear_kgqa_tools.errors import ConfigError, EndpointError

_PROMPTS_PER_REQUEST = 64
_TIMEOUT = 60.0
_CHECK_COPY = " The harbour clerk counted nine yellow buoys."
_CHECK_GAIN = 1.0

ScoredTokens = list[tuple[str, float]]
"""Each prompt token's text with its log-probability in nats (0 for the first, which nothing predicts)."""


class OpenAILikelihood(CorrectedScore):
    """log P(question | context) by a completions server: vLLM's `prompt_logprobs`, or `echo` with `logprobs`.

    Which of the two a server has is found out on the first call, and its numbers are used only where a
    self-check passes (llama-cpp-python's echo returns wrong ones). Raises ConfigError where neither works,
    EndpointError where the server fails.
    """

    def __init__(self, model: str, base_url: str, api_key: str = "", neutral_share: float = NEUTRAL_SHARE) -> None:
        import httpx

        self._model = model
        self._client = httpx.Client(
            base_url=base_url.rstrip("/") + "/",
            headers={
                "User-Agent": "clear-kgqa",
                **({"Authorization": f"Bearer {api_key}"} if api_key else {}),
            },
            timeout=_TIMEOUT,
        )
        self._read: Callable[[Sequence[str]], list[ScoredTokens]] | None = None
        super().__init__(self._sums, neutral_share)

    def _sums(self, pairs: Sequence[Pair]) -> list[float]:
        read = self._read = self._read or self._working_protocol()
        prompts = [f"{context}{QUESTION_CUE} {question}" for context, question in pairs]
        starts = range(0, len(prompts), _PROMPTS_PER_REQUEST)
        scored = [tokens for at in starts for tokens in read(prompts[at : at + _PROMPTS_PER_REQUEST])]
        return [question_sum(tokens, pair[1]) for tokens, pair in zip(scored, pairs, strict=True)]

    def _working_protocol(self) -> Callable[[Sequence[str]], list[ScoredTokens]]:
        refusals = []
        for name, read in (("prompt_logprobs", self._prompt_logprobs), ("echo", self._echo)):
            try:
                if self_check(read):
                    return read
                refusals.append(f"{name}: numbers fail the self-check")
            except EndpointError as error:
                refusals.append(f"{name}: {error}")
        raise ConfigError(f"{self._model} returns no usable prompt log-probabilities ({'; '.join(refusals)})")

    def _prompt_logprobs(self, prompts: Sequence[str]) -> list[ScoredTokens]:
        choices = self._complete(prompts, prompt_logprobs=0, max_tokens=1)
        return [_parsed(_vllm_tokens, choice, "prompt_logprobs") for choice in choices]

    def _echo(self, prompts: Sequence[str]) -> list[ScoredTokens]:
        # Some servers refuse max_tokens 0, so one token more is generated and cut by its offset.
        choices = self._complete(prompts, echo=True, logprobs=1, max_tokens=1)
        return [
            _parsed(partial(_echoed, length=len(prompt)), choice, "logprobs")
            for choice, prompt in zip(choices, prompts, strict=True)
        ]

    def _complete(self, prompts: Sequence[str], **options: Any) -> list[dict[str, Any]]:
        import httpx

        body = {"model": self._model, "prompt": list(prompts), "temperature": 0, **options}
        try:
            reply = self._client.post("completions", json=body)
        except httpx.HTTPError as error:
            raise EndpointError(f"{self._client.base_url} does not answer ({type(error).__name__})") from error
        if reply.status_code != 200:
            raise EndpointError(f"{self._client.base_url} answered {reply.status_code}")
        return _choices(reply, len(prompts))


def question_sum(tokens: ScoredTokens, question: str) -> float:
    """The log-probability of the question at the end of a prompt. Raises EndpointError where the tokens do
    not spell it.
    """
    spelled, total = "", 0.0
    for text, log_probability in reversed(tokens):
        if len(spelled.lstrip()) >= len(question):
            break
        spelled, total = text + spelled, total + log_probability
    if spelled.strip() != question.strip():
        raise EndpointError(f"the server's tokens do not spell the question: {spelled[-80:]!r}")
    return total


def self_check(read: Callable[[Sequence[str]], list[ScoredTokens]]) -> bool:
    """Whether the third copy of a sentence is far likelier per token than the first, as under any working
    model.
    """
    once, twice, thrice = (read([_CHECK_COPY * n])[0] for n in (1, 2, 3))
    totals = [sum(value for _, value in tokens) for tokens in (once, twice, thrice)]
    per_copy = len(thrice) - len(twice)
    if per_copy <= 0 or len(once) < 2:
        return False
    return (totals[2] - totals[1]) / per_copy > totals[0] / len(once) + _CHECK_GAIN


def _choices(reply: Any, expected: int) -> list[dict[str, Any]]:
    try:
        choices = sorted(reply.json()["choices"], key=lambda choice: choice.get("index", 0))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EndpointError("the completions server sent no choices") from error
    if len(choices) != expected:
        raise EndpointError(f"the completions server sent {len(choices)} choices for {expected} prompts")
    return choices


def _parsed(parse: Callable[[Any], ScoredTokens], choice: dict[str, Any], name: str) -> ScoredTokens:
    if not choice.get(name):
        raise EndpointError(f"the completions server sent no {name}")
    try:
        return parse(choice[name])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise EndpointError(f"the completions server sent {name} of another shape") from error


def _vllm_tokens(entries: list[dict[str, dict[str, Any]] | None]) -> ScoredTokens:
    """vLLM's list: one {token id: {logprob, decoded_token, rank}} per prompt token, null for the first."""
    tokens = [next(iter(entry.values())) if entry else None for entry in entries]
    return [(str(t["decoded_token"]), float(t["logprob"])) if t else ("", 0.0) for t in tokens]


def _echoed(logprobs: dict[str, Any], length: int) -> ScoredTokens:
    """The prompt's part of an echoed completion; `text_offset` counts characters."""
    columns = zip(logprobs["tokens"], logprobs["token_logprobs"], logprobs["text_offset"], strict=True)
    return [(text, value or 0.0) for text, value, offset in columns if offset < length]
