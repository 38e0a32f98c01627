"""The tile of a copy by the multiprocessors of a GPU, by the shape."""

from __future__ import annotations

LEAST = 1024
"""Elements of the smallest tile where there is a choice: 8 of each thread of four warps, a 16-byte access of bf16."""


def tile(rows: int, together: int, outer: int, most: int, cores: int) -> tuple[int, int]:
    """How many rows, and how many elements of each, a task takes: powers of two, at most `most` elements in all.

    There are `outer` times `rows` rows of `together` elements. The tile is made smaller as long as there are fewer
    tasks than half of the cores, so that small exchanges use many of them too.
    """
    size = most
    while size > min(LEAST, most) and 2 * outer * rows * together < size * cores:
        size //= 2
    long = min(size, _power(together))
    return min(_power(rows), size // long), long


def _power(number: int) -> int:
    """The least power of two that is not below a number."""
    return 1 << (number - 1).bit_length()
