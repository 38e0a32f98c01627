"""The shapes that a kernel is compiled for: rows of a few lengths, with run lengths of many factors of two and of none.

Triton specialises a kernel for extents that are 1 or multiples of 16, and knows those that have a single value. The
launcher chooses a tile by the shape. Shapes that come to the same text of a kernel are compiled once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from a2agen.ir.model import Schedule
from a2agen.ir.plan import Plan
from a2agen.passes import analysis
from a2agen.passes.choice import task_extents, tile_costs
from a2agen.runtime.tiles import tile

ROW_BYTES = (512, 2048, 8192, 32768)
"""Lengths of what lies together on both sides."""
TOTALS = (1 << 18, 1 << 26)
"""Bytes of a rank's tensor: one that calls for small tiles and few programs, and one for the largest and all."""
DIVISOR = 16
"""Triton knows of an extent whether it is a multiple of this."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Extents by name, and the constants and programs that the launcher takes for them.

    `row_bytes` lie together on both sides, None where a spec says the tile. `bits` is the width of accesses to
    expect, None where nothing is known of it, as of a strided input.
    """

    values: dict[str, int]
    constants: dict[str, int]
    programs: int
    row_bytes: int | None = None
    bits: int | None = None

    @property
    def variant(self) -> tuple[object, ...]:
        """What Triton makes a kernel of its own for."""
        kinds = tuple(1 if v == 1 else 2 if v % DIVISOR == 0 else 0 for v in self.values.values())
        return (kinds, tuple(self.constants.items()))

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.values.items())


def shapes(plan: Plan, warps: int = 4) -> tuple[Shape, ...]:
    """The shapes for the kernels of a plan whose programs have so many warps, no two of them of one variant."""
    found: dict[tuple[object, ...], Shape] = {}
    for shape in _tuned(plan, warps) if plan.tuned else _cases(plan):
        found.setdefault(shape.variant, shape)
    return tuple(found.values())


def _cases(plan: Plan) -> Iterator[Shape]:
    for case in plan.schedule.exchange.cases:
        yield Shape(dict(case.values), dict(plan.constants), plan.cores)


def _tuned(plan: Plan, warps: int) -> Iterator[Shape]:
    """Rows of ROW_BYTES, or the shapes of the cases where the bounds admit no such row."""
    run, rows = _axes(plan.schedule)
    size = plan.schedule.source.element_bytes
    extents = [
        _extents(plan.schedule, run, rows, row_bytes // size, total // size, odd)
        for row_bytes, total, odd in product(ROW_BYTES, TOTALS, (False, True))
    ]
    admitted = [values for values in extents if values is not None]
    for values in admitted or [dict(case.values) for case in plan.schedule.exchange.cases]:
        yield shape_of(plan, values, warps)


def shape_of(plan: Plan, values: dict[str, int], warps: int = 4) -> Shape:
    """The shape of a plan whose tiles the launcher chooses, at these extents."""
    run, _ = _axes(plan.schedule)
    size = plan.schedule.source.element_bytes
    programs, constants = _chosen(plan, values)
    together = prod(constants[name] for name, axis in plan.tuned if axis is None)
    elements = min(together, prod(constants.values()) // (warps * 32), _known_factor(plan.schedule, run, values))
    row = prod(values[axis] for axis in run) * size
    bits = None if plan.schedule.source.strided else min(max(elements, 1) * size * 8, 128)
    return Shape(values, constants, programs, row, bits)


def _axes(schedule: Schedule) -> tuple[list[str], list[str]]:
    (phase,) = schedule.phases
    return analysis.flat_axes(schedule, phase, phase.moves[0])


def _known_factor(schedule: Schedule, run: list[str], values: dict[str, int]) -> int:
    """The power of two of which Triton knows that what lies together on both sides is a multiple."""
    factor = 1
    for axis in run:
        fixed = analysis.fixed_extent(schedule, axis)
        factor *= DIVISOR if fixed is None and values[axis] % DIVISOR == 0 else (fixed or 1) & -(fixed or 1)
    return factor


def _chosen(plan: Plan, values: dict[str, int]) -> tuple[int, dict[str, int]]:
    """The programs and the constants that the launcher takes."""
    schedule = plan.schedule
    rows, together, outer = (extent.evaluate(values) for extent in task_extents(schedule))
    most = max(value for name, value in plan.constants if name in dict(plan.tuned))
    size, costs = schedule.source.element_bytes, tile_costs(schedule)
    ranks = values[schedule.exchange.ranks]
    programs, high, long = tile(rows, together, outer, most, plan.cores, ranks=ranks, itemsize=size, costs=costs)
    sizes = {name: long if axis is None else high for name, axis in plan.tuned}
    return programs, {**dict(plan.constants), **sizes}


def _extents(
    schedule: Schedule, run: list[str], rows: list[str], elements: int, total: int, odd: bool
) -> dict[str, int] | None:
    """Extents within the bounds with so many elements in a row, one less along each axis where `odd`, and as near to
    the total as rows go; None where the bounds allow no such row."""
    bounds = {e.name: (e.lo, e.hi) for e in schedule.exchange.bounds.extents}
    ranks = schedule.exchange.ranks
    values = {ranks: bounds[ranks][1]}
    left = elements
    for n, axis in enumerate(reversed(run)):
        most = 1 << (bounds[axis][1].bit_length() - 1)
        # Two or more along the outer axes, so that a row is made of several of their steps.
        take = min(most, left // 2 ** (len(run) - 1 - n))
        values[axis] = take
        left //= max(take, 1)
    if left > 1 or prod(values[axis] for axis in run) != elements:
        return None
    if odd:
        values |= {axis: max(values[axis] - 1, 1) for axis in run}
    for axis in rows[:-1]:
        values[axis] = max(bounds[axis][0], min(2, bounds[axis][1]))
    if rows:
        taken = prod(values.values())
        low, high = bounds[rows[-1]]
        values[rows[-1]] = max(low, min(total // taken, high))
    ordered = {e.name: values[e.name] for e in schedule.exchange.bounds.extents}
    return ordered if schedule.exchange.bounds.admits(ordered) else None
