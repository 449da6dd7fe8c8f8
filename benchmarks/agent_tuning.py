"""How often a model follows the tool protocol on held-out dialogues, before and after `finetune train`.

Usage: python benchmarks/agent_tuning.py TRAINED_FOLDER DATA_FOLDER [QUESTIONS]      (PYTHONPATH=.:tools:finetune)

Every assistant turn of the first QUESTIONS (20) dialogues in agent.valid.jsonl is written anew after its true history.
A call is valid when it stands alone, names a known tool, passes that tool's own check and ends; a last turn when it calls
nothing and ends. Counted per turn, and per question where all its turns must be valid. Target: 90 %. Beside it: the share
of calls that name the recorded tool, that are the recorded call, and whose IRIs all stand in the history.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from clear_kgqa.agent.repair import written_calls
from clear_kgqa.agent.tool_specs import checked
from clear_kgqa.likelihood.adapter import read_card
from clear_kgqa_finetune.agent import shortened
from clear_kgqa_finetune.chat import render, stop_ids
from clear_kgqa_finetune.check import adapter_folder, load_with_base
from clear_kgqa_finetune.recipe import Recipe
from clear_kgqa_finetune.sources import read_jsonl
from clear_kgqa_finetune.train import RUN

MOST_TOKENS = 400  # a call with eight IRIs takes 250
BATCH = 10
IRI = re.compile(r"https?://[^<>\s\"]+")


@dataclass(frozen=True, slots=True)
class Turn:
    """An assistant turn: which question's, the recorded call as (tool, arguments) or None, and what stands before it."""

    question: int
    recorded: tuple[str, Any] | None
    history: str
    ids: list[int]


def turns(dialogues: Sequence[tuple[list[Any], list[Any]]], tokenizer: Any) -> list[Turn]:
    """Every assistant turn of the dialogues (messages, tools), shortest history first."""
    found = []
    for at, (messages, tools) in enumerate(dialogues):
        for place, message in enumerate(messages):
            if message["role"] == "assistant":
                text = render(tokenizer, messages[:place], tools, prompt=True)
                ids = tokenizer(text, add_special_tokens=False)["input_ids"]
                calls = [(c["function"]["name"], c["function"]["arguments"]) for c in message.get("tool_calls") or []]
                found.append(Turn(at, calls[0] if calls else None, text, ids))
    return sorted(found, key=lambda turn: len(turn.ids))


def written(model: Any, tokenizer: Any, rows: Sequence[list[int]]) -> list[tuple[str, bool]]:
    """What the model writes after each prompt, greedily, and whether it stopped by itself."""
    stops, width = sorted(stop_ids(tokenizer)), max(map(len, rows))
    ids = torch.tensor([[tokenizer.pad_token_id] * (width - len(row)) + row for row in rows])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
    with torch.inference_mode():
        out = model.generate(
            input_ids=ids, attention_mask=mask, max_new_tokens=MOST_TOKENS, do_sample=False, eos_token_id=stops,
            pad_token_id=tokenizer.pad_token_id,
        )[:, width:].tolist()  # fmt: skip
    ends = [next((at for at, token in enumerate(row) if token in stops), None) for row in out]
    return [(tokenizer.decode(row[:end]), end is not None) for row, end in zip(out, ends, strict=True)]


def fault(text: str, stopped: bool, calls: bool) -> str:
    """What is wrong with a turn, or an empty string: a call where one is due, none where the answer is."""
    if not stopped:
        return "does not end"
    found = written_calls(text)
    if not calls:
        return "a call in place of the answer" if found.calls or "<tool_call" in text else ""
    if len(found.calls) != 1:
        return "a call that cannot be read" if found.fault else f"{len(found.calls) or 'no'} calls"
    return "wrong tool or arguments" if isinstance(checked(*found.calls[0]), str) else ""


def measured(model: Any, tokenizer: Any, asked: Sequence[Turn]) -> str:
    replies: list[tuple[str, str]] = []
    started = time.process_time()
    for at in range(0, len(asked), BATCH):
        batch = asked[at : at + BATCH]
        for turn, (text, stopped) in zip(batch, written(model, tokenizer, [t.ids for t in batch]), strict=True):
            wrong = fault(text, stopped, turn.recorded is not None)
            replies.append((text, wrong))
            print(f"  {wrong or 'valid'}: {text[:300]!r}", flush=True)
    return summary(asked, replies, time.process_time() - started)


def summary(asked: Sequence[Turn], replies: Sequence[tuple[str, str]], seconds: float) -> str:
    """Shares of calls that are due, and of questions; faults counted by kind."""
    due = [(turn, *reply) for turn, reply in zip(asked, replies, strict=True) if turn.recorded]
    calls = [(turn, written_calls(text).calls[0], text) for turn, text, wrong in due if not wrong]
    counts = {
        "valid calls": len(calls),
        "the recorded tool": sum(turn.recorded is not None and call[0] == turn.recorded[0] for turn, call, _ in calls),
        "the recorded call": sum(call == turn.recorded for turn, call, _ in calls),
        "every IRI from the history": sum(all(i in turn.history for i in IRI.findall(text)) for turn, _, text in calls),
    }
    faulty = {turn.question for turn, (_, wrong) in zip(asked, replies, strict=True) if wrong}
    whole, faults = len({turn.question for turn in asked}), Counter(wrong for _, wrong in replies if wrong)
    shares = ", ".join(f"{name} {count}/{len(due)} ({count / len(due):.0%})" for name, count in counts.items())
    return f"{shares}; questions without a fault {whole - len(faulty)}/{whole}; {dict(faults)}; {seconds:.0f} CPU s"


def main(trained: str, data: str, questions: str = "20") -> None:
    folder = adapter_folder(Path(trained))
    card = read_card(folder)
    if card is None:
        raise SystemExit(f"{folder} holds no adapter made by `finetune train`")
    model, tokenizer = load_with_base(folder, card, None)
    recipe = Recipe.model_validate(json.loads((folder.parent / RUN).read_text("utf-8"))["recipe"])
    rows = read_jsonl(Path(data) / "agent.valid.jsonl")[: int(questions)]
    asked = turns([shortened(row, recipe) for row in rows], tokenizer)
    model = model.to(torch.bfloat16)
    print("tuned:", measured(model, tokenizer, asked), flush=True)
    with model.disable_adapter():
        print("base: ", measured(model, tokenizer, asked))


if __name__ == "__main__":
    main(*sys.argv[1:])
