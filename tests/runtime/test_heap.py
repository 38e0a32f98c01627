"""Where tensors of a symmetric heap lie: aligned, apart, the same on every rank, and free again once given."""

from __future__ import annotations

import random

import pytest

from a2agen.runtime.heap import ALIGNMENT, Places


def test_starts_are_aligned_and_apart():
    heap = Places(16 * ALIGNMENT)
    sizes = (1, ALIGNMENT, ALIGNMENT + 1, 0, 5000)
    starts = [heap.take(size) for size in sizes]
    assert all(start % ALIGNMENT == 0 for start in starts)
    # Nothing takes a place of its own as well: a tensor's address is how its heap is found.
    assert starts == [0, 1 * ALIGNMENT, 2 * ALIGNMENT, 4 * ALIGNMENT, 5 * ALIGNMENT]


def test_a_heap_that_is_full_says_how_much_is_left_in_one_piece():
    heap = Places(4 * ALIGNMENT)
    first, second = heap.take(ALIGNMENT), heap.take(2 * ALIGNMENT)
    heap.give(first)
    with pytest.raises(MemoryError) as told:
        heap.take(ALIGNMENT + 1)
    assert str(told.value) == (
        "the symmetric heap of 4096 bytes has no 2048 bytes in one piece, the longest has 1024: close operators, or "
        "set A2AGEN_HEAP_BYTES to more before the first one is built"
    )
    assert heap.take(ALIGNMENT) == first  # what did not fit took nothing
    heap.give(second)
    assert heap.take(3 * ALIGNMENT) == ALIGNMENT


def test_a_heap_without_room():
    with pytest.raises(MemoryError, match="the longest has 0"):
        Places(0).take(1)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (0, 2, 1), (1, 0, 2)])
def test_pieces_that_were_given_are_one_again(order):
    heap = Places(3 * ALIGNMENT)
    starts = [heap.take(ALIGNMENT) for _ in range(3)]
    for n in order:
        heap.give(starts[n])
    assert heap.take(3 * ALIGNMENT) == 0


def test_the_first_place_that_is_long_enough_is_taken():
    heap = Places(8 * ALIGNMENT)
    starts = [heap.take(size * ALIGNMENT) for size in (1, 1, 2, 1)]
    heap.give(starts[0])
    heap.give(starts[2])
    assert heap.take(2 * ALIGNMENT) == starts[2]
    assert heap.take(ALIGNMENT) == starts[0]


def test_what_was_not_taken_cannot_be_given():
    heap = Places(4 * ALIGNMENT)
    start = heap.take(1)
    with pytest.raises(KeyError):
        heap.give(start + ALIGNMENT)
    heap.give(start)
    with pytest.raises(KeyError):
        heap.give(start)


@pytest.mark.parametrize("seed", range(20))
def test_two_ranks_that_make_the_same_calls(seed):
    """Against a map of bytes: never two tensors in one place, and everything free at the end."""
    draw = random.Random(seed)
    heaps = Places(64 * ALIGNMENT), Places(64 * ALIGNMENT)
    held: dict[int, int] = {}
    for _ in range(200):
        if held and draw.random() < 0.5:
            start = draw.choice(list(held))
            del held[start]
            for heap in heaps:
                heap.give(start)
            continue
        size = draw.randrange(1, 12 * ALIGNMENT)
        try:
            starts = {heap.take(size) for heap in heaps}
        except MemoryError:
            continue
        (start,) = starts
        assert 0 <= start <= start + size <= 64 * ALIGNMENT
        assert all(start + size <= other or other + length <= start for other, length in held.items())
        held[start] = size
    for start in held:
        heaps[0].give(start)
    assert heaps[0].take(64 * ALIGNMENT) == 0
