"""Label search on synthetic names: build time, size, memory, speed and hits, printed as Markdown.

python benchmarks/labels.py --sizes 20000,200000,2000000
python benchmarks/labels.py --sizes 20000 --grasp ENVIRONMENT/bin/python    beside grasp-rdf, over the first size
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import shutil
import string
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

from clear_kgqa_tools.label_index import LabelIndex, LabelRecord

SEED = 20
QUERIES = 1000
NGRAMS = 200
PEER_QUERIES = 100
_ONSETS = tuple("b c ch d f g gr h j k kl l m n p pr qu r s sh st t tr v w z".split())  # noqa: SIM905
_NUCLEI = ["a", "e", "i", "o", "u", "ai", "ea", "ou", "y"]
_CODAS = ["", "", "", "l", "n", "r", "s", "t", "nd", "ck", "m"]
_TYPES = [
    ("city", "http://example.org/City"),
    ("person", "http://example.org/Person"),
    ("film", "http://example.org/Film"),
]


class Names:
    """Seeded records: one label in ten is shared, three nodes in ten have an alias, some words are common."""

    def __init__(self, size: int) -> None:
        self.size = size
        rng = random.Random(SEED)
        self._vocabulary = [_word(rng) for _ in range(max(2000, size // 4))]

    def records(self) -> Iterator[LabelRecord]:
        rng = random.Random(SEED + 1)
        shared: list[str] = []
        for number in range(self.size):
            label = rng.choice(shared) if shared and rng.random() < 0.1 else self._name(rng)
            if rng.random() < 0.05:
                shared.append(label)
            aliases = (self._name(rng),) if rng.random() < 0.3 else ()
            kind, iri = rng.choice(_TYPES)
            yield LabelRecord(
                f"http://example.org/n{number}",
                label,
                aliases,
                (kind,),
                (iri,),
                f"{kind} number {number}",
                float(int(rng.paretovariate(0.8))),
            )

    def _name(self, rng: random.Random) -> str:
        length = rng.choice((1, 2, 2, 2, 3, 3, 4))
        last = len(self._vocabulary)
        return " ".join(
            self._vocabulary[int(last ** rng.random()) - 1 if rng.random() < 0.3 else rng.randrange(last)]
            for _ in range(length)
        )


def _word(rng: random.Random) -> str:
    syllables = rng.choice((1, 2, 2, 2, 3, 3, 3, 4))
    return "".join(
        rng.choice(_ONSETS) + rng.choice(_NUCLEI) + rng.choice(_CODAS) for _ in range(syllables)
    ).capitalize()


def typo(name: str, rng: random.Random) -> str:
    """The name with one letter changed, left out, put in or swapped with the next."""
    at = rng.randrange(len(name) - 1)
    letter = rng.choice(string.ascii_lowercase)
    return rng.choice(
        (
            name[:at] + letter + name[at + 1 :],
            name[:at] + name[at + 1 :],
            name[:at] + letter + name[at:],
            name[:at] + name[at + 1] + name[at] + name[at + 2 :],
        )
    )


def build(folder: Path, size: int) -> dict[str, float]:
    """Build the index in this process; the cost of making up names, measured on a tenth, is taken off."""
    made, made_cpu = _spent(lambda: sum(1 for _ in islice(Names(size).records(), size // 10)))
    seconds, cpu = _spent(lambda: LabelIndex.build(folder, Names(size).records()))
    disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {
        "seconds": seconds - 10 * made,
        "cpu": cpu - 10 * made_cpu,
        "disk": disk / 1e6,
        "memory": _peak_megabytes(),
    }


def look_up(folder: Path, size: int) -> dict[str, Any]:
    """Measure every kind of search in this process, on records out of the first tenth."""
    opened = _spent(lambda: LabelIndex.open(folder))[0]
    index = LabelIndex.open(folder)
    rng = random.Random(SEED + 2)
    sampled = list(islice(Names(size).records(), 0, size // 10, max(1, size // 10 // QUERIES)))
    unique = [r for r in sampled if len(r.label) > 4 and len(index.exact([r.label])[r.label]) == 1]
    kinds: dict[str, tuple[list[LabelRecord], Callable[[LabelRecord], str]]] = {
        "exact": (sampled, lambda r: r.label),
        "alias": ([r for r in sampled if r.aliases], lambda r: r.aliases[0]),
        "one typo, unique names": (unique, lambda r: typo(r.label, rng)),
        "prefix": (unique, lambda r: r.label[: max(4, len(r.label) * 2 // 3)]),
    }
    searches = {kind: _measure(index, records, query) for kind, (records, query) in kinds.items()}
    names = [r.label if i % 10 == 0 else r.label[::-1] for i, r in enumerate(sampled[:NGRAMS])]
    times = [_spent(lambda: index.exact(names))[0] for _ in range(50)]
    return {
        "open": opened * 1e3,
        "searches": searches,
        "ngrams": sorted(times)[25] * 1e3,
        "memory": _peak_megabytes(),
    }


def beside_peer(python: str, size: int, folder: Path) -> str:
    """The same names searched here and by grasp-rdf, over the labels of one server."""
    from labels_peer import compare

    records, rng = list(Names(size).records()), random.Random(SEED + 3)
    times_used = Counter(name for r in records for name in (r.label, *r.aliases))
    unique = [r for r in records if times_used[r.label] == 1 and len(r.label) > 4][:PEER_QUERIES]
    names = {
        "exact, unique names": [(r.label, r.iri) for r in unique],
        "one typo": [(typo(r.label, rng), r.iri) for r in unique],
        "prefix": [(r.label[: max(4, len(r.label) * 2 // 3)], r.iri) for r in unique],
    }
    return f"**Beside grasp-rdf, {size:,} nodes, {len(unique)} names a kind**\n\n" + compare(
        python, records, names, folder
    )


def _measure(index: LabelIndex, records: list[LabelRecord], query: Callable[[LabelRecord], str]) -> dict[str, float]:
    times, processor, first, among = [], [], 0, 0
    for record in records:
        name = query(record)
        start, cpu = time.perf_counter(), time.process_time()
        found = index.search(name)
        times.append(time.perf_counter() - start)
        processor.append(time.process_time() - cpu)
        first += bool(found) and found[0].iri == record.iri
        among += any(node.iri == record.iri for node in found)
    times.sort()
    n = len(times)
    return {
        "p50": times[n // 2] * 1e3,
        "p95": times[int(n * 0.95)] * 1e3,
        "processor95": sorted(processor)[int(n * 0.95)] * 1e3,
        "hit1": first / n,
        "hit10": among / n,
        "n": n,
    }


def _spent(call: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock and seconds of processor time, all threads together."""
    start, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - start, time.process_time() - cpu


