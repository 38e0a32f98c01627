"""What a launcher chooses for its shape, and why, by what it predicts: the link, the tile and the programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from a2agen.ir.expr import Const, Expr, Sym, mul
from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.ways import link_of, remote_bytes, ways
from a2agen.runtime.engines import EngineCosts, fastest
from a2agen.runtime.tiles import Costs, tile, tile_time

_STEPS = 32
"""Sizes at which a choice is looked at, in each doubling."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Microseconds of a call by a link at a shape. `programs` and the `tile` of rows by elements are what the launcher
    takes; None where the host copies."""

    link: str
    us: float
    programs: int | None = None
    tile: tuple[int, int] | None = None

    @property
    def choice(self) -> tuple[str, tuple[int, int] | None]:
        """What a range of sizes has in common."""
        return self.link, self.tile


@dataclass(frozen=True, slots=True)
class Range:
    """Sizes from `first` to `last` at which a launcher takes the same link and tile; `links` has what it predicts of
    each link at the sizes that were looked at, the one that is taken first."""

    first: int
    last: int
    links: tuple[tuple[Prediction, ...], ...]

    @property
    def taken(self) -> Prediction:
        return self.links[0][0]


def task_extents(schedule: Schedule) -> tuple[Expr, Expr, Expr]:
    """What a launcher cuts into tiles: how many rows there are, the elements that lie together in each, and how many
    times that."""
    (phase,) = schedule.phases
    run, rows = analysis.flat_axes(schedule, phase, phase.moves[0])
    outer = mul(Sym(schedule.exchange.ranks), *(Sym(axis) for axis in rows[:-1]))
    return Sym(rows[-1]) if rows else Const(1), mul(*(Sym(axis) for axis in run)), outer


def tile_costs(schedule: Schedule) -> Costs:
    """The profile's figures of a link of cores, as the runtime wants them: microseconds, bytes a microsecond."""
    costs = link_of(schedule).costs
    assert costs is not None  # nothing else lets a launcher choose
    return Costs(
        start=costs.start_ns / 1e3,
        latency=costs.task_latency_ns / 1e3,
        task_rate=float(costs.task_rate),
        announce=costs.announce_ns / 1e3,
        rate=float(costs.rate),
    )


def engine_costs(schedule: Schedule) -> EngineCosts | None:
    """The profile's figures of a copy engine, as the runtime wants them; None for a link without."""
    costs = link_of(schedule).engine_costs
    return None if costs is None else EngineCosts(costs.start_ns / 1e3, float(costs.rate))


def chooses(schedule: Schedule) -> bool:
    """Whether the launcher of a sound schedule chooses anything by its shape."""
    return schedule.auto is not None or any(analysis.launcher_tiles(schedule, phase) for phase in schedule.phases)


def predictions(schedule: Schedule, values: Mapping[str, int]) -> dict[str, Prediction]:
    """What the launcher of a schedule that chooses predicts at these extents, by link."""
    found: dict[str, Prediction] = {}
    for way in ways(schedule):
        name, engine = link_of(way).name, engine_costs(way)
        if engine is not None:
            found[name] = Prediction(name, engine.time(remote_bytes(way).evaluate(values)))
            continue
        rows, together, outer = (extent.evaluate(values) for extent in task_extents(way))
        cut = (rows, together, outer, analysis.LARGEST_TILE, analysis.launch_cores(way))
        ranks, itemsize, costs = values[way.exchange.ranks], way.source.element_bytes, tile_costs(way)
        programs, high, long = tile(*cut, ranks=ranks, itemsize=itemsize, costs=costs)
        time = tile_time(*cut, ranks=ranks, itemsize=itemsize, costs=costs)
        found[name] = Prediction(name, time, programs, (high, long))
    return found


def taken(schedule: Schedule, values: Mapping[str, int]) -> Prediction:
    """What the launcher takes at these extents."""
    return ranked(schedule, values)[0]


def ranked(schedule: Schedule, values: Mapping[str, int]) -> list[Prediction]:
    """What the launcher predicts of each link at these extents, the one that it takes first."""
    found = predictions(schedule, values)
    first = fastest({link: prediction.us for link, prediction in found.items()})
    return sorted(found.values(), key=lambda prediction: prediction.link != first)


def varied(schedule: Schedule) -> str:
    """The axis along which a launcher's choice is shown: the one whose rows tasks take several of."""
    rows = task_extents(ways(schedule)[0])[0].names()
    return next(iter(rows), schedule.exchange.dims[0])


def ranges(schedule: Schedule, values: Mapping[str, int]) -> list[Range]:
    """What the launcher takes over all sizes of the varied axis that the bounds admit, the other extents as given.

    Where the choice changes is found exactly between any two of 32 sizes in each doubling that differ in it.
    """
    axis = varied(schedule)
    bounds = schedule.exchange.bounds
    extent = next(e for e in bounds.extents if e.name == axis)
    looked_at: dict[int, list[Prediction]] = {}

    def look(size: int) -> tuple[str, tuple[int, int] | None] | None:
        if size not in looked_at:
            at = {**values, axis: size}
            looked_at[size] = ranked(schedule, at) if all(where.holds(at) for where in bounds.where) else []
        found = looked_at[size]
        return found[0].choice if found else None

    def part(low: int, high: int) -> None:
        if look(low) != look(high) and high - low > 1:
            middle = (low + high) // 2
            part(low, middle)
            part(middle, high)

    sizes = list(_sizes(extent.lo, extent.hi))
    for low, high in zip(sizes, sizes[1:] or sizes, strict=False):
        part(low, high)
    found = []
    for choice, group in groupby(sorted(looked_at), key=look):
        if choice is not None:
            alike = list(group)
            found.append(Range(alike[0], alike[-1], tuple(zip(*(looked_at[size] for size in alike), strict=True))))
    return found


def _sizes(low: int, high: int) -> Iterator[int]:
    while low < high:
        yield low
        low += max(1, low // _STEPS)
    yield high
