"""A random Llama of a few thousand weights over bytes, built in place: for the recipe `tiny-cpu` and for
tests.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

SPECIALS = ("<unk>", "<s>", "</s>", "<pad>", "<|im_start|>", "<|im_end|>")


def byte_tokenizer(chat_template: str | None = None) -> Any:
    """A tokenizer with one token per byte; BOS in front, </s> as EOS, a padding token of its own."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: at for at, token in enumerate([*SPECIALS, *alphabet])}
    raw = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    raw.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", vocabulary["<s>"])])
    return PreTrainedTokenizerFast(
        tokenizer_object=raw, unk_token="<unk>", bos_token="<s>", eos_token="</s>", pad_token="<pad>",
        extra_special_tokens=list(SPECIALS[4:]), chat_template=chat_template, model_max_length=2048,
    )  # fmt: skip


def build_tiny_llama(folder: Path, seed: int = 0) -> Path:
    """Saves a two-layer Llama with random weights and its byte tokenizer; an existing one is left alone."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    if (folder / "config.json").exists():
        return folder
    tokenizer = byte_tokenizer()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=2048,
                initializer_range=0.2,
                bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
                pad_token_id=tokenizer.pad_token_id,
            )
        )  # fmt: skip
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def tiny_rows() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Made-up helper rows, 24 to train on and 8 to validate: a question fits one place or both."""
    places = ("Arl", "Bex", "Cone", "Dun", "Esk", "Fyn", "Gar", "Hue")
    rows = []
    for name in places:
        for asked, fits in (("mayor", 0), ("length", 1), ("area", None), ("name", None)):
            contexts = [f"{name} (city). has mayor, area, name", f"{name} (river). has length, area, name"]
            row = {
                "question": f"What is the {asked} of {name}?",
                "contexts": contexts,
                "label": int(fits is None),
            }
            rows.append(row if fits is None else {**row, "gold": fits})
    return rows[:24], rows[24:]
