"""The layers below an adapter: they never change, so what they make of a row is computed once and kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from clear_kgqa.likelihood.tokens import Batch
from clear_kgqa_tools.errors import ConfigError

_ROWS = 32


class FrozenLayers:
    """Runs only the `top` layers of a decoder; hidden states below them are kept for every row seen.

    Memory: tokens x width x 2 bytes in bf16. For decoders whose layers and last norm are `layers` and `norm` (Llama,
    Mistral, Qwen).
    """

    def __init__(self, top: int) -> None:
        self._top = top
        self._kept: dict[tuple[int, ...], Any] = {}

    def fit_log_odds(self, model: Any, batch: Batch, verdict: Sequence[int]) -> Any:
        """See clear_kgqa.likelihood.tokens.fit_log_odds; differentiable through the top layers only."""
        decoder = _decoder(model, self._top)
        rows = [tuple(ids[seen.bool()].tolist()) for ids, seen in zip(batch.ids, batch.attention, strict=True)]
        distinct = list(dict.fromkeys(rows))  # candidates of which the same is known have the same row
        self._fill(decoder, sorted((row for row in distinct if row not in self._kept), key=len))
        hidden, attention = _left_padded([self._kept[row] for row in distinct])
        with _only(decoder, slice(-self._top, None), decoder.norm):
            last = _run(decoder, attention, inputs_embeds=hidden)[:, -1]
        head = model.get_output_embeddings().weight[list(verdict)]
        logits = last.float() @ head.float().T
        return (logits[:, 0] - logits[:, 1])[[distinct.index(row) for row in rows]]

    def _fill(self, decoder: Any, rows: Sequence[tuple[int, ...]]) -> None:
        import torch

        for at in range(0, len(rows), _ROWS):
            some = rows[at : at + _ROWS]
            device = decoder.embed_tokens.weight.device
            ids, attention = _left_padded([torch.tensor(row, device=device) for row in some])
            with torch.no_grad(), _only(decoder, slice(0, -self._top), torch.nn.Identity()):
                hidden = _run(decoder, attention, input_ids=ids)
            self._kept |= {row: states[-len(row) :].clone() for row, states in zip(some, hidden, strict=True)}


def _decoder(model: Any, top: int) -> Any:
    decoder = model.get_decoder()
    if not (hasattr(decoder, "layers") and hasattr(decoder, "norm")) or len(decoder.layers) <= top:
        raise ConfigError(f"top_layers: {top} does not fit {type(decoder).__name__}")
    return decoder


@contextmanager
def _only(decoder: Any, part: slice, norm: Any) -> Iterator[None]:
    """The decoder with some of its layers and another last norm."""
    layers, last = decoder.layers, decoder.norm
    decoder.layers, decoder.norm = layers[part], norm
    try:
        yield
    finally:
        decoder.layers, decoder.norm = layers, last


def _run(decoder: Any, attention: Any, **inputs: Any) -> Any:
    positions = (attention.cumsum(1) - 1).clamp(min=0)
    return decoder(attention_mask=attention, position_ids=positions, use_cache=False, **inputs).last_hidden_state


def _left_padded(rows: Sequence[Any]) -> tuple[Any, Any]:
    """Rows of shape (tokens, ...) as one tensor (rows, longest, ...) and its attention mask."""
    import torch

    width = max(len(row) for row in rows)
    out = rows[0].new_zeros((len(rows), width, *rows[0].shape[1:]))
    attention = torch.zeros((len(rows), width), dtype=torch.long, device=rows[0].device)
    for at, row in enumerate(rows):
        out[at, width - len(row) :] = row
        attention[at, width - len(row) :] = 1
    return out, attention
