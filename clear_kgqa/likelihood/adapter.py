"""The card beside a LoRA adapter: which base weights it belongs to and how it was trained to be used."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clear_kgqa.likelihood.context import ContextStyle
from clear_kgqa.likelihood.weights import fingerprint, load_peft, weights_fingerprint
from clear_kgqa_tools.errors import ConfigError

CARD = "clear_kgqa.json"
WEIGHTS = "adapter_model.safetensors"


@dataclass(frozen=True, slots=True)
class AdapterCard:
    """Base model as named in the recipe and its fingerprint; for helpers how contexts look, where they are
    cut, the neutral question's share, and whether the score is the verdict that a question fits.

    `weights_fingerprint` is empty on cards of before it was taken, and where the base was quantized.
    """

    base: str
    base_fingerprint: str
    method: str
    context_style: ContextStyle = "full"
    context_tokens: int = 256
    neutral_share: float = 0.0
    stop_token: str = ""
    verdict: bool = False
    weights_fingerprint: str = ""

    def write(self, folder: Path) -> None:
        (folder / CARD).write_text(json.dumps(asdict(self), indent=1) + "\n", "utf-8")


def read_card(folder: Path) -> AdapterCard | None:
    """The card, or None for an adapter made elsewhere. Raises ConfigError where it cannot be read."""
    if not (folder / CARD).exists():
        return None
    try:
        return AdapterCard(**json.loads((folder / CARD).read_text("utf-8")))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{folder / CARD} is damaged: {error}") from error


def with_adapter(model: Any, folder: Path) -> Any:
    """The model with a LoRA adapter on it. Raises ConfigError where it is no adapter or belongs to another
    base.
    """
    if not (folder / WEIGHTS).exists():
        raise ConfigError(f"{folder} holds no adapter ({WEIGHTS} is missing)")
    if card := read_card(folder):
        _check_base(model, card, folder)
    return load_peft(model, folder)


def _check_base(model: Any, card: AdapterCard, folder: Path) -> None:
    found, wanted = fingerprint(model), card.base_fingerprint
    if found == wanted and card.weights_fingerprint:
        found, wanted = weights_fingerprint(model), card.weights_fingerprint
    if found and found != wanted:
        raise ConfigError(
            f"the adapter in {folder} belongs to {card.base} ({wanted}), not to this base model ({found})"
        )
