"""Canonical form of small labelled undirected graphs: colour refinement, then a search over ties."""

from __future__ import annotations

from collections import Counter

Edge = tuple[int, int, str]

# A longer search is given up; no benchmark's query comes near it.
_STEPS = 500


def canonical_edges(kinds: list[str], edges: list[Edge]) -> list[str]:
    """The edges as `A1-label-B2` with nodes numbered within their kind, the same for all isomorphic graphs.

    `kinds` labels the nodes; an edge joins two node numbers under a label; isolated nodes are listed alone.
    Graphs whose search passes the limit get their refined colours instead: equal for isomorphic graphs, but
    not only for them.
    """
    ranks = {kind: i for i, kind in enumerate(sorted(set(kinds)))}
    colours = _refined(_neighbours(len(kinds), edges), [ranks[kind] for kind in kinds])
    if _is_forest(len(kinds), edges):
        return _named(kinds, edges, _split_all(kinds, edges, colours))
    if splits := _all_splits(kinds, edges, colours):
        return min(splits)
    return [
        f"{kind}x{n} of colour {colour}"
        for (kind, colour), n in sorted(Counter(zip(kinds, colours, strict=True)).items())
    ]


Neighbours = list[list[tuple[int, str]]]


def _neighbours(size: int, edges: list[Edge]) -> Neighbours:
    out: Neighbours = [[] for _ in range(size)]
    for a, b, label in edges:
        out[a].append((b, label))
        out[b].append((a, label))
    return out


def _refined(neighbours: Neighbours, colours: list[int]) -> list[int]:
    """Stable colours: nodes that share one see the same colours under the same labels around them."""
    while True:
        keys = [
            (c, sorted((label, colours[n]) for n, label in near)) for c, near in zip(colours, neighbours, strict=True)
        ]
        ranks = {text: i for i, text in enumerate(dict.fromkeys(repr(key) for key in sorted(keys)))}
        refined = [ranks[repr(key)] for key in keys]
        if len(set(refined)) == len(set(colours)):
            return refined
        colours = refined


def _first_tie(colours: list[int]) -> list[int]:
    """The nodes of the first colour that several share, or none."""
    counts = Counter(colours)
    tied = min((c for c, n in counts.items() if n > 1), default=None)
    return [] if tied is None else [i for i, c in enumerate(colours) if c == tied]


def _individualised(edges: list[Edge], colours: list[int], node: int) -> list[int]:
    """Colours once `node` is set apart, in front of its equals."""
    apart = [2 * c + 1 for c in colours]
    apart[node] -= 1
    return _refined(_neighbours(len(colours), edges), apart)


def _is_forest(size: int, edges: list[Edge]) -> bool:
    root = list(range(size))

    def find(node: int) -> int:
        while root[node] != node:
            node = root[node]
        return node

    for a, b, _ in edges:
        ra, rb = find(a), find(b)
        if ra == rb:
            return False
        root[ra] = rb
    return True


def _split_all(kinds: list[str], edges: list[Edge], colours: list[int]) -> list[int]:
    """In a forest refinement finds the orbits, so any node of a tie stands for all of them."""
    while tie := _first_tie(colours):
        colours = _individualised(edges, colours, tie[0])
    return colours


def _all_splits(kinds: list[str], edges: list[Edge], colours: list[int]) -> list[list[str]]:
    """The names under every way to break the ties; none when there are too many ways."""
    near = _neighbours(len(kinds), edges)
    found: list[list[str]] = []
    open_ties = [colours]
    for _ in range(_STEPS):
        colours = open_ties.pop()
        if tie := _first_tie(colours):
            # Nodes with the very same neighbours are interchangeable: one stands for all.
            apart = {repr(sorted(near[node])): node for node in tie}
            open_ties += [_individualised(edges, colours, node) for node in apart.values()]
        else:
            found.append(_named(kinds, edges, colours))
        if not open_ties:
            return found
    return []


def _named(kinds: list[str], edges: list[Edge], colours: list[int]) -> list[str]:
    names: dict[int, str] = {}
    counts: Counter[str] = Counter()
    for node in sorted(range(len(kinds)), key=lambda i: colours[i]):
        counts[kinds[node]] += 1
        names[node] = f"{kinds[node]}{counts[kinds[node]]}"
    linked = {n for a, b, _ in edges for n in (a, b)}
    joined = [f"-{label}-".join(sorted((names[a], names[b]))) for a, b, label in edges]
    return sorted(joined + [names[n] for n in names if n not in linked])
