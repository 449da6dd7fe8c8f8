"""The graphs that a user has added, kept in the user's cache folder under their names."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from clear_kgqa_tools.build_report import FORMAT, BuildReport, Progress, silent, unfinished
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.load_profile import load_profile
from clear_kgqa_tools.profile import Profile

DEMO = "demo"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_URL = re.compile(r"https?://", re.IGNORECASE)


def data_folder() -> Path:
    """Where graphs and indexes are kept: CLEAR_KGQA_CACHE, else the platform's cache folder."""
    if chosen := os.environ.get("CLEAR_KGQA_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "clear-kgqa"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "clear-kgqa"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "clear-kgqa"


def is_url(spec: str) -> bool:
    """Whether the text is an http(s) address."""
    return _URL.match(spec) is not None


def graph_folder(name: str) -> Path:
    """The folder of a named graph; raises ConfigError where the name could not be one."""
    if not _NAME.fullmatch(name) or name.endswith((".", ".lock")):
        raise ConfigError(f"{name!r} cannot name a graph: use up to 64 letters, digits, _ . -, a letter or digit first")
    return data_folder() / "graphs" / name


def read_meta(folder: Path) -> dict[str, Any] | None:
    """The provenance of a finished graph folder; None without, or in another version's format."""
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return meta if isinstance(meta, dict) and meta.get("format") == FORMAT else None


@contextmanager
def locked(folder: Path, progress: Progress = silent) -> Iterator[None]:
    """Hold the lock of a graph folder against other processes, saying so while another one holds it.

    Raises ConfigError where the folder cannot be written, as on a full disk.
    """
    try:
        with _lock(folder, progress):
            yield
    except OSError as error:
        why = error.strerror or str(error)
        raise ConfigError(f"the graph cannot be built in {folder.parent}: {why}") from error


@contextmanager
def _lock(folder: Path, progress: Progress) -> Iterator[None]:
    from filelock import FileLock, Timeout

    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.parent / f".{folder.name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress("waiting for another process that builds this graph", 0.0)
        lock.acquire()
    try:
        for left in folder.parent.glob(f"{unfinished(folder)}*"):  # by a process that was killed
            shutil.rmtree(left, ignore_errors=True)
        yield
    finally:
        lock.release()


def ensure_built(folder: Path, build: Callable[[], object], progress: Progress = silent) -> None:
    """Run `build` unless the folder is finished, one process at a time."""
    if read_meta(folder) is None:
        with locked(folder, progress):
            if read_meta(folder) is None:
                build()


def kg_add(name: str, source: str, profile: str | None = None, progress: Progress | None = None) -> BuildReport:
    """Build a named graph from a file or an endpoint URL, again where the name stands for that source; raises
    ConfigError, also where it stands for another."""
    if name == DEMO:
        raise ConfigError("the name demo is taken by the demo graph; choose another")
    folder, progress = graph_folder(name), progress or silent
    chosen = load_profile(profile) if profile else None
    if is_url(source):
        _not_another(name, folder, without_credentials(source))
        return _add_endpoint(source, folder, chosen, progress)
    from clear_kgqa_tools.build import build_graph

    path = existing_file(source)
    _not_another(name, folder, str(path.resolve()))
    with locked(folder, progress):
        return build_graph(path, folder, chosen, progress, origin=str(path.resolve()))


def _not_another(name: str, folder: Path, source: str) -> None:
    held = (read_meta(folder) or {}).get("source", source)
    if held != source:
        raise ConfigError(f"{name} is made from {held}; choose another name, or first: clear-kgqa kg remove {name}")


def _add_endpoint(url: str, folder: Path, profile: Profile | None, progress: Progress) -> BuildReport:
    from clear_kgqa_tools.endpoint import EndpointGraph
    from clear_kgqa_tools.endpoint_harvest import add_endpoint

    graph = EndpointGraph(url)
    try:
        with locked(folder, progress):
            return add_endpoint(graph, without_credentials(url), folder, profile, progress)
    finally:
        graph.close()


def without_credentials(url: str) -> str:
    """The address without user and password, which are never kept."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def existing_file(source: str) -> Path:
    """The path of a file that must exist; raises ConfigError."""
    path = Path(source).expanduser()
    if not path.is_file():
        what = "a folder, not a file" if path.is_dir() else "no such file"
        raise ConfigError(f"{source}: {what}")
    return path


def kg_list() -> list[dict[str, Any]]:
    """Name and provenance of every graph that was added, by name; `demo` is among them once built."""
    folders = [data_folder() / DEMO, *sorted((data_folder() / "graphs").glob("[!.]*"))]
    found = ((folder.name, read_meta(folder)) for folder in folders)
    return [{"name": name, **meta} for name, meta in found if meta is not None]


def known_names() -> list[str]:
    """Every name that `--kg` takes now."""
    return sorted({DEMO, *(entry["name"] for entry in kg_list())})


def kg_folder(name: str) -> Path:
    """The folder of a graph that was added; raises ConfigError naming those that were."""
    folder = data_folder() / DEMO if name == DEMO else graph_folder(name)
    if read_meta(folder) is None:
        if name == DEMO:
            raise ConfigError("the demo graph is not built yet: clear-kgqa kg info demo builds it, as does a question")
        if (folder / "meta.json").exists():
            raise ConfigError(f"the graph {name} was built by another version; again: clear-kgqa kg add {name} SOURCE")
        raise ConfigError(
            f"no graph named {name!r}; there are {', '.join(known_names())} "
            "(add one with: clear-kgqa kg add NAME SOURCE)"
        )
    return folder


def kg_info(name: str) -> dict[str, Any]:
    """Provenance, counts, languages and the most used classes and properties of a graph.

    `shared_labels` is the number of names carried by more than one node: how ambiguous the graph is.
    """
    folder = kg_folder(name)
    meta = read_meta(folder) or {}
    schema = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
    return {
        "name": name,
        **{k: v for k, v in meta.items() if k != "profile"},
        "profile": meta["profile"]["name"],
        "classes": len(schema["classes"]),
        "properties": len(schema["properties"]),
        "top_classes": [_counted(c) for c in schema["classes"][:20]],
        "top_properties": [_counted(p) for p in schema["properties"][:20]],
        "megabytes": round(sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) / 1e6, 1),
    }


def kg_again(name: str) -> str:
    """How to get a graph back once it is removed; raises ConfigError where there is none."""
    source = (read_meta(_held_folder(name)) or {}).get("source")
    if name == DEMO:
        return "it is built again when next asked"
    return f"again: clear-kgqa kg add {name} {shlex.quote(source) if source else 'SOURCE'}"


def kg_remove(name: str) -> None:
    """Delete a graph that was added (the demo graph is built again when next asked); raises ConfigError."""
    folder = _held_folder(name)
    with locked(folder):
        shutil.rmtree(folder)


def _held_folder(name: str) -> Path:
    """The folder of a graph, in whichever version's format."""
    folder = data_folder() / DEMO if name == DEMO else graph_folder(name)
    return folder if folder.exists() else kg_folder(name)


def _counted(entry: dict[str, Any]) -> dict[str, Any]:
    return {"iri": entry["iri"], "label": entry["label"], "count": entry["count"]}
