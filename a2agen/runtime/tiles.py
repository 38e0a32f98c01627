"""The tile of a copy by the multiprocessors of a GPU, and the programs that share the tasks, by the shape.

A small model tells how long a launch takes: a fixed start; then what the link takes for the bytes to other ranks, and
what the rounds of tasks take, each as long as a load and the store that waits for it; then the announcements, which all
programs add to one word at each peer, one after the other. Link and rounds overlap, but the nearer they are to each
other the less so: the root of the sum of their squares lies between the longer of them and their sum, and was found to
be within a microsecond or 5 % of what two H200 take for 1 MiB to 1 GiB.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

LEAST = 1024
"""Elements of the smallest tile where there is a choice: 8 of each thread of four warps, a 16-byte access of bf16."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What the parts of a launch take, in microseconds, and rates in bytes a microsecond.

    `latency` is a task's, beside the time of its bytes at `task_rate`; `announce` one program's announcement to one
    peer; `rate` the link's, to all other ranks together.
    """

    start: float
    latency: float
    task_rate: float
    announce: float
    rate: float

    def time(self, tasks: int, task_bytes: int, programs: int, remote_bytes: int, peers: int) -> float:
        """Microseconds of a launch, as a prediction."""
        rounds = -(-tasks // programs) * (self.latency + task_bytes / self.task_rate)
        return self.start + hypot(rounds, remote_bytes / self.rate) + programs * peers * self.announce


def tile(
    rows: int, together: int, outer: int, most: int, cores: int, *, ranks: int, itemsize: int, costs: Costs
) -> tuple[int, int, int]:
    """The programs of a launch, and how many rows and how many elements of each a task takes, powers of two.

    There are `outer` times `rows` rows of `together` elements of `itemsize` bytes. A task takes at most `most`
    elements in all, a launch at most `cores` programs: what the costs say is fastest, and of what is as fast the
    largest tile, then the fewest programs.
    """
    return _best(rows, together, outer, most, cores, ranks, itemsize, costs)[1]


def tile_time(
    rows: int, together: int, outer: int, most: int, cores: int, *, ranks: int, itemsize: int, costs: Costs
) -> float:
    """Microseconds of a launch with the programs and the tile that `tile` gives for the same, as a prediction."""
    return _best(rows, together, outer, most, cores, ranks, itemsize, costs)[0]


def _best(
    rows: int, together: int, outer: int, most: int, cores: int, ranks: int, itemsize: int, costs: Costs
) -> tuple[float, tuple[int, int, int]]:
    """What `tile_time` and `tile` give."""
    remote = outer * rows * together * itemsize * (ranks - 1) // ranks
    found: list[tuple[float, int, int, int, int]] = []
    size = most
    while size >= min(LEAST, most):
        long = min(size, _power(together))
        high = min(_power(rows), size // long)
        tasks = outer * -(-rows // high) * -(-together // long)
        for programs in _numbers(min(cores, tasks)):
            found.append((costs.time(tasks, size * itemsize, programs, remote, ranks - 1), -size, programs, high, long))
        size //= 2
    time, _, programs, high, long = min(found)
    return time, (programs, high, long)


def _numbers(most: int) -> list[int]:
    """Half of the most programs, a quarter and so on, down to one."""
    return [most >> shift for shift in range(most.bit_length())]


def _power(number: int) -> int:
    """The least power of two that is not below a number."""
    return 1 << (number - 1).bit_length()
