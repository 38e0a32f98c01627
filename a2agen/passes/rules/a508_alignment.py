"""An alignment that memory cannot have.

`align n` starts every slab of a buffer at a multiple of n bytes. It is a power of two, at least one element,
and for a `flagged` buffer a multiple of the target's flag block.

Why it matters: addresses are computed in elements, and a slab that starts within one cannot be addressed; and a
flag block that straddles two lines of memory may become visible in halves.

Instead of

    buffer P : [from S H D] symmetric align 24

take a power of two:

    buffer P : [from S H D] symmetric align 32
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A508", "alignment")
def check(schedule: Schedule, report: Report) -> None:
    for buffer in schedule.buffers:
        align = buffer.align
        if align is None:
            continue
        least = buffer.element_bytes
        if buffer.flagged and schedule.target.flag_block is not None:
            least = schedule.target.flag_block.block_bytes
        if align & (align - 1) or align < least:
            what = f"an element is {least}" if not buffer.flagged else f"a flag block is {least}"
            wanted = max(least, 1 << (align - 1).bit_length())
            report(
                buffer.span,
                f"slabs of {buffer.name} cannot start at multiples of {align} bytes: "
                f"{'it is no power of two' if align & (align - 1) else f'{what} bytes'}",
                f"write `align {wanted}`",
                about=of(buffer),
            )
