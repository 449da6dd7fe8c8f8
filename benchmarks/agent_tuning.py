"""How often a model follows the tool protocol on held-out dialogues, before and after `finetune train`.

Usage: python benchmarks/agent_tuning.py TRAINED_FOLDER DATA_FOLDER [QUESTIONS]      (PYTHONPATH=.:tools:finetune)

Every assistant turn of the first QUESTIONS (20) dialogues in agent.valid.jsonl is written anew after its true history.
A call is valid when it names a known tool and its arguments pass that tool's own check; a last turn when it calls nothing
and ends. Counted per turn, and per question where all its turns must be valid. Target: 90 %.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from clear_kgqa.agent.repair import written_calls
from clear_kgqa.agent.tool_specs import checked
from clear_kgqa.likelihood.adapter import read_card
from clear_kgqa_finetune.chat import render, stop_ids
from clear_kgqa_finetune.check import adapter_folder, load_with_base
from clear_kgqa_finetune.dialogues import with_short_observations
from clear_kgqa_finetune.sources import read_jsonl
from clear_kgqa_finetune.train import RUN

MOST_TOKENS = 400  # a call with eight IRIs takes 250
BATCH = 20


def prompts(rows: Sequence[dict[str, Any]], tokenizer: Any) -> list[tuple[int, bool, list[int]]]:
    """For every assistant turn: its question, whether the true turn calls a tool, and the tokens before it."""
    found = []
    for at, row in enumerate(rows):
        for turn, message in enumerate(row["messages"]):
            if message["role"] == "assistant":
                text = render(tokenizer, row["messages"][:turn], row["tools"], prompt=True)
                ids = tokenizer(text, add_special_tokens=False)["input_ids"]
                found.append((at, bool(message.get("tool_calls")), ids))
    return sorted(found, key=lambda p: len(p[2]))


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


def valid(text: str, stopped: bool, calls: bool) -> bool:
    """Whether a turn keeps to the protocol: a call where one is due, none where the answer is."""
    found = written_calls(text).calls
    if not calls:
        return stopped and not found and "<tool_call" not in text
    return stopped and len(found) == 1 and not isinstance(checked(*found[0]), str)


def measured(model: Any, tokenizer: Any, rows: Sequence[dict[str, Any]]) -> str:
    asked, right = prompts(rows, tokenizer), []
    started = time.process_time()
    for at in range(0, len(asked), BATCH):
        batch = asked[at : at + BATCH]
        texts = written(model, tokenizer, [ids for _, _, ids in batch])
        right += [(p[0], p[1], valid(*text, p[1])) for p, text in zip(batch, texts, strict=True)]
        print(f"  e.g. {texts[0][0][:200]!r}", flush=True)
    turns = [ok for _, calls, ok in right if calls]
    whole = [all(ok for own, _, ok in right if own == at) for at in range(len(rows))]
    return (
        f"valid calls {sum(turns)}/{len(turns)} ({sum(turns) / len(turns):.0%}), questions without a fault "
        f"{sum(whole)}/{len(whole)}, {time.process_time() - started:.0f} CPU s"
    )


def main(trained: str, data: str, questions: str = "20") -> None:
    folder = adapter_folder(Path(trained))
    card = read_card(folder)
    if card is None:
        raise SystemExit(f"{folder} holds no adapter made by `finetune train`")
    model, tokenizer = load_with_base(folder, card, None)
    recipe = json.loads((folder.parent / RUN).read_text("utf-8"))["recipe"]
    rows = [
        {**row, "messages": with_short_observations(row["messages"], recipe["observation_chars"])}
        for row in read_jsonl(Path(data) / "agent.valid.jsonl")[: int(questions)]
    ]
    model = model.to(torch.bfloat16)
    print("tuned:", measured(model, tokenizer, rows))
    with model.disable_adapter():
        print("base: ", measured(model, tokenizer, rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
