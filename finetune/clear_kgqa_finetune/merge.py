"""`finetune merge`: base and adapter as one model, for servers that take no adapters and for GGUF export."""

from __future__ import annotations

from pathlib import Path

from clear_kgqa.likelihood.adapter import read_card
from clear_kgqa_finetune.chat import stop_ids
from clear_kgqa_finetune.check import adapter_folder, load_with_base
from clear_kgqa_tools.errors import ConfigError


def merge_adapter(folder: Path, out: Path, base: str | None = None) -> None:
    """Merges in fp32, where small updates are not rounded away, and saves bf16 safetensors with the
    tokenizer.

    An agent's generation settings end a turn where it learnt to, or a server would let it write on past its own template.
    """
    import torch

    adapter = adapter_folder(folder)
    card = read_card(adapter)
    if card is None:
        raise ConfigError(f"{adapter} was not made by `finetune train` (it has no card)")
    if out.exists() and any(out.iterdir()):
        raise ConfigError(f"{out} is not empty")
    model, tokenizer = load_with_base(adapter, card, base)
    merged = model.merge_and_unload().to(torch.bfloat16)
    if card.method == "agent":
        merged.generation_config.eos_token_id = sorted(stop_ids(tokenizer))
        merged.generation_config.pad_token_id = tokenizer.pad_token_id
    merged.save_pretrained(out)
    tokenizer.save_pretrained(out)
