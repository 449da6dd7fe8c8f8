"""Replies kept on disk: no prompt is asked twice, in one run or the next."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from clear_kgqa.examples.replies import KeptReplies, model_identity


class Upper:
    """Replies in capitals; stops the run at a prompt `stop`, as a kill would."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def generate(self, prompts: list[str]) -> list[str]:
        if any(p.startswith("stop") for p in prompts):
            raise KeyboardInterrupt
        self.asked += prompts
        return [p.upper() for p in prompts]


def test_a_prompt_is_asked_once_and_replies_keep_their_order(tmp_path: Path) -> None:
    model = Upper()
    kept = KeptReplies("m", lambda: model, tmp_path / "replies.jsonl")
    assert kept.generate(["bb", "a", "bb"]) == ["BB", "A", "BB"]
    assert kept.generate(["a", "c"]) == ["A", "C"]
    assert sorted(model.asked) == ["a", "bb", "c"]


def test_a_run_that_was_stopped_goes_on_without_asking_again(tmp_path: Path) -> None:
    file, first, second = tmp_path / "out" / "replies.jsonl", Upper(), Upper()
    prompts = [f"q{i:02}" for i in range(30)]
    kept = KeptReplies("m", lambda: first, file)
    with contextlib.suppress(KeyboardInterrupt):
        kept.generate([*prompts, "stop, a prompt longer than the others"])
    assert len(first.asked) == 25
    with file.open("a") as out:
        out.write('{"model": "m", "prom')  # the line under way when the process was killed
    again = KeptReplies("m", lambda: second, file)
    assert again.generate(prompts) == [p.upper() for p in prompts]
    assert second.asked == prompts[25:]
    third = Upper()
    KeptReplies("m", lambda: third, file).generate(prompts)
    assert third.asked == []


def test_nothing_is_loaded_where_every_reply_is_kept(tmp_path: Path) -> None:
    KeptReplies("m", Upper, tmp_path / "r.jsonl").generate(["a"])

    def load() -> Upper:
        raise AssertionError("the model was loaded")

    assert KeptReplies("m", load, tmp_path / "r.jsonl").generate(["a"]) == ["A"]


def test_replies_of_another_model_or_of_an_older_one_in_the_same_folder_do_not_count(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"")
    before = model_identity(str(folder))
    os.utime(folder / "model.safetensors", ns=(1, 2_000_000_000_000_000_000))
    assert model_identity(str(folder)) != before
    assert model_identity("google/flan-t5-base") == "google/flan-t5-base"
    KeptReplies("one", Upper, tmp_path / "r.jsonl").generate(["a"])
    other = Upper()
    KeptReplies("other", lambda: other, tmp_path / "r.jsonl").generate(["a"])
    assert other.asked == ["a"]


def test_progress_counts_the_prompts_that_have_a_reply(tmp_path: Path) -> None:
    kept = KeptReplies("m", Upper)
    kept.generate(["a"])
    seen: list[tuple[int, int]] = []
    kept.progress = lambda done, of: seen.append((done, of))
    kept.generate(["a", *(f"q{i}" for i in range(30))])
    assert seen == [(1, 31), (26, 31), (31, 31)]
