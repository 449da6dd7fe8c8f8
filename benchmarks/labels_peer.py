"""Label search beside the peer grasp-rdf: the same labels from one server, the same names asked, in one run.

Called by `python benchmarks/labels.py --grasp PYTHON`, where PYTHON belongs to an environment with
`grasp-rdf==0.6.2 ijson` (Python 3.12).
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from clear_kgqa_tools.label_index import LabelRecord
from clear_kgqa_tools.terms import Term, iri_ref

RDFS, SKOS = "http://www.w3.org/2000/01/rdf-schema#", "http://www.w3.org/2004/02/skos/core#"
_MEASURE = """
import json, sys, time
def peak_megabytes():  # ru_maxrss would begin with what the process had that started this one
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
start = time.perf_counter()
{open}
opened = time.perf_counter() - start
cpu_opened = time.process_time()
memory = peak_megabytes()
out = []
for name in json.load(open(sys.argv[1])):
    before, cpu = time.perf_counter(), time.process_time()
    found = search(name)
    out.append((time.perf_counter() - before, time.process_time() - cpu, found))
peak = peak_megabytes()
print(json.dumps(dict(opened=opened, cpu=cpu_opened, memory=memory, peak=peak, found=out)))
"""
_OURS = """
from pathlib import Path
from clear_kgqa_tools.label_index import LabelIndex
index = LabelIndex.open(Path(sys.argv[2]))
search = lambda name: [node.iri for node in index.search(name)]"""
_THEIRS = """
from grasp.configs import KgConfig
from grasp.manager import load_kg_manager
manager = load_kg_manager(KgConfig(kg="labels", endpoint=sys.argv[2], properties_type="fuzzy"))
search = lambda name: [found.identifier.strip("<>") for found in manager.search_index("entity", name)]"""


def turtle(records: Iterable[LabelRecord]) -> Iterator[str]:
    """The records as N-Triples in English, each linked to its class as often as it is popular, ten times at most."""
    for record in records:
        node = iri_ref(record.iri)
        for predicate, names in ((RDFS + "label", (record.label,)), (SKOS + "altLabel", record.aliases)):
            yield from (f"{node} {iri_ref(predicate)} {Term(name, language='en').n3()} .\n" for name in names)
        yield f"{node} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> {iri_ref(record.type_iris[0])} .\n"
        for number in range(min(10, int(record.popularity))):
            yield f"<http://example.org/link{number}> <http://example.org/to> {node} .\n"


def compare(python: str, records: list[LabelRecord], names: dict[str, list[tuple[str, str]]], folder: Path) -> str:
    """Serve the records, let both build an index from the server, ask both; `names` has (query, IRI) by kind."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.tools.sparql_server import sparql_server

    asked = [query for pairs in names.values() for query, _ in pairs]
    (folder / "names.json").write_text(json.dumps(asked))
    with sparql_server("".join(turtle(records)), timeout=300) as address:
        built = {"clear-kgqa": _build_ours(address, folder), "grasp-rdf": _build_theirs(python, address, folder)}
        measured = {
            "clear-kgqa": _run(sys.executable, _OURS, folder, str(folder / "ours" / "labels")),
            "grasp-rdf": _run(python, _THEIRS, folder, address),
        }
    lines = ["| | clear-kgqa | grasp-rdf | ratio |", "|---|---|---|---|"]
    lines += [_line(what, *values) for what, values in _rows(built, measured, names).items()]
    return "\n".join([*lines, "", f"environment of grasp-rdf: {_size(Path(python).parents[1]) / 1e6:,.0f} MB", ""])


def _build_ours(address: str, folder: Path) -> float:
    from clear_kgqa_tools.endpoint import EndpointGraph
    from clear_kgqa_tools.endpoint_harvest import add_endpoint

    start = _child_and_own_seconds()
    add_endpoint(EndpointGraph(address), address, folder / "ours", None, lambda stage, part: None)
    return _child_and_own_seconds() - start


def _build_theirs(python: str, address: str, folder: Path) -> float:
    info = folder / "grasp" / "labels" / "info.json"  # without it the peer asks a server on the internet for prefixes
    info.parent.mkdir(parents=True)
    info.write_text(json.dumps({"prefixes": {"ex": "http://example.org/"}}))
    start = _child_and_own_seconds()
    program = str(Path(python).with_name("grasp"))
    for command in (["data", "labels", "--endpoint", address], ["index", "labels", "--entities-type", "fuzzy"]):
        kinds = ["--properties-type", "fuzzy"] if command[0] == "index" else []
        subprocess.run([program, *command, *kinds], check=True, env=_environment(folder), capture_output=True)
    return _child_and_own_seconds() - start


def _run(python: str, opening: str, folder: Path, argument: str) -> dict[str, Any]:
    script = _MEASURE.replace("{open}", opening)
    done = subprocess.run(
        [python, "-c", script, str(folder / "names.json"), argument],
        check=True, env=_environment(folder), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return measured


def _environment(folder: Path) -> dict[str, str]:
    offline = {"HF_HUB_OFFLINE": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "GRASP_INDEX_DIR": str(folder / "grasp")}
    return os.environ | offline


def _rows(
    built: dict[str, float], measured: dict[str, dict[str, Any]], names: dict[str, list[tuple[str, str]]]
) -> dict[str, tuple[float, float]]:
    """What is measured -> ours, theirs."""
    ours, theirs = measured["clear-kgqa"], measured["grasp-rdf"]
    rows = {
        "build, s of processor time": (built["clear-kgqa"], built["grasp-rdf"]),
        "start, s": (ours["opened"], theirs["opened"]),
        "start, s of processor time": (ours["cpu"], theirs["cpu"]),
        "memory once open, MB": (ours["memory"], theirs["memory"]),
        "memory after all searches, MB": (ours["peak"], theirs["peak"]),
    }
    start = 0
    for kind, pairs in names.items():
        some = [m["found"][start : start + len(pairs)] for m in (ours, theirs)]
        start += len(pairs)
        for what, column, share in (("p50", 0, 0.5), ("p95", 0, 0.95), ("p50 processor", 1, 0.5)):
            values = [sorted(row[column] for row in rows_)[int(len(rows_) * share)] * 1e3 for rows_ in some]
            rows[f"{kind}: {what}, ms"] = (values[0], values[1])
        hits = [sum(f[:1] == [iri] for (_, _, f), (_, iri) in zip(r, pairs, strict=True)) / len(r) for r in some]
        rows[f"{kind}: hit@1"] = (hits[0], hits[1])
    return rows


def _line(what: str, ours: float, theirs: float) -> str:
    return f"| {what} | {ours:.3g} | {theirs:.3g} | {theirs / ours if ours else 0:.3g} |"


def _size(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _child_and_own_seconds() -> float:
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in usage)
