"""What models have replied, kept on disk line by line: a prompt is answered once, in this run and in the next."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from clear_kgqa.examples.generative import GenerativeModel
from clear_kgqa.likelihood.hf import split_spec

FILE_NAME = "replies.jsonl"
_AT_ONCE = 25


class KeptReplies:
    """A model that is loaded at the first prompt without a reply; replies are appended to `file`.

    `identity` tells one model from another (see `model_identity`); without a file replies are kept in memory.
    """

    def __init__(self, identity: str, load: Callable[[], GenerativeModel], file: Path | None = None) -> None:
        self._identity, self._load, self._file = identity, load, file
        self._model: GenerativeModel | None = None
        self._known = _read(file, identity) if file else {}
        self.progress: Callable[[int, int], None] = lambda done, of: None

    def generate(self, prompts: list[str]) -> list[str]:
        """The replies, in the order of the prompts; `progress` gets how many prompts of this call have one."""
        keys = [_key(p) for p in prompts]
        # The longest apart from the shortest: padding costs as much as text.
        new = sorted(((k, p) for k, p in dict(zip(keys, prompts, strict=True)).items() if k not in self._known),
                     key=lambda item: len(item[1]))  # fmt: skip
        for at in range(0, len(new), _AT_ONCE):
            self.progress(len(prompts) - len(new) + at, len(prompts))
            self._answer(new[at : at + _AT_ONCE])
        self.progress(len(prompts), len(prompts))
        return [self._known[k] for k in keys]

    def _answer(self, asked: Sequence[tuple[str, str]]) -> None:
        self._model = self._model or self._load()
        replies = {k: r for (k, _), r in zip(asked, self._model.generate([p for _, p in asked]), strict=True)}
        self._known |= replies
        if self._file:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as out:
                lines = ({"model": self._identity, "prompt": k, "reply": r} for k, r in replies.items())
                out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def model_identity(spec: str) -> str:
    """The model's name; for folders and files also when they were last written, so that a new model is asked anew."""
    base, adapter = split_spec(spec)
    paths = [Path(base).expanduser(), *([adapter] if adapter else [])]
    files = [f for p in paths if p.exists() for f in (p.glob("*") if p.is_dir() else [p])]
    written = max((f.stat().st_mtime_ns for f in files), default=0)
    return f"{spec}@{written}" if written else spec


def _key(prompt: str) -> str:
    return hashlib.sha256(prompt.encode()).hexdigest()[:32]


def _read(file: Path, identity: str) -> dict[str, str]:
    """The replies of one model; a line that was cut short by a killed run is passed over, and ended."""
    known = {}
    text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
    if text and not text.endswith("\n"):
        with file.open("a", encoding="utf-8") as out:
            out.write("\n")
    for line in text.splitlines():
        try:
            kept = json.loads(line)
        except ValueError:
            continue
        if kept["model"] == identity:
            known[kept["prompt"]] = kept["reply"]
    return known
