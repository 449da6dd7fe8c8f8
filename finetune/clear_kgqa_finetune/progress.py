"""Live progress of a training run: loss, tokens a second, time left."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

_SECONDS_BETWEEN_LINES = 5.0


def progress_callback(echo: Callable[[str], None]) -> Any:
    """A Trainer callback that writes a line every few seconds, for each evaluation, and at the end."""
    from transformers import TrainerCallback

    class Progress(TrainerCallback):
        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self.started = time.perf_counter()
            self.first_step = state.global_step
            self.first_tokens = state.num_input_tokens_seen
            self.last_line = 0.0

        def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float], **_: Any) -> None:
            if not state.is_world_process_zero:
                return
            now = time.perf_counter()
            if "eval_loss" in logs:
                echo(f"step {state.global_step}/{state.max_steps}  validation loss {logs['eval_loss']:.4f}")
            elif "loss" in logs and now - self.last_line >= _SECONDS_BETWEEN_LINES:
                self.last_line = now
                echo(self._line(state, logs["loss"], now - self.started))

        def _line(self, state: Any, loss: float, seconds: float) -> str:
            steps = max(state.global_step - self.first_step, 1)
            left = (state.max_steps - state.global_step) * seconds / steps
            speed = (state.num_input_tokens_seen - self.first_tokens) / seconds
            minutes = f"{int(left // 60)}:{int(left % 60):02d}"
            done = f"step {state.global_step}/{state.max_steps}"
            return f"{done}  loss {loss:.4f}  {speed:.0f} tokens/s  {minutes} left"

    return Progress()
