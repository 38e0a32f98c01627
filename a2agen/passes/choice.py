"""What a launcher predicts of the links that it chooses between, in words: what `a2agen plan` says of `link auto`."""

from __future__ import annotations

from collections.abc import Mapping

from a2agen.ir.expr import Const, Expr, Sym, mul
from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.ways import described, link_of, remote_bytes, ways
from a2agen.runtime.engines import EngineCosts, fastest
from a2agen.runtime.tiles import Costs, tile, tile_time


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


def times(schedule: Schedule, values: Mapping[str, int]) -> dict[str, tuple[float, str]]:
    """Microseconds of a call by each link at these extents, as the launcher predicts them, and how it would go."""
    found: dict[str, tuple[float, str]] = {}
    for way in ways(schedule):
        engine = engine_costs(way)
        if engine is not None:
            found[link_of(way).name] = (engine.time(remote_bytes(way).evaluate(values)), "by the host")
            continue
        rows, together, outer = (extent.evaluate(values) for extent in task_extents(way))
        cut = (rows, together, outer, analysis.LARGEST_TILE, analysis.launch_cores(way))
        ranks, itemsize, costs = values[way.exchange.ranks], way.source.element_bytes, tile_costs(way)
        programs, high, long = tile(*cut, ranks=ranks, itemsize=itemsize, costs=costs)
        time = tile_time(*cut, ranks=ranks, itemsize=itemsize, costs=costs)
        found[link_of(way).name] = (time, f"{programs} programs, tiles of {high} x {long} elements")
    return found


def describe_choice(schedule: Schedule, shapes: Mapping[str, Mapping[str, int]]) -> str:
    """What the launcher of a schedule with `link auto` takes at shapes, by their names, and why."""
    lines = [
        f"{schedule.exchange.name} by {schedule.declared}: the launcher takes the link that is faster at its shape"
    ]
    lines += [f"  {described(way)}" for way in ways(schedule)]
    for name, values in shapes.items():
        found = times(schedule, values)
        shape = ", ".join(f"{extent} = {value}" for extent, value in values.items())
        remote = remote_bytes(schedule).evaluate(values)
        lines.append(f"  {name or 'for'} {shape}: {remote} bytes to other ranks, predicted")
        taken = fastest({link: time for link, (time, _) in found.items()})
        for link, (time, how) in found.items():
            lines.append(f"    {link:5} {time:8.1f} us  {how}{', taken' if link == taken else ''}")
    return "\n".join(lines) + "\n"
