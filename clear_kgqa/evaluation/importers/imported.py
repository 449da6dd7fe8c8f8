"""What an importer returns, and how importers read their files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clear_kgqa.evaluation.samples import Sample, answer_text
from clear_kgqa.evaluation.values import SEPARATOR
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.text import cut


@dataclass(frozen=True, slots=True)
class Dropped:
    """A question that was left out, and why."""

    id: str
    reason: str


@dataclass
class Imported:
    """The samples of a foreign file, and what was dropped from it."""

    samples: list[Sample] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)


def collect(items: Iterable[Sample | Dropped]) -> Imported:
    """Sort samples from what was dropped; of questions with the same id the first stays."""
    out, seen = Imported(), set[str]()
    for item in items:
        if isinstance(item, Dropped):
            out.dropped.append(item)
        elif item.id in seen:
            out.dropped.append(Dropped(item.id, "the id was used before"))
        else:
            seen.add(item.id)
            out.samples.append(item)
    return out


def collect_objects(items: Iterable[Any], question: Callable[[dict[str, Any]], Sample | Dropped]) -> Imported:
    """What an importer makes of a file's items; those of another shape are dropped by their number, from 1."""
    return collect(_made(number, item, question) for number, item in enumerate(items, 1))


def _made(number: int, item: Any, question: Callable[[dict[str, Any]], Sample | Dropped]) -> Sample | Dropped:
    if not isinstance(item, dict):
        return Dropped(f"item {number}", f"not an object: {cut(json.dumps(item, ensure_ascii=False), 60)}")
    try:
        return question(item)
    except (AttributeError, LookupError, TypeError):  # a list or a string where the format has an object
        return Dropped(f"item {number}", "its fields are not those of this format")


def read_json(path: Path) -> Any:
    """A JSON file; raises ConfigError in one line."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not JSON: {error}") from error


def objects(data: Any, path: Path, *keys: str) -> list[Any]:
    """The question objects of a file: a list, or an object that holds it under one of the keys."""
    if isinstance(data, dict):
        data = next((data[key] for key in keys if isinstance(data.get(key), list)), None)
    if not isinstance(data, list):
        raise ConfigError(f"{path} holds no list of questions")
    return data


def file_objects(path: Path, *keys: str) -> list[Any]:
    """The question objects of a JSON file."""
    return objects(read_json(path), path, *keys)


def text(value: Any) -> str:
    """A question or query text; empty for null, placeholders ("n/a", "[]") and anything that is no string."""
    found = " ".join(value.split()) if isinstance(value, str) else ""
    return "" if found.lower() in ("n/a", "na", "null", "none", "[]", "{}") else found


def result_answers(result: Any) -> tuple[str, ...] | None:
    """The answers of a SPARQL JSON result; None where it holds none (`{}`, null)."""
    if not isinstance(result, dict):
        return None
    if isinstance(result.get("boolean"), bool):
        return (answer_text(result["boolean"]),)
    bindings = (result.get("results") or {}).get("bindings")
    if bindings is None:
        return None
    names = (result.get("head") or {}).get("vars") or list(dict.fromkeys(n for row in bindings for n in row))
    rows = (SEPARATOR.join(str(row[n]["value"]) for n in names if n in row) for row in bindings)
    return tuple(dict.fromkeys(row for row in rows if row))
