"""The text in which `a2agen plan` tells what a launcher chooses by its shape, and why."""

from __future__ import annotations

from collections.abc import Mapping

from a2agen.ir.model import Schedule
from a2agen.passes.choice import Prediction, Range, ranges, ranked, varied
from a2agen.passes.columns import columns
from a2agen.passes.ways import described, link_of, ways


def describe_choice(schedule: Schedule, values: Mapping[str, int] | None) -> str:
    """What the launcher of a schedule takes and why: at a shape, or over all sizes with the other extents as the cases
    have them."""
    what = "the link, the tile and the programs" if schedule.auto else "the tile and the programs"
    lines = [
        f"{schedule.exchange.name} by {schedule.declared}: the launcher takes {what} that it predicts to be fastest"
    ]
    lines += [f"  {_costs(way)}" for way in ways(schedule)]
    axis = varied(schedule)
    rest = [{k: v for k, v in at.items() if k != axis} for at in ([values] if values else _cases(schedule))]
    for n, others in enumerate(rest):
        if others in rest[:n]:
            continue
        lines.append(f"  at {', '.join(f'{name} = {value}' for name, value in others.items())}")
        if values is None:
            lines += columns([_cells(axis, found) for found in ranges(schedule, others)], "    ")
        else:
            at = tuple((prediction,) for prediction in ranked(schedule, values))
            lines += columns([_cells(axis, Range(values[axis], values[axis], at))], "    ")
    if not rest:
        lines.append("  no case says for which shapes to tell it: give one with -D")
    return "\n".join(lines) + "\n"


def _cases(schedule: Schedule) -> list[Mapping[str, int]]:
    return [case.values for case in schedule.exchange.cases]


def _costs(way: Schedule) -> str:
    costs = link_of(way).costs
    if costs is None:
        return described(way)
    return (
        f"{described(way)}; a task takes {costs.task_latency_ns / 1e3:g} us and its bytes at "
        f"{costs.task_rate / 1e3:g} GB/s, telling a peer {costs.announce_ns / 1e3:g} us a program"
    )


def _cells(axis: str, found: Range) -> tuple[str, ...]:
    first, *others = found.links
    how = ("copies of the host", "")
    if found.taken.tile is not None:
        programs = [at.programs for at in first if at.programs is not None]
        high, long = found.taken.tile
        how = (f"tiles of {high} x {long} elements", f"{_span(min(programs), max(programs))} programs")
    slower = ", ".join(f"{at[0].link} {_microseconds(at)}" for at in others)
    because = f"{_microseconds(first)} us" + (f", not {slower}" if slower else "")
    return f"{axis} = {_span(found.first, found.last)}", found.taken.link, *how, because


def _microseconds(at: tuple[Prediction, ...]) -> str:
    return _span(*(f"{us:.1f}" for us in (min(p.us for p in at), max(p.us for p in at))))


def _span(low: object, high: object) -> str:
    return str(low) if low == high else f"{low}..{high}"
