"""manifest.json: what a run was made of, so that it can be repeated, resumed and compared."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from clear_kgqa import __version__
from clear_kgqa_tools.errors import ConfigError

NAME = "manifest.json"
_PACKAGES = (
    "langgraph",
    "langchain-openai",
    "pyoxigraph",
    "rdflib",
    "tantivy",
    "rapidfuzz",
    "onnxruntime",
    "numpy",
)
_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")


def versions() -> dict[str, str]:
    """Versions of this project, of Python and of the packages that results depend on."""
    found = {"clear-kgqa": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def file_hash(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def redacted(value: Any) -> Any:
    """A JSON value without user names and passwords in URLs."""
    if isinstance(value, str):
        return _USERINFO.sub("", value)
    if isinstance(value, dict):
        return {name: redacted(v) for name, v in value.items()}
    return [redacted(v) for v in value] if isinstance(value, list | tuple) else value


def write_json(path: Path, data: Any) -> None:
    """Write a JSON file whole or not at all."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    os.replace(part, path)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a run folder; raises ConfigError where there is none."""
    try:
        data: dict[str, Any] = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{folder} holds no readable {NAME}") from error
    return data


def claim(folder: Path, identity: dict[str, Any]) -> None:
    """Write the manifest of a new run, or check that the folder holds this run; raises ConfigError if not.

    `identity` is everything that changes results: graph, questions, settings, user, seed. Versions are
    recorded, and those of a later resumption beside them.
    """
    identity = redacted(json.loads(json.dumps(identity)))
    if not (folder / NAME).exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / NAME, {**identity, "versions": versions()})
        return
    found = read_manifest(folder)
    if other := [name for name in identity if found.get(name) != identity[name]]:
        raise ConfigError(f"{folder} holds another run (different {', '.join(other)}); choose another folder")
    if found["versions"] != versions():
        write_json(folder / NAME, {**found, "resumed_with": versions()})
