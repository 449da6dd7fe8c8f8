"""The training loop: transformers' Trainer around a task's loss, with progress, early stopping and exact
resume.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clear_kgqa_finetune.recipe import Recipe
from clear_kgqa_finetune.task import Task

_CHECKPOINT_FILES = (
    "adapter_model.safetensors",
    "optimizer.pt",
    "scheduler.pt",
    "rng_state.pth",
    "trainer_state.json",
)


def fit(recipe: Recipe, out: Path, model: Any, task: Task, echo: Callable[[str], None]) -> tuple[Any, dict[str, Any]]:
    """Trains to the end, from the last complete checkpoint in OUT where there is one; the trainer and its
    figures.
    """
    trainer = _trainer(recipe, out, model, task, echo)
    checkpoint = last_checkpoint(out)
    if checkpoint:
        echo(f"resuming from {checkpoint.name}")
    started = time.perf_counter()
    result = trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    seconds = time.perf_counter() - started
    figures = {
        "steps": trainer.state.global_step, "train_loss": round(result.training_loss, 5),
        "seconds": round(seconds, 1), "tokens": int(trainer.state.num_input_tokens_seen),
        "peak_mb": peak_megabytes(),
    }  # fmt: skip
    if validated := [entry["eval_loss"] for entry in trainer.state.log_history if "eval_loss" in entry]:
        figures["valid_loss"] = round(min(validated) if recipe.patience else validated[-1], 5)
    return trainer, figures


def last_checkpoint(out: Path) -> Path | None:
    """The newest checkpoint that a kill did not cut short."""
    found = sorted(out.glob("checkpoint-*"), key=lambda p: int(p.name.rsplit("-", 1)[1]))
    complete = [folder for folder in found if all((folder / name).exists() for name in _CHECKPOINT_FILES)]
    return complete[-1] if complete else None


def peak_megabytes() -> int:
    """Most memory held so far: on the GPU where there is one, else of this process."""
    import resource

    import torch

    if torch.cuda.is_available():
        return int(torch.cuda.max_memory_allocated() / 2**20)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def precision(recipe: Recipe) -> Any:
    """The adapter's matrix products in bf16 on a GPU; the frozen base is in bf16 by itself.

    On CPUs casting the adapter's inputs and weights costs more than its small products. Nor is this left to
    accelerate, which copies all logits to fp32 before the loss can take those that count.
    """
    import torch

    return torch.autocast("cuda", torch.bfloat16, enabled=recipe.bf16 and torch.cuda.is_available())


def _arguments(recipe: Recipe, out: Path, validates: bool) -> Any:
    import torch
    from transformers import TrainingArguments

    stops_early = validates and recipe.patience > 0
    checkpointing = {
        "gradient_checkpointing": True,
        "gradient_checkpointing_kwargs": {"use_reentrant": False},
    }
    return TrainingArguments(
        output_dir=str(out), seed=recipe.seed, data_seed=recipe.seed, use_cpu=not torch.cuda.is_available(),
        num_train_epochs=recipe.epochs, max_steps=recipe.max_steps,
        per_device_train_batch_size=recipe.batch_size, per_device_eval_batch_size=recipe.batch_size,
        gradient_accumulation_steps=recipe.accumulate, learning_rate=recipe.learning_rate,
        warmup_steps=recipe.warmup_steps, weight_decay=recipe.weight_decay, lr_scheduler_type="linear",
        eval_strategy="steps" if validates else "no", eval_steps=recipe.eval_steps,
        # The best adapter can only be taken from steps that were both evaluated and saved.
        save_strategy="steps", save_steps=recipe.eval_steps if stops_early else recipe.save_steps,
        save_total_limit=2,
        load_best_model_at_end=stops_early, metric_for_best_model="eval_loss" if stops_early else None,
        logging_steps=1, include_num_input_tokens_seen="all", remove_unused_columns=False, label_names=[],
        report_to=["tensorboard"] if recipe.tensorboard else [], disable_tqdm=True, prediction_loss_only=True,
        dataloader_pin_memory=torch.cuda.is_available(),
        **(checkpointing if recipe.gradient_checkpointing else {}),
    )  # fmt: skip


def _trainer(recipe: Recipe, out: Path, model: Any, task: Task, echo: Callable[[str], None]) -> Any:
    from transformers import EarlyStoppingCallback, PrinterCallback, Trainer

    from clear_kgqa_finetune.progress import progress_callback
    from clear_kgqa_finetune.similar_lengths import SimilarLengths

    class TaskTrainer(Trainer):
        """Trainer with the task's loss in place of the model's own."""

        def compute_loss(self, model: Any, inputs: Any, return_outputs: bool = False, **_: Any) -> Any:
            with precision(recipe):
                loss = task.loss(model, inputs)
            return (loss, {}) if return_outputs else loss

        def floating_point_ops(self, inputs: Any) -> int:
            return 0  # nobody asks, and counting walks over all modules at every step

        def _get_train_sampler(self, train_dataset: Any = None) -> Any:
            return SimilarLengths(task.lengths, recipe.batch_size, recipe.seed)

        def prediction_step(self, model: Any, inputs: Any, *_: Any, **__: Any) -> tuple[Any, None, None]:
            import torch

            with torch.no_grad(), precision(recipe):
                return task.loss(model, self._prepare_inputs(inputs)).detach(), None, None

    validates = len(task.valid) > 0
    trainer = TaskTrainer(
        model=model, args=_arguments(recipe, out, validates), data_collator=task.collate,
        train_dataset=task.train, eval_dataset=task.valid if validates else None,
        callbacks=[progress_callback(echo)],
    )  # fmt: skip
    trainer.model_accepts_loss_kwargs = False
    trainer.remove_callback(PrinterCallback)
    if validates and recipe.patience:
        trainer.add_callback(EarlyStoppingCallback(early_stopping_patience=recipe.patience))
    return trainer
