"""How a tile is moved on chip: in pieces of rows that are each one run of memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from a2agen.emit import offsets
from a2agen.emit.ascendc.dialect import CPP
from a2agen.emit.manifest import operations
from a2agen.ir.expr import Const, Expr, Min, substitute
from a2agen.ir.model import DTYPES
from a2agen.ir.plan import Access, Copy, Plan, TileAxis

# The gap between rows in memory is counted in bytes, in 32 bits: DataCopyExtParams of the Ascend C reference.
_GAP_LIMIT = 2**32 - 1
UNIT = 32
"""Rows start at multiples of so many bytes on chip."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What one load and one store take: `rows` of a `run` each. No run: rows are single elements. No rows: one run.

    A tile is moved by a loop over each of the `loops` around it.
    """

    run: TileAxis | None
    rows: TileAxis | None
    loops: tuple[TileAxis, ...]


def piece(plan: Plan, copy: Copy) -> Piece:
    """The pieces that a copy is cut into: the rows are those of the longest axis that a gap can lie between.

    What goes into flag blocks or comes out of them is moved row by row.
    """
    several = [axis for axis in copy.tile if axis.offsets is not None]
    if flagged(plan, copy.source) or flagged(plan, copy.target):
        inner = plan.memory((copy.source if flagged(plan, copy.source) else copy.target).memory).axes[-1][0]
        return Piece(
            next(axis for axis in several if axis.axis == inner),
            None,
            tuple(axis for axis in several if axis.axis != inner),
        )
    run = next((axis for axis in reversed(several) if _steps(plan, copy, axis) == (Const(1), Const(1))), None)
    rest = [axis for axis in several if axis is not run]
    near = [axis for axis in rest if all(_near(plan, copy, step) for step in _steps(plan, copy, axis))]
    rows = max(near, key=lambda axis: size(plan, axis), default=None)
    return Piece(run, rows, tuple(axis for axis in rest if axis is not rows))


def flagged(plan: Plan, access: Access) -> bool:
    return plan.memory(access.memory).flags is not None


def step(plan: Plan, access: Access, axis: TileAxis) -> Expr:
    """How many elements apart neighbours along an axis lie."""
    return offsets.stride(plan, plan.memory(access.memory), axis.axis, CPP)


def length(plan: Plan, axis: TileAxis) -> Expr:
    """How many elements of a tile lie on its axis."""
    return Min(_size(plan, axis), axis.extent - axis.start)


def size(plan: Plan, axis: TileAxis) -> int:
    """How many elements a tile has along an axis, behind its end included."""
    return substitute(_size(plan, axis), {name: Const(value) for name, value in plan.constants}).evaluate({})


def can_be_empty(plan: Plan, axis: TileAxis) -> bool:
    """Whether a tile can lie behind the end of its axis: tiles smaller than a block, in the last one."""
    block = plan.schedule.block_size(axis.axis)
    return block is not None and size(plan, axis) < block


def buffer_bytes(plan: Plan) -> int:
    """What the largest piece takes on chip; 0 where no core moves tiles."""
    return max((_bytes(plan, copy) for copy in copies(plan)), default=0)


def blocks(plan: Plan) -> int:
    """The most flag blocks that one piece goes into or comes from; 0 where there are none."""
    counts = [
        -(-size(plan, run) // memory.flags.payload)
        for copy in copies(plan)
        for memory in (plan.memory(copy.source.memory), plan.memory(copy.target.memory))
        if memory.flags is not None and (run := piece(plan, copy).run) is not None
    ]
    return max(counts, default=0)


def copies(plan: Plan) -> Iterator[Copy]:
    """All copies of a plan's kernel."""
    return (op for op in operations(plan.kernel) if isinstance(op, Copy))


def _bytes(plan: Plan, copy: Copy) -> int:
    cut = piece(plan, copy)
    row = (size(plan, cut.run) if cut.run else 1) * DTYPES[plan.memory(copy.source.memory).dtype]
    return (size(plan, cut.rows) if cut.rows else 1) * -(-row // UNIT) * UNIT


def _size(plan: Plan, axis: TileAxis) -> Expr:
    return next((o.size for o in plan.offsets if o.name == axis.offsets), Const(1))


def _steps(plan: Plan, copy: Copy, axis: TileAxis) -> tuple[Expr, Expr]:
    return step(plan, copy.source, axis), step(plan, copy.target, axis)


def _near(plan: Plan, copy: Copy, distance: Expr) -> bool:
    """Whether rows so far apart can be moved at once. What a caller's strides are, nobody knows."""
    known = substitute(distance, {name: Const(value) for name, value in plan.constants})
    if not set(known.names()) <= {e.name for e in plan.schedule.exchange.bounds.extents}:
        return False
    bytes_apart = known * DTYPES[plan.memory(copy.source.memory).dtype]
    return plan.schedule.exchange.bounds.above(bytes_apart, _GAP_LIMIT) is None
