"""Shapes in which a random spec is simulated: the simulator's own, made cheap enough for thousands of specs."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from a2agen.engines.setups import Setup
from a2agen.engines.small import small_setups
from a2agen.ir.model import Schedule
from a2agen.passes.analysis import common_run, moves

# Tasks of all ranks in a launch: of a cheap shape, and of the cheapest one where none is cheap.
MOST_TASKS = 150
MOST_ALONE = 3_000
# More than any axis has.
WHOLE = 1 << 40


def few_tasks(schedule: Schedule, most: int = MOST_TASKS) -> tuple[Setup, ...]:
    """The simulator's setups with at most so many tasks each, or a little more; the cheapest where all have many more.

    Axes without blocks give way first, the one of the most tiles before others, to a tile that is not full; then the
    ranks; then the blocks, down to three.
    """
    setups = [replace(s, values=_shrunk(schedule, s.values, most)) for s in small_setups(schedule)]
    kept = [s for s in setups if tasks(schedule, s.values) <= 2 * most]
    if not kept:
        cheapest = min(setups, key=lambda s: tasks(schedule, s.values))
        return (cheapest,) if tasks(schedule, cheapest.values) <= MOST_ALONE else ()
    return tuple(s for n, s in enumerate(kept) if s not in kept[:n])


def tasks(schedule: Schedule, values: dict[str, int]) -> int:
    """Tiles that all ranks copy in a launch, and single runs that they put; other moves without tiles are few."""
    ranks = values[schedule.exchange.ranks]
    return ranks**2 * sum(times * prod(_tiles(values, tile).values()) for tile, times in _tiled(schedule))


def _tiled(schedule: Schedule) -> list[tuple[dict[str, int], int]]:
    """The tile of each phase that has one, with how many moves it has; what is split has runs of memory for tiles."""
    dims = schedule.exchange.dims
    found = [({d: p.tile.size(d) for d in dims}, len(p.moves)) for p in schedule.phases if p.tile is not None]
    runs = [common_run(schedule, p, m) for p, m in moves(schedule) if p.link.split]
    return found + [({d: WHOLE if d in run else 1 for d in dims}, 1) for run in runs]


def _tiles(values: dict[str, int], tile: dict[str, int]) -> dict[str, int]:
    return {axis: -(-values[axis] // size) for axis, size in tile.items()}


def _shrunk(schedule: Schedule, given: dict[str, int], most: int) -> dict[str, int]:
    exchange = schedule.exchange
    lows = {e.name: e.lo for e in exchange.bounds.extents}
    values = dict(given)
    for axis in sorted(exchange.dims, key=lambda a: -_most_tiles(schedule, values, a)):
        if tasks(schedule, values) > most and schedule.block_size(axis) is None:
            tile = min((t[axis] for t, _ in _tiled(schedule)), default=1)
            values[axis] = max(lows[axis], min(values[axis], tile - 1))
    if tasks(schedule, values) > most:
        values[exchange.ranks] = max(lows[exchange.ranks], min(2, values[exchange.ranks]))
    block = schedule.block
    if tasks(schedule, values) > most and block is not None:
        values[block.axis] = max(lows[block.axis], min(values[block.axis], 2 * block.size + 1))
    return values if exchange.bounds.admits(values) else given


def _most_tiles(schedule: Schedule, values: dict[str, int], axis: str) -> int:
    return max((_tiles(values, tile)[axis] for tile, _ in _tiled(schedule)), default=1)
