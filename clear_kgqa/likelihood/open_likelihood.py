"""Likelihoods that need a language model, by the name given to --likelihood."""

from __future__ import annotations

from importlib.util import find_spec

from clear_kgqa.likelihood.protocol import LikelihoodScorer
from clear_kgqa_tools.errors import ConfigError


def open_likelihood(spec: str, base_url: str = "", api_key: str = "") -> LikelihoodScorer:
    """ "hf:MODEL[+ADAPTER]" or "openai:MODEL" on the completions server at `base_url`.

    Raises ConfigError for another name, a model or adapter that cannot be used, a missing extra or base URL.
    """
    kind, _, model = spec.partition(":")
    if not model or kind not in ("hf", "openai"):
        raise ConfigError(f"unknown likelihood {spec!r}: offline, hf:MODEL[+ADAPTER] or openai:MODEL")
    if kind == "openai":
        from clear_kgqa.likelihood.openai import OpenAILikelihood

        if not base_url:
            raise ConfigError(f"{spec} needs the server's address: --base-url or OPENAI_BASE_URL")
        return OpenAILikelihood(model, base_url, api_key)
    if missing := [name for name in ("torch", "transformers") if find_spec(name) is None]:
        raise ConfigError(f"{spec} needs {' and '.join(missing)}: pip install 'clear-kgqa[hf]'")
    from clear_kgqa.likelihood.hf import HuggingFaceLikelihood

    return HuggingFaceLikelihood(model)
