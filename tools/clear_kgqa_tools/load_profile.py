"""Profiles by name or from a file of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.profile import Profile

_COMMON_PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "schema": "http://schema.org/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "dct": "http://purl.org/dc/terms/",
}


def _folder() -> Traversable:
    return files("clear_kgqa_tools") / "profiles"


def profile_names() -> list[str]:
    """The profiles that ship with the package."""
    return sorted(f.name.removesuffix(".yaml") for f in _folder().iterdir() if f.name.endswith(".yaml"))


def load_profile(name_or_path: str) -> Profile:
    """The profile of this name, or the one in this YAML file; raises ConfigError in one line."""
    path = Path(name_or_path)
    if path.suffix in {".yaml", ".yml"}:
        try:
            return _parse(path.read_text(encoding="utf-8"), path.stem)
        except OSError as error:
            raise ConfigError(f"cannot read the profile {path}: {error.strerror}") from error
    if name_or_path not in profile_names():
        known = ", ".join(profile_names())
        raise ConfigError(f"no profile named {name_or_path!r}; there are {known}, or give a .yaml file")
    return _shipped(name_or_path)


@lru_cache(maxsize=8)
def _shipped(name: str) -> Profile:
    return _parse((_folder() / f"{name}.yaml").read_text(encoding="utf-8"), name)


def _parse(text: str, name: str) -> Profile:
    import yaml

    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"profile {name}: not YAML ({' '.join(str(error).split())})") from error
    if not isinstance(data, dict):
        raise ConfigError(f"profile {name}: expected a mapping of fields")
    profile = profile_from_json({"name": name, **data})
    return replace(profile, prefixes={**_COMMON_PREFIXES, **profile.prefixes})


def profile_from_json(data: Mapping[str, Any]) -> Profile:
    """A profile from plain data (YAML or JSON), every field checked for its type; raises ConfigError."""
    name = str(data.get("name", "profile"))
    known = {f.name: getattr(Profile(), f.name) for f in fields(Profile)}
    unknown = sorted(set(data) - set(known))
    if unknown:
        raise ConfigError(f"profile {name}: unknown field {unknown[0]!r}; known are {', '.join(known)}")
    return Profile(**{key: _checked(name, key, value, known[key]) for key, value in data.items()})


def _checked(name: str, key: str, value: Any, default: Any) -> Any:
    if key == "property_namespace" and isinstance(value, list | tuple):
        pairs = tuple(tuple(pair) for pair in value if isinstance(pair, list | tuple))
        if len(pairs) == len(value) and all(len(pair) == 2 for pair in pairs):
            return pairs
    elif isinstance(default, tuple) and isinstance(value, list | tuple) and all(isinstance(v, str) for v in value):
        return tuple(value)
    elif not isinstance(default, tuple) and type(value) is type(default):
        return value
    kind = (
        "a list" if isinstance(default, tuple) else {str: "text", bool: "true or false"}.get(type(default), "a mapping")
    )
    raise ConfigError(f"profile {name}: {key} must be {kind}")
