"""Likelihoods that need a language model, by the name given to --likelihood."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from threading import Lock

from clear_kgqa.likelihood.prompt import NEUTRAL_SHARE
from clear_kgqa.likelihood.protocol import LikelihoodScorer
from clear_kgqa_tools.errors import ConfigError

MODELS = 2  # kept loaded, so that the sessions of a batch share one
_OPENING = Lock()


def open_likelihood(
    spec: str, base_url: str = "", api_key: str = "", neutral_share: float | None = None
) -> LikelihoodScorer:
    """ "hf:MODEL[+ADAPTER]" or "openai:MODEL" on the completions server at `base_url`, opened once for all that ask.

    `neutral_share` 0 leaves log-likelihoods uncorrected; None is an adapter's own or the usual share. Raises
    ConfigError for another name, a model or adapter that cannot be used, a missing extra or base URL.
    """
    with _OPENING:
        return _opened(spec, base_url, api_key, neutral_share)


@lru_cache(maxsize=MODELS)
def _opened(spec: str, base_url: str, api_key: str, neutral_share: float | None) -> LikelihoodScorer:
    kind, _, model = spec.partition(":")
    if not model or kind not in ("hf", "openai"):
        raise ConfigError(f"there is no likelihood {spec!r}: write offline, hf:MODEL, hf:MODEL+ADAPTER or openai:MODEL")
    if kind == "openai":
        from clear_kgqa.likelihood.openai import OpenAILikelihood

        if not base_url:
            raise ConfigError(f"{spec} needs the server's address: --base-url or OPENAI_BASE_URL")
        return OpenAILikelihood(model, base_url, api_key, NEUTRAL_SHARE if neutral_share is None else neutral_share)
    if missing := [name for name in ("torch", "transformers") if find_spec(name) is None]:
        raise ConfigError(f"{spec} needs {' and '.join(missing)}: pip install 'clear-kgqa[hf]'")
    from clear_kgqa.likelihood.hf import HuggingFaceLikelihood

    return HuggingFaceLikelihood(model, neutral_share=neutral_share)
