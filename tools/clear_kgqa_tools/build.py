"""Turn an RDF source into a folder that can be asked: Oxigraph store, label index, schema, provenance."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from clear_kgqa_tools.build_read import BadLines, SourceFile, file_hash
from clear_kgqa_tools.build_report import FORMAT, BuildReport, Progress, silent, unfinished
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.harvest import Harvest
from clear_kgqa_tools.harvest_schema import build_schema
from clear_kgqa_tools.label_index import LabelIndex
from clear_kgqa_tools.profile import Profile
from clear_kgqa_tools.profiles_detect import detect_profile

_CHUNK = 100_000


def build_graph(
    source: Path | Iterable[ox.Quad],
    folder: Path,
    profile: Profile | None = None,
    progress: Progress | None = None,
    *,
    origin: str = "",
    attribution: str = "",
    expected: int = 0,
) -> BuildReport:
    """Build the graph of a file or of quads into `folder`, replacing what was there.

    Works in a temporary folder beside it, which is renamed at the end and removed when anything fails or
    Ctrl+C comes. `profile` None: detected from the predicates. `origin` and `attribution` go into the
    provenance, `expected` is about how many quads an iterable yields, for the progress. Raises ConfigError
    for sources that cannot be read.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=unfinished(folder), dir=folder.parent))
    try:
        report = _Build(source, work, profile, progress or silent, origin, attribution, expected).run()
        replace_folder(work, folder)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    return report


def replace_folder(work: Path, folder: Path) -> None:
    """Put a finished folder in place of an old one of the same file system."""
    os.chmod(work, 0o755)
    if folder.exists():
        old = Path(tempfile.mkdtemp(prefix=unfinished(folder), dir=folder.parent))
        folder.rename(old / folder.name)
        work.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    else:
        work.rename(folder)


def write_meta(folder: Path, profile: Profile, values: dict[str, Any]) -> None:
    """Write meta.json, by which a folder is recognised as complete."""
    from importlib.metadata import version

    meta = {
        "format": FORMAT,
        **values,
        "profile": asdict(profile),
        "built": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {name: version(name) for name in ("pyoxigraph", "tantivy")},
    }
    (folder / "meta.json").write_text(json.dumps(meta, ensure_ascii=False, indent=1), encoding="utf-8")


class _Build:
    def __init__(
        self,
        source: Path | Iterable[ox.Quad],
        folder: Path,
        profile: Profile | None,
        progress: Progress,
        origin: str,
        attribution: str,
        expected: int,
    ) -> None:
        self._file: SourceFile | None = None
        if isinstance(source, Path):
            self._file = SourceFile(source)
            source = self._file.quads()
        self._quads = iter(source)
        self._folder, self._profile, self._progress = folder, profile, progress
        self._origin = origin or (str(self._file.path) if self._file else "")
        self._attribution, self._expected = attribution, expected

    def run(self) -> BuildReport:
        start = list(islice(self._quads, _CHUNK))
        bad = self._file.bad if self._file else BadLines()
        if not start:
            raise ConfigError(_nothing_read(self._origin, bad))
        harvest = Harvest(self._profile or detect_profile({q.predicate.value for q in start}))
        data_hash = self._load(harvest, chain(start, self._quads))
        store = ox.Store(str(self._folder / "store"))
        self._progress("reading the schema", 0.0)
        schema = build_schema(harvest, store)
        del store
        (self._folder / "schema.json").write_text(json.dumps(schema.to_json(), ensure_ascii=False), encoding="utf-8")
        nodes = len(harvest.nodes)
        index = LabelIndex.build(
            self._folder / "labels",
            harvest.records(),
            lambda done: self._progress("indexing names", min(done / nodes, 1.0)),
        )
        profile = harvest.resolved_profile()
        write_meta(
            self._folder,
            profile,
            {
                "source": self._origin,
                "attribution": self._attribution,
                "sha256": data_hash,
                "triples": schema.triples,
                "records": len(index),
                "shared_labels": index.shared_labels(),
                "bad_lines": bad.count,
                "bad_listed": bad.listed,
                "languages": dict(harvest.languages.most_common()),
            },
        )
        self._progress("done", 1.0)
        return BuildReport(schema.triples, len(index), data_hash, profile.name, bad.count, bad.listed)

    def _load(self, harvest: Harvest, quads: Iterable[ox.Quad]) -> str:
        """Fill the store in chunks, which keeps memory low; returns the sha256 of the data."""
        store = ox.Store(str(self._folder / "store"))
        digest = hashlib.sha256()
        stream, done = harvest.tee(quads), 0
        while chunk := list(islice(stream, _CHUNK)):
            store.bulk_extend(chunk)
            if self._file is None:
                digest.update("\n".join(map(str, chunk)).encode())
            done += len(chunk)
            self._progress(
                "loading", self._file.fraction() if self._file else min(done / max(self._expected, done), 1.0)
            )
        self._progress("ordering the store", 1.0)
        store.optimize()
        store.flush()
        return file_hash(self._file.path) if self._file else digest.hexdigest()


def _nothing_read(origin: str, bad: BadLines) -> str:
    reason = f"; {bad.count:,} lines were wrong, first {bad.listed[0]}" if bad.count else " (it is empty)"
    return f"no triple could be read from {origin or 'the source'}{reason}"
