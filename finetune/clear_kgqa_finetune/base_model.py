"""Base model and tokenizer of a recipe, ready to take an adapter, with everything checked that would spoil a
run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clear_kgqa.likelihood.tokens import accepts_logits_to_keep, prepare_head
from clear_kgqa.likelihood.weights import load_model, load_tokenizer, weights_source
from clear_kgqa_finetune.chat import ensure_tool_template, use_own_padding
from clear_kgqa_finetune.recipe import Lora, Recipe
from clear_kgqa_finetune.tiny import build_tiny_llama
from clear_kgqa_tools.errors import ConfigError

TINY = "tiny-llama"


@dataclass(frozen=True)
class Base:
    """The frozen model, its tokenizer, and the folder or hub id that both came from."""

    model: Any
    tokenizer: Any
    source: str


def load_base(recipe: Recipe, out: Path) -> Base:
    """Loads the recipe's base. Raises ConfigError where it cannot serve the recipe's method."""
    source = str(build_tiny_llama(out / "base")) if recipe.base == TINY else weights_source(recipe.base)
    tokenizer = load_tokenizer(source)
    model = load_model(_auto_class(recipe), source, "bfloat16" if recipe.bf16 else "float32", **_options(recipe))
    if len(tokenizer) > model.get_input_embeddings().num_embeddings:
        raise ConfigError(f"{recipe.base}: the tokenizer has more tokens than the model has embeddings")
    use_own_padding(tokenizer)
    if recipe.method in ("agent", "preference"):
        ensure_tool_template(tokenizer)
    if recipe.method != "seq2seq":
        if not accepts_logits_to_keep(model):
            raise ConfigError(f"{recipe.base}: {type(model).__name__} is no decoder that this project can train")
        prepare_head(model)
    return Base(model, tokenizer, source)


def _auto_class(recipe: Recipe) -> Any:
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    return AutoModelForSeq2SeqLM if recipe.method == "seq2seq" else AutoModelForCausalLM


def _options(recipe: Recipe) -> dict[str, Any]:
    import torch

    if not torch.cuda.is_available():
        if recipe.lora.quantize == "4bit":
            raise ConfigError("quantize: 4bit needs CUDA and bitsandbytes; set quantize: none")
        # On CPUs the fused kernel's backward pass with a mask takes longer than all the rest of a helper's step: 3.1 s
        # against 1.9 s on SmolLM2. Dialogues have no mask and take half the time with it.
        return {"attn_implementation": "eager"} if recipe.method == "helper" else {}
    return {"quantization_config": _four_bit()} if recipe.lora.quantize == "4bit" else {}


def _four_bit() -> Any:
    import torch
    from transformers import BitsAndBytesConfig

    try:
        return BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=torch.bfloat16,
        )  # fmt: skip
    except ImportError as error:
        raise ConfigError("quantize: 4bit needs bitsandbytes: pip install bitsandbytes") from error


def add_adapter(base: Base, recipe: Recipe) -> Any:
    """The base with a fresh LoRA adapter (fp32, seeded). Raises ConfigError where the base lacks the named
    layers.
    """
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
    from transformers import set_seed

    lora, model = recipe.lora, base.model
    config = LoraConfig(
        r=lora.rank, lora_alpha=lora.alpha, lora_dropout=lora.dropout,
        task_type="SEQ_2_SEQ_LM" if recipe.method == "seq2seq" else "CAUSAL_LM",
        **_layers(model, lora),
    )  # fmt: skip
    if lora.quantize == "4bit":
        model = prepare_model_for_kbit_training(model, use_gradient_checkpointing=recipe.gradient_checkpointing)
    set_seed(recipe.seed)
    try:
        return get_peft_model(model, config)
    except ValueError as error:
        raise ConfigError(f"recipe {recipe.name}: lora targets do not fit {recipe.base}: {error}") from error


def _layers(model: Any, lora: Lora) -> dict[str, Any]:
    """Which linear layers get an adapter, as peft's arguments."""
    if lora.top_layers is None:
        return {"target_modules": lora.targets}
    depth, targets = model.config.num_hidden_layers, lora.targets
    if targets == "all-linear":  # peft would take it for every layer, whatever else is said
        inside = (
            name for name, module in model.named_modules() if hasattr(module, "in_features") and ".layers." in name
        )
        targets = sorted({name.rsplit(".", 1)[1] for name in inside})
    return {"target_modules": targets, "layers_to_transform": list(range(max(depth - lora.top_layers, 0), depth))}
