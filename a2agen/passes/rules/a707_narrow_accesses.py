"""Rows or slabs that no shape aligns for the widest accesses.

A core copies 16 bytes at once on a GPU and 32 on Ascend, where every row begins at a multiple of that. Whether it does
is a matter of the shape, and A701 speaks of the cases. Two things in a spec settle it for all shapes: an innermost
extent that is fixed, and an `align` below the width. Where the launcher of a GPU's kernel chooses the tiles, what lies
together on both sides is one row: fixed extents of 2 and 12 elements of bf16 are wide enough together.

Why it matters: a thread that could load 16 bytes loads 2, and has eight times as many instructions to do it with.

Instead of

    dim    D in 12..12                  # rows of 24 bytes of bf16
    buffer P : [from S D] symmetric align 4

leave the alignment of slabs to the profile, and let rows fill whole units where there is a choice:

    dim    D in 16..16
    buffer P : [from S D] symmetric
"""

from math import prod

from a2agen.findings import Severity
from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A707", "narrow-accesses", Severity.ADVICE, requires=("A508",))
def check(schedule: Schedule, report: Report) -> None:
    width = schedule.target.row_align_bytes
    source = schedule.source
    axes, size = analysis.row_axes(schedule), source.element_bytes
    inner = next((e for e in schedule.exchange.bounds.extents if e.name == axes[-1]), None)
    values = [analysis.fixed_extent(schedule, axis) for axis in axes] if inner is not None else []
    row = prod(value or 0 for value in values) * size
    if inner is not None and row % width:
        report(
            inner.span,
            f"rows have {row} bytes at every shape ({' * '.join(axes)} * {size}), and "
            f"{schedule.target.name} copies {width} at once where rows are a multiple of it",
            about=inner.name,
        )
    for buffer in schedule.buffers:
        if buffer.align is not None and buffer.align < width:
            report(
                buffer.span,
                f"slabs of {buffer.name} begin at multiples of {buffer.align} bytes, and {schedule.target.name} copies "
                f"{width} at once from multiples of it",
                f"write `align {width}`, or leave it out for {schedule.target.slab_align_bytes}",
                about=of(buffer),
            )
