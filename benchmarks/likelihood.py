"""Speed of the Hugging Face likelihood against bare padded forward passes of the same shape, in one run.

Usage: python benchmarks/likelihood.py [MODEL] [ROUNDS] (default smollm2-135m 5; PYTHONPATH=.:tools) Each
round scores one new question against twenty candidates and runs the bare model on the very same batch, once
with the logits of every position (what `model(ids)` does) and once with those that a question needs. CPU
seconds are printed beside wall-clock, because they do not depend on what else the machine does.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import torch

from clear_kgqa.likelihood.hf import HuggingFaceLikelihood, pad_id
from clear_kgqa.likelihood.tokens import Batch, padded_batch, tokenize_pair
from clear_kgqa.likelihood.weights import SMOLLM2, load_causal_lm, load_tokenizer, weights_source

QUESTIONS = [
    "Where was {} born?",
    "Which river flows through {}?",
    "Who directed {}?",
    "How many people live in {}?",
]
TRAITS = ("city", "film", "band", "river", "novel", "asteroid", "football club", "painter", "village", "ship")


def contexts() -> list[str]:
    """Twenty descriptions of about forty tokens."""
    known = "has location, population, director, length, mouth, producer, mayor, named after"
    return [
        f"Springfield ({trait}). {known}. The {trait} of that name first mentioned in {1500 + at}."
        for at, trait in enumerate(TRAITS * 2)
    ]


def timed(run: Callable[[], Any]) -> tuple[float, float]:
    """Wall-clock and CPU seconds of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - cpu


def bare(model: Any, batch: Batch, keep: int) -> None:
    """One forward pass; `keep` 0 computes the logits of every position."""
    with torch.inference_mode():
        model(input_ids=batch.ids, attention_mask=batch.attention, use_cache=False, logits_to_keep=keep)


def main(spec: str = SMOLLM2, rounds: str = "5") -> None:
    source = weights_source(spec)
    scorer = HuggingFaceLikelihood(spec, neutral_share=0)
    model, tokenizer = load_causal_lm(source, "float32").eval(), load_tokenizer(source)
    runs: dict[str, list[tuple[float, float]]] = {"scorer": [], "bare, question": [], "bare, all": []}
    for at in range(int(rounds) + 1):
        question = QUESTIONS[at % len(QUESTIONS)].format(f"Springfield number {at}")
        pairs = [tokenize_pair(tokenizer, context, question, 256) for context in contexts()]
        batch = padded_batch(pairs, pad_id(tokenizer))
        calls = {
            "scorer": partial(scorer.score, question, contexts()),
            "bare, question": partial(bare, model, batch, batch.tail + 1),
            "bare, all": partial(bare, model, batch, 0),
        }
        for name, call in calls.items():
            seconds = timed(call)
            if at:  # the first round warms up
                runs[name].append(seconds)
    print(f"{spec}: {len(pairs)} candidates, {batch.ids.shape[1]} tokens wide, {torch.get_num_threads()} threads")
    ours = [median(run[at] for run in runs["scorer"]) for at in (0, 1)]
    for name, timings in runs.items():
        wall, cpu = (median(run[at] for run in timings) for at in (0, 1))
        print(f"{name:15} {wall:.3f} s, {cpu:.3f} CPU s; the scorer has {wall / ours[0]:.0%} of its speed")


if __name__ == "__main__":
    main(*sys.argv[1:])
