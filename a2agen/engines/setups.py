"""What a kernel is run with, and which of several setups an interleaving takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Setup:
    """Extents (the ranks and every dim) and the cores of a launch; None for the launcher's own number.

    `then`: the extents of the launches that follow, in turn: of n in all, launch i has those of number i modulo n, and
    `values` is number 0. All lie in one memory, each from its start, as large as the largest needs.
    `tile`: the most elements of a task where the launcher chooses tiles, None for what it would take itself.
    """

    values: dict[str, int]
    cores: int | None = None
    then: tuple[dict[str, int], ...] = ()
    tile: int | None = None

    @property
    def shapes(self) -> tuple[dict[str, int], ...]:
        """The extents of the launches, before they repeat."""
        return (self.values, *self.then)


def turn(seed: int, setups: int) -> int:
    """Which of a number of setups the interleaving of a seed has: the first every second time.

    The period is odd, so that each meets both kinds of interleavings, which go by even and odd seeds.
    """
    place = seed % (2 * setups - 1)
    return 0 if place % 2 == 0 else place // 2 + 1
