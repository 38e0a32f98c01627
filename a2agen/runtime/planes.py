"""Strided copies as copies of planes: rows of contiguous bytes, a pitch apart, which is what a copy engine takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Planes:
    """`height` rows of `width` bytes at each of `starts`; pitches and starts in bytes, of target and source."""

    width: int
    height: int
    pitches: tuple[int, int]
    starts: tuple[tuple[int, int], ...]


@lru_cache(maxsize=256)
def planes(shape: Shape, target: Shape, source: Shape, itemsize: int) -> Planes | None:
    """A copy between two tensors of one shape, with these strides in elements, as few planes; None for one of nothing.

    The longest run that is contiguous on both sides makes a row, the axis of most steps among the rest a plane's
    height. An exchange whose axes keep their order is one plane for each peer.
    """
    if 0 in shape:
        return None
    width = itemsize
    rest: list[tuple[int, int, int]] = []
    for count, into, out_of in _merged(shape, target, source, itemsize):
        if into == out_of == width and not rest:
            width *= count
        else:
            rest.append((count, into, out_of))
    tallest = max(rest, default=(1, width, width))
    if tallest in rest:
        rest.remove(tallest)
    height, *pitches = tallest
    starts = tuple(
        (sum(k * into for k, (_, into, _) in places), sum(k * out_of for k, (_, _, out_of) in places))
        for places in (tuple(zip(steps, rest, strict=True)) for steps in product(*(range(n) for n, _, _ in rest)))
    )
    return Planes(width, height, (pitches[0], pitches[1]), starts)


def _merged(shape: Shape, target: Shape, source: Shape, itemsize: int) -> Iterator[tuple[int, int, int]]:
    """Axes of more than one step as (count, bytes apart in the target, in the source), innermost in the target first;
    those that make one run of steps on both sides are one."""
    moves = [(n, t * itemsize, s * itemsize) for n, t, s in zip(shape, target, source, strict=True) if n > 1]
    held: tuple[int, int, int] | None = None
    for count, into, out_of in sorted(moves, key=lambda move: move[1]):
        if held is not None and (into, out_of) == (held[0] * held[1], held[0] * held[2]):
            held = (held[0] * count, held[1], held[2])
            continue
        if held is not None:
            yield held
        held = (count, into, out_of)
    if held is not None:
        yield held
