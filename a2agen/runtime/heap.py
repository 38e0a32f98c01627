"""Where the tensors of a symmetric heap lie: a first fit that takes the same places on every rank."""

from __future__ import annotations

from dataclasses import dataclass, field

ALIGNMENT = 1024
"""Bytes of which every tensor starts at a multiple: more than a cache line and than any access of a thread."""


@dataclass(slots=True)
class Places:
    """The free runs of a heap of `size` bytes, as (start, end) in order.

    What is taken depends on the order of calls alone, so ranks that make the same calls get the same places.
    """

    size: int
    _free: list[tuple[int, int]] = field(default_factory=list)
    _taken: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._free = [(0, self.size)]

    def take(self, nbytes: int) -> int:
        """The start of `nbytes` bytes, at least one. Raises MemoryError where no run is long enough."""
        wanted = max(-(-nbytes // ALIGNMENT) * ALIGNMENT, ALIGNMENT)
        for n, (start, end) in enumerate(self._free):
            if end - start >= wanted:
                self._free[n : n + 1] = [(start + wanted, end)] if end - start > wanted else []
                self._taken[start] = wanted
                return start
        longest = max((end - start for start, end in self._free), default=0)
        raise MemoryError(
            f"the symmetric heap of {self.size} bytes has no {wanted} bytes in one piece, the longest has {longest}: "
            "close operators, or set A2AGEN_HEAP_BYTES to more before the first one is built"
        )

    def give(self, start: int) -> None:
        """Free what was taken at `start`. Raises KeyError where nothing was."""
        runs = sorted([*self._free, (start, start + self._taken.pop(start))])
        merged: list[tuple[int, int]] = []
        for first, end in runs:
            if merged and merged[-1][1] == first:
                merged[-1] = (merged[-1][0], end)
            else:
                merged.append((first, end))
        self._free = merged
