"""`finetune check`: is this adapter what it should be, on the base it was trained on?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clear_kgqa.likelihood.adapter import AdapterCard, read_card, with_adapter
from clear_kgqa.likelihood.weights import load_model, load_tokenizer, weights_source
from clear_kgqa_finetune.base_model import TINY
from clear_kgqa_finetune.chat import encode_dialogue, render, stop_ids
from clear_kgqa_finetune.train import ADAPTER
from clear_kgqa_tools.errors import ConfigError

_PROBE = "What is the capital of Australia?"
_SMALLEST_DIFFERENCE = 1e-6
_STOP_TRIES = 1024


def check_adapter(folder: Path, base: str | None = None) -> Iterator[str]:
    """Yields one line per check that holds; raises ConfigError at the first that does not."""
    adapter = adapter_folder(folder)
    card = read_card(adapter)
    if card is None:
        raise ConfigError(f"{adapter} was not made by `finetune train` (it has no card)")
    model, tokenizer = load_with_base(adapter, card, base)
    yield f"belongs to its base: {card.base} ({card.weights_fingerprint or card.base_fingerprint})"
    yield f"changes the logits by up to {_logit_difference(model, tokenizer):.3g}"
    if card.method == "agent":
        yield _one_bos(tokenizer)
        yield _stops(model, tokenizer)


def adapter_folder(folder: Path) -> Path:
    """The adapter inside a training folder, or the folder itself."""
    return folder / ADAPTER if (folder / ADAPTER).is_dir() else folder


def load_with_base(adapter: Path, card: AdapterCard, base: str | None) -> tuple[Any, Any]:
    """The adapted model in fp32 and the adapter's tokenizer. Raises ConfigError for a wrong base."""
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    spec = base or card.base
    source = str(adapter.parent / "base") if spec == TINY else weights_source(spec)
    auto = AutoModelForSeq2SeqLM if card.method == "seq2seq" else AutoModelForCausalLM
    return with_adapter(load_model(auto, source, "float32"), adapter).eval(), load_tokenizer(str(adapter))


def _logit_difference(model: Any, tokenizer: Any) -> float:
    import torch

    batch = tokenizer(_PROBE, return_tensors="pt")
    inputs = {"input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"]}
    if model.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = batch["input_ids"]
    with torch.inference_mode():
        adapted = model(**inputs).logits
        with model.disable_adapter():
            difference = float((adapted - model(**inputs).logits).abs().max())
    if difference < _SMALLEST_DIFFERENCE:
        raise ConfigError("the adapter changes nothing: its logits equal the base's")
    return difference


def _one_bos(tokenizer: Any) -> str:
    turns = [{"role": "user", "content": _PROBE}, {"role": "assistant", "content": "Canberra"}]
    ids = encode_dialogue(tokenizer, turns)[0].ids
    if len(ids) > 1 and ids[0] == ids[1] == tokenizer.bos_token_id:
        raise ConfigError("the chat template and the tokenizer both write a BOS")
    return "one BOS at most"


def _stops(model: Any, tokenizer: Any) -> str:
    import torch

    text = render(tokenizer, [{"role": "user", "content": _PROBE}], [], prompt=True)
    ids = tokenizer(text, add_special_tokens=False, return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        out = model.generate(
            input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=_STOP_TRIES, do_sample=False,
            eos_token_id=sorted(stop_ids(tokenizer)), pad_token_id=tokenizer.pad_token_id,
        )  # fmt: skip
    written = out.shape[1] - ids.shape[1]
    if int(out[0, -1]) not in stop_ids(tokenizer):
        raise ConfigError(f"the stop token is not learnt: no end within {_STOP_TRIES} tokens")
    return f"stops by itself after {written} tokens"
