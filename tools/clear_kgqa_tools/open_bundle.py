"""Open whatever `--kg` names: the demo graph, a graph added before, a file, or an endpoint."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic

from clear_kgqa_tools.build_report import Progress, silent
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.catalog import (
    DEMO,
    data_folder,
    ensure_built,
    existing_file,
    is_url,
    kg_folder,
    kg_list,
    known_names,
    read_meta,
    without_credentials,
)
from clear_kgqa_tools.demo import build_demo
from clear_kgqa_tools.embedded import EmbeddedGraph
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.graph import KnowledgeGraph, Limits
from clear_kgqa_tools.label_index import LabelIndex
from clear_kgqa_tools.load_profile import profile_from_json
from clear_kgqa_tools.schema import Schema
from clear_kgqa_tools.similarity import Similarity, load_similarity


def open_bundle(
    spec: str = DEMO,
    progress: Progress | None = None,
    limits: Limits = Limits(),
    similarity: Similarity | None = None,
    languages: tuple[str, ...] = (),
    on_wait: Callable[[float, str], None] | None = None,
    contact_seconds: float = math.inf,
) -> GraphBundle:
    """The graph that `spec` names, built first where it must be.

    `progress` gets stages and notes, `on_wait` the seconds that an endpoint asks to wait, and why; names are in
    `languages` where the graph has them (none: as it was built). `contact_seconds` bounds what is asked of an endpoint
    that was not added.
    Raises ConfigError in one line for what the user can put right.
    """
    progress = progress or silent
    bundle = _opened(
        spec, progress, limits, similarity or load_similarity(cache=data_folder() / "models"), contact_seconds
    )
    if on_wait:
        _tell_waits(bundle.graph, on_wait)
    if not languages:
        return bundle
    from clear_kgqa_tools.preferred_names import in_languages

    try:
        return in_languages(bundle, languages, progress)
    except BaseException:
        bundle.close()
        raise


def _tell_waits(graph: KnowledgeGraph, on_wait: Callable[[float, str], None]) -> None:
    if not isinstance(graph, EmbeddedGraph):
        from clear_kgqa_tools.endpoint import EndpointGraph

        if isinstance(graph, EndpointGraph):
            graph.on_wait = on_wait


def _opened(
    spec: str, progress: Progress, limits: Limits, similarity: Similarity, contact_seconds: float
) -> GraphBundle:
    if is_url(spec):
        return _open_endpoint(spec, progress, limits, similarity, contact_seconds)
    if _is_file(spec):
        return open_folder(spec, _file_folder(existing_file(spec), progress), limits, similarity)
    if spec == DEMO:
        ensure_demo(progress)
    return open_folder(spec, kg_folder(spec), limits, similarity)


def ensure_demo(progress: Progress = silent) -> None:
    """Build the demo graph unless it is; raises ConfigError where the demo extra is missing."""
    ensure_built(data_folder() / DEMO, partial(build_demo, data_folder() / DEMO, progress), progress)


def open_folder(name: str, folder: Path, limits: Limits, similarity: Similarity) -> GraphBundle:
    """A finished graph folder as a bundle; raises ConfigError where it is none."""
    meta = read_meta(folder)
    if meta is None:
        raise ConfigError(f"{folder} holds no finished graph")
    schema = Schema.from_json(json.loads((folder / "schema.json").read_text(encoding="utf-8")))
    graph = _graph(meta.get("endpoint"), folder, limits)
    return GraphBundle(
        name,
        graph,
        LabelIndex.open(folder / "labels"),
        schema,
        profile_from_json(meta["profile"]),
        similarity,
        meta["sha256"],
        folder,
        meta["attribution"],
    )


def _graph(endpoint: str | None, folder: Path, limits: Limits) -> KnowledgeGraph:
    if endpoint is None:
        return EmbeddedGraph(folder / "store", limits)
    from clear_kgqa_tools.endpoint import EndpointGraph

    return EndpointGraph(endpoint, limits)


def _open_endpoint(
    url: str, progress: Progress, limits: Limits, similarity: Similarity, contact_seconds: float
) -> GraphBundle:
    """An endpoint with the index harvested for it, else with its property list and its own search."""
    from clear_kgqa_tools.endpoint import EndpointGraph
    from clear_kgqa_tools.endpoint_harvest import endpoint_properties, minimal_schema, with_names_in_use
    from clear_kgqa_tools.endpoint_search import EndpointSearch
    from clear_kgqa_tools.profiles_detect import detect_profile

    shown = without_credentials(url)
    added = next((entry["name"] for entry in kg_list() if entry.get("endpoint") == shown), None)
    graph = EndpointGraph(url, limits)
    if added is not None:
        return replace(open_folder(shown, kg_folder(added), limits, similarity), graph=graph)
    progress(f"asking the endpoint for its properties; add it for fast search: clear-kgqa kg add NAME {shown}", 0.0)
    begun = monotonic()
    with graph.within(contact_seconds):
        counts = endpoint_properties(graph, limits.seconds, contact_seconds)
        profile = with_names_in_use(detect_profile(counts), counts)
        schema = minimal_schema(graph, counts, profile)
    search = EndpointSearch(graph, profile)
    return GraphBundle(shown, graph, search, schema, profile, similarity, contact_seconds=monotonic() - begun)


def _is_file(spec: str) -> bool:
    """A path is told from a name by a separator, or by being there while no graph has that name."""
    path = Path(spec)
    if "/" in spec or "\\" in spec or spec.startswith("~"):
        return True
    return path.is_file() if spec not in known_names() else False


def _file_folder(path: Path, progress: Progress) -> Path:
    """The folder of a file's graph, built on first use and when date or size change."""
    path, stat = path.resolve(), path.stat()
    cache = data_folder() / "files" / hashlib.sha256(str(path).encode()).hexdigest()[:24]
    folder = cache / f"{stat.st_mtime_ns}-{stat.st_size}"

    def build() -> None:
        from clear_kgqa_tools.build import build_graph

        progress(
            f"building {path.name} for this first use; to name it: clear-kgqa kg add NAME {path.name}",
            0.0,
        )
        build_graph(path, folder, None, progress)
        for old in cache.glob("[!.]*"):
            if old != folder:
                shutil.rmtree(old, ignore_errors=True)

    ensure_built(folder, build, progress)
    return folder
