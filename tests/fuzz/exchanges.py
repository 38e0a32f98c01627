"""Exchanges at random: dispatch, combine, batches, transposes, of one to five axes and every type."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.fuzz.parts import Exchange

DTYPES = ("bf16", "bf16", "f16", "f32", "i8", "i16", "i32", "i64")
# What a GPU carries besides.
FLOATS_OF_8 = ("f8e4m3", "f8e5m2")
AXES = ("S", "H", "D", "N", "B", "M")
# Bounds of a dim; the least of them matter as much as the largest.
RANGES = ((1, 1), (1, 2), (1, 3), (2, 5), (1, 16), (1, 33), (3, 64), (7, 7), (1, 128), (1, 1024), (5, 4096))
RANKS = ((2, 8), (2, 8), (2, 4), (2, 2), (3, 3), (3, 8), (2, 5), (5, 7))


def exchange(choice: Random, *, gpu: bool, strided: bool) -> Exchange:
    """An exchange; with types of a GPU where it is for one, and now and then strided where the links allow that."""
    names = choice.sample(AXES, choice.choice((1, 1, 2, 2, 2, 3, 3, 3, 4, 5)))
    dims = {name: choice.choice(RANGES) for name in names}
    if max(high for _, high in dims.values()) < 8:
        dims[names[0]] = (1, 64)
    low, high = choice.choice(RANKS)
    # Dispatch, combine, and any order of the axes on both sides.
    source = with_peer(choice, "to", names if choice.random() < 0.7 else choice.sample(names, len(names)))
    result = with_peer(choice, "from", names if choice.random() < 0.7 else choice.sample(names, len(names)))
    return Exchange(
        ranks=(low, high),
        dims=dims,
        most=2 ** choice.randrange(20, 25),
        dtype=choice.choice(FLOATS_OF_8 if gpu and choice.random() < 0.2 else DTYPES),
        source=_merged(choice, source),
        result=_merged(choice, result),
        case={"W": low, **{name: choice.choice((a, min(a + 2, b))) for name, (a, b) in dims.items()}},
        strided=strided and choice.random() < 0.15,
    )


def bounded(choice: Random, made: Exchange) -> Exchange:
    """The exchange with one or two bounds by other extents, which its case keeps; now and then one is said twice."""
    names = ["W", *made.axes]
    found = []
    for _ in range(choice.choice((1, 1, 2))):
        left, right = choice.sample(names, 2)
        factor = -(-made.case[left] // made.case[right]) * choice.choice((1, 1, 2, 16))
        found.append(f"{left} <= {f'{factor} * ' if factor > 1 else ''}{right}")
    return replace(made, bounds=(*found, *(found[:1] if choice.random() < 0.2 else ())))


def with_peer(choice: Random, axis: str, names: list[str]) -> list[str]:
    """The axes with `to` or `from` among them, half of the time outermost."""
    at = 0 if choice.random() < 0.5 else choice.randrange(len(names) + 1)
    return [*names[:at], axis, *names[at:]]


def _merged(choice: Random, axes: list[str]) -> tuple[tuple[str, ...], ...]:
    """Groups of axes, now and then with two or three neighbours merged."""
    groups = [(axis,) for axis in axes]
    if len(axes) > 1 and choice.random() < 0.6:
        at = choice.randrange(len(axes) - 1)
        count = choice.choice((2, 2, 2, 3))
        groups[at : at + count] = [tuple(axes[at : at + count])]
    return tuple(groups)
