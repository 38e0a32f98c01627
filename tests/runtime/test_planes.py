"""Strided copies as planes: every element goes where it belongs, in as few planes as there are."""

from __future__ import annotations

import random
from itertools import product
from math import prod

import pytest

from a2agen.runtime.planes import Planes, planes


def copied(found: Planes | None) -> list[tuple[int, int]]:
    """(byte of the target, byte of the source) for each byte that is copied."""
    if found is None:
        return []
    return [
        (there + row * found.pitches[0] + byte, here + row * found.pitches[1] + byte)
        for there, here in found.starts
        for row in range(found.height)
        for byte in range(found.width)
    ]


def wanted(shape: tuple[int, ...], target: tuple[int, ...], source: tuple[int, ...], itemsize: int) -> list:
    pairs = []
    for index in product(*(range(n) for n in shape)):
        into, out_of = (sum(i * s for i, s in zip(index, side, strict=True)) * itemsize for side in (target, source))
        pairs += [(into + byte, out_of + byte) for byte in range(itemsize)]
    return sorted(pairs)


def strided(shape: tuple[int, ...], draw: random.Random) -> tuple[int, ...]:
    """Strides of a tensor with its axes in any order and gaps after some."""
    strides, step = [0] * len(shape), 1
    for axis in draw.sample(range(len(shape)), len(shape)):
        strides[axis] = step
        step *= shape[axis] + draw.choice((0, 0, 3))
    return tuple(strides)


@pytest.mark.parametrize("seed", range(300))
def test_any_strides(seed):
    draw = random.Random(seed)
    shape = tuple(draw.randrange(0 if seed % 20 == 0 else 1, 5) for _ in range(draw.randrange(1, 5)))
    target, source = strided(shape, draw), strided(shape, draw)
    itemsize = draw.choice((1, 2, 4))
    found = planes(shape, target, source, itemsize)
    assert sorted(copied(found)) == wanted(shape, target, source, itemsize)
    assert found is None or all(pitch >= found.width for pitch in found.pitches)


@pytest.mark.parametrize(
    ("shape", "target", "source", "width", "height", "count"),
    [
        # [(to S) H D] to [S (from H) D] over 4 ranks: a slab to rows that are four times as far apart.
        ((6, 2, 5), (40, 5, 1), (10, 5, 1), 20, 6, 1),
        # Both sides contiguous: one row.
        ((6, 2, 5), (10, 5, 1), (10, 5, 1), 120, 1, 1),
        # Two axes with gaps: a plane for each step of the shorter one.
        ((6, 2, 5), (80, 7, 1), (10, 5, 1), 10, 6, 2),
        # Blocks transposed: the axes of the rows change places.
        ((3, 4, 5), (5, 15, 1), (20, 5, 1), 10, 4, 3),
    ],
)
def test_how_many_planes(shape, target, source, width, height, count):
    found = planes(shape, target, source, 2)
    assert found is not None
    assert (found.width, found.height, len(found.starts)) == (width, height, count)
    assert count * width * height == prod(shape) * 2
