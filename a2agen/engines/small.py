"""Small shapes in which a schedule shows what it does: several blocks, tails, shared roles."""

from __future__ import annotations

from a2agen.ir.model import Schedule
from a2agen.passes import analysis

RANKS = 3
SHARING = 2


def small_shape(schedule: Schedule) -> dict[str, int]:
    """Extents, as small as the spec admits, that show everything.

    Every block loop runs slots + 2 times, the last block and every tile has a tail, and an axis that is neither
    cut nor tiled has two elements.
    """
    exchange = schedule.exchange
    wanted = {exchange.ranks: RANKS, **{name: _extent(schedule, name) for name in exchange.dims}}
    limits = {e.name: (e.lo, e.hi) for e in exchange.bounds.extents}
    values = {name: max(limits[name][0], min(limits[name][1], value)) for name, value in wanted.items()}
    # Where a bound on a product forbids them together, the largest give way.
    while not exchange.bounds.admits(values):
        name = max((n for n in values if values[n] > limits[n][0]), key=lambda n: values[n] - limits[n][0])
        values[name] = max(limits[name][0], values[name] * 3 // 4)
    return values


def small_cores(schedule: Schedule, ranks: int) -> int:
    """Cores with which every role has at least two, as far as the schedule's own number goes."""
    needs = {"all": 1, "even": 0, "odd": 0, "host": 0}
    for role in schedule.roles:
        per_peer = (ranks - 1) * analysis.queues(schedule, role) if role.per_peer else SHARING
        taken = needs[role.cores] if role.rest_of is not None else 0
        needs[role.cores] = max(needs[role.cores], taken + max(per_peer, 1))
    cores = max(needs["all"] + 1, 2 * max(needs["even"], needs["odd"]))
    return min(cores, analysis.launch_cores(schedule))


def _extent(schedule: Schedule, axis: str) -> int:
    tiles = [p.tile.size(axis) for p in schedule.phases if p.tile is not None]
    largest = max(tiles, default=1)
    block = schedule.block_size(axis)
    if block is not None:
        slots = max((s.slots.count for s in schedule.buffers if s.slots is not None), default=1)
        return block * (slots + 1) + _tail(block)
    return 2 if largest == 1 else largest + _tail(largest)


def _tail(size: int) -> int:
    """A part of a block or tile that is odd, so that a smaller power of two does not divide it either."""
    return max(1, min(size - 1, size // 2 + 1 if size % 4 == 0 else size // 2))
