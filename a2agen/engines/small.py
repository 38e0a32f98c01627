"""Small shapes in which a schedule shows what it does: several blocks, tails, shared roles, idle cores."""

from __future__ import annotations

from math import prod

from a2agen.engines.setups import Setup
from a2agen.ir.bounds import Bounds
from a2agen.ir.expr import Const
from a2agen.ir.model import Role, Schedule
from a2agen.passes import analysis

RANKS = 3
SHARING = 2
SMALL_TILE = 8
# What a shape may cost: tiles that all ranks copy in a launch, and the same where they are as small as can be; elements
# of a rank's tensor; cores of a rank.
MOST_TILES = 800
MOST_LEAST_TILES = 2400
MOST_ELEMENTS = 1 << 22
MOST_CORES = 16


def small_setups(schedule: Schedule, cores: int | None = None) -> tuple[Setup, ...]:
    """The shapes that a schedule is searched in, `small_shape` first.

    `cores` overrides the number of each; shapes in which that leaves a role without a core are left out, perhaps all.

    The others go where that one does not: a block loop that ends in another slot, cores without a task beside extents
    of 1 and a block that is not full, and a number of ranks that is a power of two. Where the launcher chooses tiles,
    cores also go through tiles of several rows: one that waits for all others through tiles of more than there are.
    """
    whole = _blocks(schedule)
    shapes = [small_shape(schedule), _derived(schedule, RANKS, whole + 1)]
    idle = _fitted(schedule, _extents(schedule, ranks=2, blocks=1, least=True))
    shapes += [idle, _fitted(schedule, _extents(schedule, ranks=4, blocks=2, least=False, plain=1))]
    setups = []
    for values in shapes:
        ranks = values[schedule.exchange.ranks]
        number = cores or (_idle_cores(schedule, values) if values is idle else small_cores(schedule, ranks))
        if cores is None or role_without_core(schedule, ranks, cores) is None:
            setups.append(Setup(values, number, tile=small_tile(schedule, values)))
    for rows, sharing in _rows(schedule):
        if cores is None or role_without_core(schedule, RANKS, cores) is None:
            setups.append(Setup(rows, cores or sharing, tile=SMALL_TILE))
    return tuple(s for n, s in enumerate(setups) if s not in setups[:n])


