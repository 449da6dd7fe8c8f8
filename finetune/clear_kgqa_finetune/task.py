"""What each training method hands to the common loop: encoded rows, a way to batch them, and a loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Tensors = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """Encoded training and validation rows, `collate` to tensors, `loss(model, batch)` a scalar tensor.

    `shown` is one decoded row with its supervised part marked; `lengths` the tokens of each training row;
    `counts` tells what was dropped or cut; `validate(model)` gives figures beside the loss.
    """

    train: Sequence[Any]
    valid: Sequence[Any]
    collate: Callable[[Sequence[Any]], Tensors]
    loss: Callable[[Any, Tensors], Any]
    shown: str
    lengths: Sequence[int]
    counts: dict[str, int] = field(default_factory=dict)
    validate: Callable[[Any], dict[str, float]] = lambda model: {}
