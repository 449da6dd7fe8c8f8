from __future__ import annotations

from importlib.util import find_spec

import pytest

from clear_kgqa.likelihood.open_likelihood import open_likelihood
from clear_kgqa.likelihood.openai import OpenAILikelihood
from clear_kgqa_tools.errors import ConfigError


@pytest.mark.parametrize("spec", ["", "hf:", "ollama:x", "hf"])
def test_unknown_names_say_which_there_are(spec: str) -> None:
    with pytest.raises(ConfigError, match=r"hf:MODEL\+ADAPTER"):
        open_likelihood(spec)


def test_a_server_needs_an_address() -> None:
    with pytest.raises(ConfigError, match="--base-url"):
        open_likelihood("openai:m")
    assert isinstance(open_likelihood("openai:m", "http://127.0.0.1:9/v1"), OpenAILikelihood)


def test_one_is_opened_for_all_that_ask() -> None:
    first, other = (open_likelihood("openai:m", "http://127.0.0.1:9/v1", neutral_share=s) for s in (None, 0.0))
    assert open_likelihood("openai:m", "http://127.0.0.1:9/v1") is first
    assert other is not first


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed")
def test_a_missing_extra_is_named() -> None:
    with pytest.raises(ConfigError, match=r"clear-kgqa\[hf\]"):
        open_likelihood("hf:smollm2-135m")
