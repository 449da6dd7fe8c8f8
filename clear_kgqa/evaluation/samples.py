"""Samples: the questions of a benchmark with their gold, read from JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random
from typing import Any

from clear_kgqa_tools.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Sample:
    """One question with its gold.

    `answers` are IRIs or lexical forms, several columns joined by " | ", None where the file has none;
    `candidates` and `intended` are IRIs; `history` the earlier turns, oldest first; `alternatives` other gold
    queries, of whose answers the best counts.
    """

    id: str
    question: str
    sparql: str = ""
    answers: tuple[str, ...] | None = None
    candidates: tuple[str, ...] = ()
    intended: str = ""
    needs_clarification: bool | None = None
    history: tuple[str, ...] = ()
    type: str = ""
    language: str = ""
    alternatives: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The sample as a questions file holds it, without empty fields."""
        out = {f.name: getattr(self, f.name) for f in fields(self)}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in out.items() if v not in (None, "", ())}


def json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSON Lines file, each with "file:line" for messages; raises ConfigError."""
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield f"{path}:{number}", _json_object(line, f"{path}:{number}")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text") from error


def _json_object(line: str, where: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ConfigError(f"{where}: not JSON ({error})") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{where}: a JSON object is expected, not {type(data).__name__}")
    return data


def answer_text(value: Any) -> str:
    """An answer of a JSON file as the string it is compared by (booleans as true and false)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)


def read_answers(data: dict[str, Any], where: str) -> tuple[str, ...] | None:
    """The `answers` or `boolean` of an object, or None; raises ConfigError when they have another shape."""
    if isinstance(data.get("boolean"), bool):
        return (answer_text(data["boolean"]),)
    answers = data.get("answers")
    if answers is None:
        return None
    if not isinstance(answers, list) or any(isinstance(a, list | dict) or a is None for a in answers):
        raise ConfigError(f"{where}: `answers` must be a list of strings")
    return tuple(answer_text(a) for a in answers)


def sample_from(data: dict[str, Any], where: str) -> Sample:
    """A sample from one object of a questions file; raises ConfigError naming the place."""
    for name in ("id", "question"):
        if not isinstance(data.get(name), str | int) or data[name] == "":
            raise ConfigError(f"{where}: `{name}` is missing or not a string")
    for name in ("sparql", "intended", "type", "language"):
        if not isinstance(data.get(name) or "", str):
            raise ConfigError(f"{where}: `{name}` must be a string")
    needs = data.get("needs_clarification")
    return Sample(
        str(data["id"]),
        str(data["question"]),
        data.get("sparql") or "",
        read_answers(data, where),
        _strings(data, "candidates", where),
        data.get("intended") or "",
        None if needs is None else bool(needs),
        _strings(data, "history", where),
        data.get("type") or "",
        data.get("language") or "",
        _strings(data, "alternatives", where),
    )


def _strings(data: dict[str, Any], name: str, where: str) -> tuple[str, ...]:
    value = data.get(name) or []
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise ConfigError(f"{where}: `{name}` must be a list of strings")
    return tuple(value)


def read_samples(path: Path) -> list[Sample]:
    """All samples of a questions file; raises ConfigError for a wrong line or an id used twice."""
    seen: dict[str, str] = {}
    out = []
    for where, data in json_lines(path):
        sample = sample_from(data, where)
        if sample.id in seen:
            raise ConfigError(f"{where}: the id {sample.id!r} was used before, at {seen[sample.id]}")
        seen[sample.id] = where
        out.append(sample)
    if not out:
        raise ConfigError(f"{path} holds no questions")
    return out


def write_samples(path: Path, samples: list[Sample]) -> None:
    """Write a questions file."""
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(s.to_json(), ensure_ascii=False) + "\n" for s in samples)


def select(
    samples: list[Sample],
    *,
    per_type: int | None = None,
    limit: int | None = None,
    shard: tuple[int, int] | None = None,
    seed: int = 0,
) -> list[Sample]:
    """`per_type` questions of each type, of them the first `limit`, of those shard i of n (i from 1)."""
    if per_type is not None:
        samples = _stratified(samples, per_type, seed)
    if limit is not None:
        samples = samples[:limit]
    if shard is not None:
        i, n = shard
        if not 1 <= i <= n:
            raise ConfigError(f"--shard {i}/{n}: the first number must lie between 1 and the second")
        samples = samples[i - 1 :: n]
    return samples


def _stratified(samples: list[Sample], per_type: int, seed: int) -> list[Sample]:
    groups: dict[str, list[int]] = {}
    for at, sample in enumerate(samples):
        groups.setdefault(sample.type, []).append(at)
    rng = Random(seed)
    kept = [at for _, group in sorted(groups.items()) for at in rng.sample(group, min(per_type, len(group)))]
    return [samples[at] for at in sorted(kept)]
