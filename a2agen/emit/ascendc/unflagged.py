"""Copies into flag blocks and out of them that the templates cannot print: those of rows that lie apart elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from a2agen.ir.model import Schedule, Storage
from a2agen.passes import analysis
from a2agen.passes.lower.unlowered import Unlowered


def scattered(schedule: Schedule) -> Iterator[Unlowered]:
    """Moves between rows in flag blocks and memory in which such a row is not one run of elements."""
    for phase, move in analysis.moves(schedule):
        if analysis.puts(schedule, phase) or move.source.flagged == move.target.flagged:
            continue
        blocks, other = (move.source, move.target) if move.source.flagged else (move.target, move.source)
        inner = blocks.layout.axes[-1]
        if not _always_one(schedule, inner) and (other.strided or _innermost(schedule, other) != inner):
            yield Unlowered(
                f"a move of flag blocks of {blocks.name}, along {inner}, "
                f"{'from' if other is move.source else 'to'} {other.name} {other.layout}, where {inner} is no run,",
                move.span,
                f"lay {blocks.name} out with the innermost axis of {other.name}",
            )


def _innermost(schedule: Schedule, storage: Storage) -> str | None:
    """The innermost axis that can have more than one element."""
    return next((axis for axis in reversed(storage.layout.axes) if not _always_one(schedule, axis)), None)


def _always_one(schedule: Schedule, axis: str) -> bool:
    return any(e.name == axis and e.hi == 1 for e in schedule.exchange.bounds.extents)