def _peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_own_process(work: Callable[..., Any], *arguments: Any) -> Any:
    """Run in a fresh process, so that its peak memory is its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def report(size: int, folder: Path) -> str:
    built, found = in_own_process(build, folder, size), in_own_process(look_up, folder, size)
    lines = [
        f"**{size:,} nodes**: built in {built['seconds']:.1f} s ({built['cpu']:.0f} s of processor time), "
        f"{built['disk']:.0f} MB on disk, memory at the peak {built['memory']:.0f} MB building and "
        f"{found['memory']:.0f} MB searching; opened in {found['open']:.1f} ms; "
        f"{NGRAMS} names at once in {found['ngrams']:.2f} ms.",
        "",
        "| search | n | p50 ms | p95 ms | p95 processor ms | hit@1 | hit@10 |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {kind} | {s['n']} | {s['p50']:.2f} | {s['p95']:.2f} | {s['processor95']:.2f} | {s['hit1']:.3f} | {s['hit10']:.3f} |"
        for kind, s in found["searches"].items()
    ]
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="20000,200000,2000000", help="numbers of nodes, separated by commas")
    parser.add_argument("--grasp", metavar="PYTHON", help="the Python of an environment with grasp-rdf")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    if given.grasp:
        with tempfile.TemporaryDirectory(prefix="labels-") as shared:
            print(beside_peer(given.grasp, sizes[0], Path(shared)))
        return
    for size in sizes:
        folder = Path(tempfile.mkdtemp(prefix="labels-"))
        try:
            print(report(size, folder), flush=True)
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
