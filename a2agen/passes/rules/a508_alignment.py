"""An alignment that slabs cannot have.

`align n` starts every slab of a buffer at a multiple of n bytes, counted from the start of the buffer. It is a power
of two, at least one element, and for a `flagged` buffer a multiple of the target's flag block. The buffer has a
slab for each rank, with `to` or `from` as its first axis.

Why it matters: addresses are computed in elements, and a slab that starts within one cannot be addressed; a
flag block that straddles two lines of memory may become visible in halves; and where `to` or `from` is not the
first axis, the slabs interleave row by row, and none of them has a place of its own to start at.

Instead of

    buffer P : [S (from H) D] symmetric align 24

take a power of two, and put the slabs one behind the other:

    buffer P : [from S H D] symmetric align 32
"""

from a2agen.ir.model import Schedule, Storage
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A508", "alignment")
def check(schedule: Schedule, report: Report) -> None:
    for buffer in schedule.buffers:
        if buffer.align is not None and (fault := _slabs(buffer) or _number(schedule, buffer, buffer.align)):
            report(buffer.span, *fault, about=of(buffer))


def _number(schedule: Schedule, buffer: Storage, align: int) -> tuple[str, str] | None:
    """What is wrong with the number, and the way out."""
    least = buffer.element_bytes
    if buffer.flagged and schedule.target.flag_block is not None:
        least = schedule.target.flag_block.block_bytes
    if align & (align - 1) == 0 and align >= least:
        return None
    what = f"an element is {least}" if not buffer.flagged else f"a flag block is {least}"
    wanted = max(least, 1 << (align - 1).bit_length())
    return (
        f"slabs of {buffer.name} cannot start at multiples of {align} bytes: "
        f"{'it is no power of two' if align & (align - 1) else f'{what} bytes'}",
        f"write `align {wanted}`",
    )


def _slabs(buffer: Storage) -> tuple[str, str] | None:
    """Why a buffer has no slabs to align, and the way out."""
    if buffer.overlay is not None:
        return (
            f"{buffer.name} lies in the slab of {buffer.overlay}, so that {buffer.overlay} alone says where it starts",
            f"leave out `align`, or write it for {buffer.overlay}",
        )
    if buffer.peer_axis is None:
        return f"{buffer.name} {buffer.layout} has no slabs: neither `to` nor `from` is in it", "leave out `align`"
    if buffer.layout.axes[0] == buffer.peer_axis:
        return None
    order = " ".join([buffer.peer_axis, *(axis for axis in buffer.layout.axes if axis != buffer.peer_axis)])
    return (
        f"the slabs of {buffer.name} {buffer.layout} interleave, so none of them has a place to start at: "
        f"`{buffer.peer_axis}` is not its first axis",
        f"lay {buffer.name} out as `[{order}]`, or leave out `align`",
    )
