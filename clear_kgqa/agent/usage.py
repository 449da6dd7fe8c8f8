"""What a turn of the model took, in tokens and in money."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clear_kgqa.events import Usage
from clear_kgqa.settings import Settings


def usage(metadata: Mapping[str, Any], settings: Settings) -> Usage:
    """The event of a reply's `usage_metadata`; `cost` only where both prices are set."""
    sent, received = int(metadata.get("input_tokens", 0)), int(metadata.get("output_tokens", 0))
    if settings.price_in is None or settings.price_out is None:
        return Usage(sent, received)
    return Usage(sent, received, round((sent * settings.price_in + received * settings.price_out) / 1e6, 8))
