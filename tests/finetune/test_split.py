from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clear_kgqa_finetune.similar_lengths import SimilarLengths
from clear_kgqa_finetune.split import connected_groups, grouped_split


def test_rows_are_connected_through_shared_keys() -> None:
    assert connected_groups([["a"], ["b"], ["a", "c"], ["c", "d"], []]) == [[0, 2, 3], [1], [4]]


@given(st.lists(st.lists(st.integers(0, 30), max_size=3), max_size=40), st.floats(0, 0.9), st.integers(0, 5))
def test_no_key_is_on_both_sides(keys: list[list[int]], share: float, seed: int) -> None:
    train, valid = grouped_split(keys, share, seed)
    assert sorted(train + valid) == list(range(len(keys)))
    assert not {k for at in train for k in keys[at]} & {k for at in valid for k in keys[at]}
    assert grouped_split(keys, share, seed) == (train, valid)


def test_the_share_is_kept() -> None:
    train, valid = grouped_split([[at] for at in range(100)], 0.3, 0)
    assert (len(train), len(valid)) == (70, 30)


@given(st.lists(st.integers(1, 500), max_size=300), st.integers(1, 9), st.integers(0, 3))
def test_every_row_comes_once_an_epoch_in_an_order_of_its_own(lengths: list[int], size: int, epoch: int) -> None:
    sampler = SimilarLengths(lengths, size, seed=1)
    sampler.set_epoch(epoch)
    order = list(sampler)
    assert sorted(order) == list(range(len(lengths)))
    assert list(sampler) == order


def test_rows_of_a_batch_are_of_similar_length() -> None:
    lengths = [(at * 37) % 101 for at in range(404)]
    order = list(SimilarLengths(lengths, 4, seed=0))
    batches = [[lengths[row] for row in order[at : at + 4]] for at in range(0, len(order), 4)]
    padding = sum(max(b) * len(b) - sum(b) for b in batches) / sum(lengths)
    assert padding < 0.1
