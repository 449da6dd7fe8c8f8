"""The loss curve of a run as a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def plot_losses(history: Sequence[dict[str, Any]], path: Path, title: str, echo: Callable[[str], None]) -> None:
    """Training and validation loss by step as a PNG; without matplotlib a line says so."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        echo(f"no {path.name}: matplotlib is not installed (losses.json has the numbers)")
        return
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for field, label in (("loss", "training"), ("eval_loss", "validation")):
        points = [(entry["step"], entry[field]) for entry in history if field in entry]
        if points:
            axes.plot(*zip(*points, strict=True), label=label, marker="o" if field == "eval_loss" else None)
    axes.set(xlabel="step", ylabel="loss", title=title)
    axes.legend()
    figure.savefig(path, dpi=120)
