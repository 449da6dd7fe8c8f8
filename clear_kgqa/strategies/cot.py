"""CoT: the model thinks step by step and answers from memory."""

from __future__ import annotations

from clear_kgqa.strategies.io import FromMemory


class ChainOfThought(FromMemory):
    """`FromMemory` with steps before the answer, which are told as a thought."""

    prompt = "cot.md"
