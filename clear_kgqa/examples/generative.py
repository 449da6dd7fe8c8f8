"""Text generation by any seq2seq or causal Hugging Face model, for the in-context learning experiment."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from clear_kgqa.likelihood.adapter import with_adapter
from clear_kgqa.likelihood.hf import pad_id, split_spec
from clear_kgqa.likelihood.weights import load_model, load_tokenizer, weights_source
from clear_kgqa_tools.errors import ConfigError

_lock = Lock()


def _never() -> bool:
    return False


class GenerativeModel(Protocol):
    """Continues prompts."""

    def generate(self, prompts: list[str], stopped: Callable[[], bool] = _never) -> list[str]:
        """The model's text after each prompt, greedy, up to the first line end, or as far as it was when `stopped`."""
        ...


class TransformersModel:
    """A model by "MODEL" or "MODEL+ADAPTER" (hub id, folder or GGUF file), seq2seq or causal.

    Greedy decoding of at most `new_tokens`, `batch` prompts at once; prompts longer than the model's context
    lose their beginning. Remote code is off and only safetensors and GGUF are read. Raises ConfigError where
    the model, the adapter or the `hf` extra is missing.
    """

    def __init__(self, spec: str, cache: Path | None = None, new_tokens: int = 96, batch: int = 8) -> None:
        try:
            import torch
            from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM
        except ImportError as error:
            raise ConfigError("models need the extra hf: pip install 'clear-kgqa[hf]'") from error
        base, adapter = split_spec(spec)
        source = weights_source(base, cache)
        try:
            config = AutoConfig.from_pretrained(source, trust_remote_code=False)
        except (OSError, ValueError) as error:
            raise ConfigError(f"cannot load {base}: {str(error).strip().splitlines()[0][:200]}") from error
        self._seq2seq = bool(config.is_encoder_decoder)
        self._tokenizer = load_tokenizer(source)
        self._tokenizer.padding_side = "right" if self._seq2seq else "left"
        self._tokenizer.truncation_side = "left"
        self._tokenizer.pad_token_id = pad_id(self._tokenizer)
        on_gpu = torch.cuda.is_available()
        kind = AutoModelForSeq2SeqLM if self._seq2seq else AutoModelForCausalLM
        short = on_gpu or _multiplies_bfloat16(torch.cpu)
        model = load_model(kind, source, "bfloat16" if short else "float32").to("cuda" if on_gpu else "cpu")
        self._model = (with_adapter(model, adapter) if adapter else model).eval()
        known = (getattr(config, name, None) for name in ("max_position_embeddings", "n_positions"))
        self._context: int = next((n for n in known if n), 2048)
        self._new_tokens, self._batch = min(new_tokens, self._context // 2), batch

    def generate(self, prompts: list[str], stopped: Callable[[], bool] = _never) -> list[str]:
        """The text after each prompt, in the order of the prompts."""
        # Prompts of like length together: padding costs as much as text.
        order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
        texts: dict[int, str] = {}
        for at in range(0, len(order), self._batch):
            rows = order[at : at + self._batch]
            texts |= dict(zip(rows, self._one_batch([prompts[i] for i in rows], stopped), strict=True))
        return [texts[i] for i in range(len(prompts))]

    def _one_batch(self, prompts: list[str], stopped: Callable[[], bool]) -> list[str]:
        import torch

        room = self._context if self._seq2seq else self._context - self._new_tokens
        found = self._tokenizer(prompts, return_tensors="pt", padding=True, truncation=True, max_length=room)
        found = found.to(self._model.device)
        start = 0 if self._seq2seq else found["input_ids"].shape[1]
        with torch.inference_mode():
            out = self._model.generate(
                input_ids=found["input_ids"],
                attention_mask=found["attention_mask"],
                do_sample=False,
                max_new_tokens=self._new_tokens,
                pad_token_id=self._tokenizer.pad_token_id,
                stopping_criteria=[partial(self._ended, start, stopped)],
            )
        return [(text.strip().splitlines() or [""])[0].strip() for text in self._decoded(out, start)]

    def _decoded(self, ids: Any, start: int) -> list[str]:
        texts: list[str] = self._tokenizer.batch_decode(ids[:, start:], skip_special_tokens=True)
        return texts

    def _ended(self, start: int, stopped: Callable[[], bool], ids: Any, scores: Any, **_: Any) -> Any:
        """Which rows have just come to a line end after some text (stop strings fail on some tokenizers)."""
        import torch

        last = self._decoded(ids, ids.shape[1] - 1)
        broken = [i for i, text in enumerate(last) if "\n" in text]
        whole = dict(zip(broken, self._decoded(ids[broken], start), strict=True)) if broken else {}
        ended = [stopped() or "\n" in whole.get(i, "").lstrip() for i in range(len(last))]
        return torch.tensor(ended, device=ids.device)


def _multiplies_bfloat16(cpu: Any) -> bool:
    """Whether the processor has instructions for bfloat16 (torch does not say so by a public name)."""
    return bool(getattr(cpu, "_is_avx512_bf16_supported", lambda: False)())


def shared_model(spec: str) -> TransformersModel:
    """The model of "MODEL[+ADAPTER]", loaded once for all sessions of this process."""
    with _lock:
        return _shared(spec)


@lru_cache(maxsize=1)
def _shared(spec: str) -> TransformersModel:
    return TransformersModel(spec)
