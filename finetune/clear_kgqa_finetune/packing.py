"""Examples as padded tensors, and several short examples packed into one row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clear_kgqa_finetune.chat import IGNORED, Example
from clear_kgqa_finetune.task import Tensors


def packed(examples: Sequence[Example], max_tokens: int) -> list[list[Example]]:
    """Rows of at most max_tokens, longest example first into the fullest row that still takes it."""
    rows: list[list[Example]] = []
    room: list[int] = []
    for example in sorted(examples, key=lambda e: len(e.ids), reverse=True):
        fitting = [at for at, left in enumerate(room) if left >= len(example.ids)]
        if fitting:
            at = min(fitting, key=room.__getitem__)
        else:
            at = len(rows)
            rows.append([])
            room.append(max_tokens)
        rows[at].append(example)
        room[at] -= len(example.ids)
    return rows


def padded(examples: Sequence[Example], pad_id: int) -> Tensors:
    """input_ids and labels of shape (rows, longest), padded on the right.

    Labels come from lengths, never from the padding id, which may mean something in a text. There is no attention mask:
    a decoder never sees what stands to the right, and without one attention is twice as fast on CPUs.
    """
    import torch

    width = max(len(e.ids) for e in examples)
    ids = torch.full((len(examples), width), pad_id)
    labels = torch.full((len(examples), width), IGNORED)
    for row, example in enumerate(examples):
        length = len(example.ids)
        ids[row, :length] = torch.tensor(example.ids)
        labels[row, :length] = torch.tensor(example.labels)
    return {"input_ids": ids, "labels": labels}


def restarted_positions(rows: Sequence[Sequence[Example]], width: int) -> Any:
    """Position ids of shape (rows, width) that start at 0 with every packed example and with the padding."""
    import torch

    positions = []
    for row in rows:
        counted = [at for example in row for at in range(len(example.ids))]
        positions.append([*counted, *range(width - len(counted))])
    return torch.tensor(positions)
