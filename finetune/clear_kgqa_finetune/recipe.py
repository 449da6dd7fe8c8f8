"""Recipes: one YAML file says what is trained, on what, and how."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clear_kgqa_tools.errors import ConfigError

Method = Literal["helper", "agent", "preference", "seq2seq"]


class Lora(BaseModel):
    """Rank, scale, and which linear layers get an adapter ("all-linear" or names such as q_proj)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rank: int = Field(default=8, ge=1)
    alpha: int = Field(default=16, ge=1)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    targets: str | list[str] = "all-linear"
    quantize: Literal["none", "4bit"] = "none"
    """4bit is QLoRA: the frozen base in nf4, which needs CUDA and bitsandbytes."""
    top_layers: int | None = Field(default=None, ge=1)
    """Only so many of the last layers get an adapter; None is all. A helper's verdicts then run the layers below once
    per row and keep what comes out.
    """


class HelperLoss(BaseModel):
    """Weights of the helper's three losses, or `verdict`: the score is the chance that the question fits a candidate
    ("yes" against "no" after both), trained on the labels as such.

    `listwise`: cross-entropy of the gold candidate among all, log-likelihoods divided by `temperature`; `need`: the
    label "needs clarification" against whether the best candidate is `margin` nats ahead of the second;
    `likelihood`: plain negative log-likelihood per token of the question after the gold candidate's context.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    verdict: bool = False
    listwise: float = Field(default=1.0, ge=0)
    need: float = Field(default=1.0, ge=0)
    likelihood: float = Field(default=0.2, ge=0)
    temperature: float = Field(default=2.0, gt=0)
    margin: float = Field(default=1.5, gt=0)


class Recipe(BaseModel):
    """Everything a training run depends on, besides the data folder's content."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    method: Method
    base: str
    """Hub id, folder, .gguf file, "smollm2-135m", or "tiny-llama" (random, built in place)."""
    data: Path | None = None
    """Folder made by `finetune data`; None lets the recipe make a small random set of its own."""
    lora: Lora = Lora()
    helper: HelperLoss = HelperLoss()
    beta: float = Field(default=0.1, gt=0)
    """How far preference tuning may leave the reference model (DPO)."""
    max_tokens: int = Field(default=2048, ge=16)
    """A longer dialogue is an error (agent) or dropped and counted (`drop_long`)."""
    drop_long: bool = False
    observation_lines: int = Field(default=0, ge=0)
    """So many results stay of an agent's observation, each with its first two fields; 0 leaves observations whole."""
    short_prompt: bool = False
    """Agent dialogues without the system prompt of `finetune data --kg`, tools by name and arguments only."""
    context_tokens: int = Field(default=96, ge=8)
    """Where a helper's candidate context is cut."""
    packing: bool = False
    epochs: float = Field(default=3.0, gt=0)
    max_steps: int = -1
    batch_size: int = Field(default=8, ge=1)
    accumulate: int = Field(default=1, ge=1)
    learning_rate: float = Field(default=2e-4, gt=0)
    warmup_steps: int = Field(default=10, ge=0)
    weight_decay: float = Field(default=0.0, ge=0)
    bf16: bool = True
    """The base in bf16; adapter weights and optimizer stay in fp32."""
    gradient_checkpointing: bool = False
    eval_steps: int = Field(default=50, ge=1)
    save_steps: int = Field(default=50, ge=1)
    patience: int = Field(default=0, ge=0)
    """Evaluations without a better loss before training stops and the best adapter is taken; 0 trains to the
    end.
    """
    seed: int = 0
    tensorboard: bool = False


def recipe_names() -> list[str]:
    """The recipes that ship."""
    folder = resources.files("clear_kgqa_finetune") / "recipes"
    return sorted(f.name.removesuffix(".yaml") for f in folder.iterdir() if f.name.endswith(".yaml"))


def load_recipe(name_or_file: str) -> Recipe:
    """A shipped recipe by name, or a YAML file. Raises ConfigError with the first wrong field."""
    path = Path(name_or_file)
    if name_or_file in recipe_names():
        text = (resources.files("clear_kgqa_finetune") / "recipes" / f"{name_or_file}.yaml").read_text("utf-8")
    elif path.is_file():
        text = path.read_text("utf-8")
    else:
        raise ConfigError(f"no recipe {name_or_file!r}; there are {', '.join(recipe_names())}, or give a YAML file")
    try:
        return Recipe.model_validate(yaml.safe_load(text))
    except (ValidationError, yaml.YAMLError) as error:
        raise ConfigError(f"recipe {name_or_file}: {_reason(error)}") from error


def _reason(error: ValidationError | yaml.YAMLError) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc'])) or 'file'}: {first['msg']}"
    return " ".join(str(error).split())