def _rows(schedule: Schedule) -> list[tuple[dict[str, int], int]]:
    """Extents and cores with which a tile of the launcher's has several rows: more than there are, and several tiles of
    which the last is not full. None where the spec says the tiles."""
    for phase in schedule.phases:
        if analysis.launcher_tiles(schedule, phase):
            run, around = analysis.flat_axes(schedule, phase, phase.moves[0])
            single = dict.fromkeys(run, 1) | dict.fromkeys(around, 3)
            several = single | dict.fromkeys(run[-1:], SMALL_TILE // 2 - 1) | dict.fromkeys(around, 5)
            wanted = ((single, 1), (several, SHARING))
            return [(_fitted(schedule, {schedule.exchange.ranks: RANKS} | of), cores) for of, cores in wanted]
    return []


def small_shape(schedule: Schedule) -> dict[str, int]:
    """Extents, as small as the spec admits, that show the most.

    Every block loop runs slots + 2 times, the last block and every tile has a tail, and an axis that is neither
    cut nor tiled has two elements. Where that is too large to be run often, other extents give way first, then the
    number of blocks.
    """
    return _derived(schedule, RANKS, _blocks(schedule))


def small_cores(schedule: Schedule, ranks: int) -> int:
    """Cores with which every role has at least two, as far as the schedule's own number goes.

    Two too where the host moves all data, to share what the kernels around its copies announce.
    """
    if analysis.of_host(schedule):
        return min(SHARING, analysis.launch_cores(schedule))
    needs = {"all": 1, "even": 0, "odd": 0, "host": 0}
    for role in schedule.roles:
        per_peer = (ranks - 1) * analysis.queues(schedule, role) if role.per_peer else SHARING
        taken = needs[role.cores] if role.rest_of is not None else 0
        needs[role.cores] = max(needs[role.cores], taken + max(per_peer, 1))
    cores = max(needs["all"] + 1, 2 * max(needs["even"], needs["odd"]))
    return min(cores, analysis.launch_cores(schedule))


def small_tile(schedule: Schedule, values: dict[str, int]) -> int | None:
    """The tile with which a small shape has several tasks, for a launcher that chooses its tiles; None for others."""
    if not any(analysis.launcher_tiles(schedule, phase) for phase in schedule.phases):
        return None
    exchange = schedule.exchange
    elements = values[exchange.ranks] ** 2 * prod(values[d] for d in exchange.dims)
    return SMALL_TILE if elements <= MOST_TILES * SMALL_TILE else None


def role_without_core(schedule: Schedule, ranks: int, cores: int) -> Role | None:
    """A role that none of `cores` cores is in, though its phases have work; the kernel would wait for it for ever."""
    for role in dict.fromkeys(phase.role for phase in schedule.phases if phase.role.cores != "host"):
        lanes = analysis.class_lanes(Const(cores), role.cores).evaluate({})
        leader = next((r for r in schedule.roles if r.name == role.rest_of), None)
        if leader is not None and leader.per_peer:
            lanes -= (ranks - 1) * analysis.queues(schedule, leader)
        if lanes < 1:
            return role
    return None


def _idle_cores(schedule: Schedule, values: dict[str, int]) -> int:
    """Cores of which some have no task in any phase, as far as the limits go."""
    few = small_cores(schedule, values[schedule.exchange.ranks])
    halves = any(role.cores in ("even", "odd") for role in schedule.roles)
    wanted = (2 if halves else 1) * (_most_tasks(schedule, values) + 1)
    return max(few, min(wanted, MOST_CORES, analysis.launch_cores(schedule)))


def _most_tasks(schedule: Schedule, values: dict[str, int]) -> int:
    """The most tasks that a phase has at once on a rank."""
    dims = schedule.exchange.dims
    reach = {d: min(values[d], schedule.block_size(d) or values[d]) for d in dims}
    tiles = [p.tile for p in schedule.phases if p.tile is not None]
    each = (prod(-(-reach[d] // tile.size(d)) for d in dims) for tile in tiles)
    return values[schedule.exchange.ranks] * max(each, default=1)


def _blocks(schedule: Schedule) -> int:
    return 2 + max((s.slots.count for s in schedule.buffers if s.slots is not None), default=1)


def _derived(schedule: Schedule, ranks: int, blocks: int) -> dict[str, int]:
    """The extents with that many blocks; fewer and less where those would cost too much."""
    values = _fitted(schedule, _extents(schedule, ranks=ranks, blocks=blocks, least=False))
    most = MOST_TILES
    while not _cheap(schedule, values, most):
        most = MOST_LEAST_TILES
        values = _fitted(schedule, _extents(schedule, ranks=2, blocks=blocks, least=True))
        if blocks == 1:
            break
        blocks = blocks * 3 // 4 if blocks > 2 else blocks - 1
    return values


def _cheap(schedule: Schedule, values: dict[str, int], most_tiles: int) -> bool:
    exchange = schedule.exchange
    ranks = values[exchange.ranks]
    tiled = [(p.tile, len(p.moves)) for p in schedule.phases if p.tile is not None]
    tiles = sum(n * ranks**2 * prod(-(-values[d] // tile.size(d)) for d in exchange.dims) for tile, n in tiled)
    return tiles <= most_tiles and ranks * prod(values[d] for d in exchange.dims) <= MOST_ELEMENTS


def _extents(schedule: Schedule, *, ranks: int, blocks: int, least: bool, plain: int = 2) -> dict[str, int]:
    """Extents with `blocks` blocks, the last with a tail; axes without blocks have a tile and a tail, or `plain`
    elements where no tile cuts them, and 1 with `least`."""
    values = {schedule.exchange.ranks: ranks}
    for axis in schedule.exchange.dims:
        block = schedule.block_size(axis)
        largest = max((p.tile.size(axis) for p in schedule.phases if p.tile is not None), default=1)
        if block is not None:
            values[axis] = block * (blocks - 1) + _tail(block)
        elif least:
            values[axis] = 1
        else:
            values[axis] = max(plain, _chosen(schedule, axis)) if largest == 1 else largest + _tail(largest)
    return values


def _chosen(schedule: Schedule, axis: str) -> int:
    """Elements of an axis with which tiles of the launcher's choice are several, the last not full; 1 where the spec
    says the tiles."""
    for phase in schedule.phases:
        if analysis.launcher_tiles(schedule, phase):
            run, _ = analysis.flat_axes(schedule, phase, phase.moves[0])
            return SMALL_TILE + 1 if run == [axis] else 3
    return 1


def _fitted(schedule: Schedule, wanted: dict[str, int]) -> dict[str, int]:
    """The values that the spec admits nearest to those."""
    bounds = schedule.exchange.bounds
    least = _least(bounds)
    values = {name: max(least[name], min(bounds.extent(name).hi, value)) for name, value in wanted.items()}
    # Where a bound on a product forbids them together, the largest give way: of a bound by extents, those on its left.
    while broken := next((where for where in bounds.where if not where.holds(values)), None):
        names = values if isinstance(broken.right, Const) else broken.left.names()
        name = max(names, key=lambda n: values[n] - least[n])
        if values[name] == least[name]:
            return least
        values[name] = max(least[name], values[name] * 3 // 4)
    return values


def _least(bounds: Bounds) -> dict[str, int]:
    """Values that the bounds admit: the least of every extent, or where a bound by extents forbids that, such that none
    of them can be less alone."""
    low = {e.name: e.lo for e in bounds.extents}
    return low if all(where.holds(low) for where in bounds.where) else bounds.above(Const(1), 0) or low


def _tail(size: int) -> int:
    """A part of a block or tile that is odd, so that a smaller power of two does not divide it either."""
    return max(1, min(size - 1, size // 2 + 1 if size % 4 == 0 else size // 2))
