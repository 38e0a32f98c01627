"""One slot, and a barrier per block.

With `ready barrier` every core joins one barrier a block: writers before it, readers behind it. A writer that
has left the barrier of block i goes on with block i + 1 while readers still copy block i. So two blocks are in
flight, and each needs a slot of its own; the next barrier proves that the one before last was read.

Why it matters: with one slot the writer overtakes the reader. Rows of the next block appear in the output of
this one, now and then, depending on which core was faster.

Instead of

    buffer L : [S H D] per block slots 1 overlay P[self]
    ready  barrier

hold two blocks:

    buffer L : [S H D] per block slots 2 overlay P[self]
"""

from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A503", "one-slot-barrier")
def check(schedule: Schedule, report: Report) -> None:
    block = schedule.block
    for buffer in schedule.buffers:
        writers = [p for p, _ in analysis.writers(schedule, buffer) if p.ready.kind == "barrier"]
        slots = buffer.slots
        if block is None or slots is None or slots.count >= 2 or not writers:
            continue
        if analysis.slots_reused(schedule, buffer):
            report(
                slots.span,
                f"{buffer.name} has {slots.count} slot, and a barrier per block keeps 2 blocks in flight: phase "
                f"{writers[0].name} writes block i + 1 while block i is read, from {block.axis} = {block.size + 1} on",
                f"write `slots 2` for {buffer.name}",
                about=of(buffer),
            )
