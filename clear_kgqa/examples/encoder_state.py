"""The paper's similarity: the flattened encoder state of a sequence-to-sequence model (FLAN-T5)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from clear_kgqa.likelihood.weights import load_model, load_tokenizer, weights_source
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.similarity import Vectors

_BATCH = 32


class EncoderState:
    """A Similarity: the last hidden states of a text's first `tokens` tokens in a row, padded with zeros.

    `spec` is a hub id or folder. Vectors have `tokens` x model width values (FLAN-T5 base: 32 x 768), so
    20,000 of them take 2 GB. Raises ConfigError for a model without an encoder or where the `hf` extra is
    missing.
    """

    def __init__(self, spec: str, cache: Path | None = None, tokens: int = 32) -> None:
        try:
            from transformers import AutoModelForSeq2SeqLM
        except ImportError as error:
            raise ConfigError("encoder states need the extra hf: pip install 'clear-kgqa[hf]'") from error
        source = weights_source(spec, cache)
        try:
            self._encoder = load_model(AutoModelForSeq2SeqLM, source, "float32").get_encoder().eval()
        except ConfigError as error:
            raise ConfigError(f"{spec} has no encoder that can be loaded: {error}") from error
        self._tokenizer = load_tokenizer(source)
        self._tokens = tokens
        self.name = f"encoder-state:{spec}:{tokens}"

    def encode(self, texts: list[str]) -> Vectors:
        """Unit vectors, shape (len(texts), tokens x width), float32."""
        unique = sorted(set(texts), key=len)
        batches = [self._states(unique[at : at + _BATCH]) for at in range(0, len(unique), _BATCH)]
        width = self._tokens * self._encoder.config.d_model
        vectors = np.vstack([np.zeros((0, width), np.float32), *batches])
        row = {text: i for i, text in enumerate(unique)}
        found: Vectors = vectors[[row[t] for t in texts]]
        return found

    def _states(self, texts: list[str]) -> Vectors:
        import torch

        ids = self._tokenizer(
            texts, return_tensors="pt", padding="max_length", truncation=True, max_length=self._tokens
        )
        with torch.inference_mode():
            states = self._encoder(input_ids=ids["input_ids"], attention_mask=ids["attention_mask"])
        flat = (states.last_hidden_state * ids["attention_mask"].unsqueeze(-1)).flatten(1).numpy()
        lengths: Vectors = np.linalg.norm(flat, axis=1, keepdims=True)
        return np.asarray(flat / np.maximum(lengths, 1e-9), np.float32)
