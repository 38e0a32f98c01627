"""What a kernel is run with, and which of several setups an interleaving takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Setup:
    """Extents (the ranks and every dim) and the cores of a launch; None for the launcher's own number."""

    values: dict[str, int]
    cores: int | None = None


def turn(seed: int, setups: int) -> int:
    """Which of a number of setups the interleaving of a seed has: the first every second time.

    The period is odd, so that each meets both kinds of interleavings, which go by even and odd seeds.
    """
    place = seed % (2 * setups - 1)
    return 0 if place % 2 == 0 else place // 2 + 1
