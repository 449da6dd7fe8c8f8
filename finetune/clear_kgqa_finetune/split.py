"""Splits that keep rows about the same graph entity (or of the same template) on one side."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Hashable, Sequence


def connected_groups(keys: Sequence[Sequence[Hashable]]) -> list[list[int]]:
    """Row numbers that are connected by shared keys, in order of first appearance; a row without keys stands
    alone.
    """
    parent: dict[Hashable, Hashable] = {}

    def root(item: Hashable) -> Hashable:
        parent.setdefault(item, item)
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    for row, names in enumerate(keys):
        for name in names:
            parent[root(("key", name))] = root(("row", row))
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for row in range(len(keys)):
        groups[root(("row", row))].append(row)
    return list(groups.values())


def grouped_split(keys: Sequence[Sequence[Hashable]], valid_share: float, seed: int) -> tuple[list[int], list[int]]:
    """Row numbers for training and validation: whole groups, shuffled by the seed, until training has its
    share.
    """
    groups = connected_groups(keys)
    random.Random(seed).shuffle(groups)
    wanted = round(len(keys) * (1 - valid_share))
    train: list[int] = []
    valid: list[int] = []
    for group in groups:
        (train if len(train) < wanted else valid).extend(group)
    return train, valid
