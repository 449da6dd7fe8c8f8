"""Building a graph and SearchGraphPattern on it: time, memory and disk, printed as Markdown.

python benchmarks/patterns.py --triples 1500000
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyoxigraph as ox

from clear_kgqa_tools.build import build_graph
from clear_kgqa_tools.graph import Limits
from clear_kgqa_tools.open_bundle import open_folder
from clear_kgqa_tools.search_graph_pattern import SearchGraphPattern
from clear_kgqa_tools.similarity import load_similarity
from clear_kgqa_tools.terms import RDF_TYPE, RDFS_LABEL

SEED = 20
NAMESPACE = "http://example.org/"
TRIPLES_PER_NODE = 7
HUBS = 20
ROUNDS = 200
MEANING = "who wrote the book"
_VERBS = ("made", "owns", "likes", "knows", "leads", "joined", "sold", "wrote", "visited", "funded")
_NOUNS = ("city", "person", "film", "book", "band", "firm", "river", "school")


def quads(triples: int) -> Iterator[ox.Quad]:
    """Labelled nodes of eight classes; half of the links go to hubs, one in ten has a mediator."""
    chance, count = random.Random(SEED), triples // TRIPLES_PER_NODE
    predicates = [_iri(f"{verb}_{noun}") for verb in _VERBS for noun in _NOUNS]
    kind, label, held = ox.NamedNode(RDF_TYPE), ox.NamedNode(RDFS_LABEL), _iri("held_office")
    office, since = _iri("office"), _iri("since")
    for number in range(count):
        node = _iri(f"n{number}")
        yield ox.Quad(node, kind, _iri(_NOUNS[number % len(_NOUNS)].title()))
        yield ox.Quad(node, label, ox.Literal(f"{_NOUNS[number % len(_NOUNS)]} {number}", language="en"))
        for _ in range(4):
            target = chance.randrange(HUBS if chance.random() < 0.5 else count)
            yield ox.Quad(node, chance.choice(predicates), _iri(f"n{target}"))
        if number % 10 == 0:
            mediator = _iri(f"term/m.{number:x}_")
            yield ox.Quad(node, held, mediator)
            yield ox.Quad(mediator, office, _iri(f"n{chance.randrange(count)}"))
            yield ox.Quad(mediator, since, ox.Literal(chance.randrange(1900, 2020)))
        else:
            yield ox.Quad(node, _iri("size"), ox.Literal(chance.randrange(10_000)))


def _iri(name: str) -> ox.NamedNode:
    return ox.NamedNode(NAMESPACE + name)


def build(triples: int, folder: Path) -> str:
    start, cpu = time.perf_counter(), time.process_time()
    report = build_graph(quads(triples), folder, expected=triples)
    disk = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) / 1e6
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"**{report.triples:,} triples, {report.records:,} names**: built in {seconds:.1f} s "
        f"({cpu:.0f} s of processor time), {disk:.0f} MB on disk, {memory:.0f} MB at the peak."
    )


def measure(folder: Path, triples: int) -> str:
    bundle = open_folder("bench", folder, Limits(seconds=60), load_similarity())
    search, chance, count = SearchGraphPattern(bundle), random.Random(SEED + 1), triples // TRIPLES_PER_NODE
    search("VALUES ?e { <http://example.org/n1> }", "warm up")

    def nodes(number: int) -> list[str]:
        return [f"{NAMESPACE}n{chance.randrange(HUBS, count)}" for _ in range(number)]

    def hub() -> str:
        return f"{NAMESPACE}n{chance.randrange(HUBS)}"

    cases: dict[str, tuple[int, Callable[[], object]]] = {
        "one node, ranked": (ROUNDS, lambda: search(f"VALUES ?e {{ <{nodes(1)[0]}> }}", MEANING)),
        "a hub, ranked": (HUBS, lambda: search(f"VALUES ?e {{ <{hub()}> }}", MEANING)),
        "a hundred of a class, ranked": (10, lambda: search(f"?e a <{NAMESPACE}Film>", MEANING)),
        "around 1 node": (ROUNDS, lambda: search.around(nodes(1))),
        "around 40 nodes": (ROUNDS // 4, lambda: search.around(nodes(40))),
        "around 39 nodes and a hub": (HUBS, lambda: search.around([hub(), *nodes(39)])),
    }
    lines = ["| search | n | p50 ms | p95 ms |", "|---|---|---|---|"]
    for name, (rounds, act) in cases.items():
        seconds = sorted(_timed(act) for _ in range(rounds))
        p50, p95 = seconds[rounds // 2], seconds[min(int(rounds * 0.95), rounds - 1)]
        lines.append(f"| {name} | {rounds} | {1000 * p50:.1f} | {1000 * p95:.1f} |")
    bundle.close()
    return "\n".join(lines)


def _timed(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--triples", type=int, default=1_500_000)
    triples, folder = parser.parse_args().triples, Path(tempfile.mkdtemp(prefix="patterns-"))
    try:
        print(build(triples, folder / "graph"), measure(folder / "graph", triples), sep="\n\n", flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
