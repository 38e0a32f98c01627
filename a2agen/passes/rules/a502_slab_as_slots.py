"""A slab that arrives whole, treated as slots, or slots treated as a slab.

A buffer that is `per block` holds a few blocks in turn; any other buffer holds the slab of every rank from its
first row to its last. A phase without a tile moves its slab at once, before the block loop, unless it announces
per block: it cannot take it from slots, which hold one block at a time. And `free barrier` frees slots; a slab
has none.

Why it matters: the index of a slot is the block number modulo the number of slots. Used on a whole slab it
reads the first blocks over and over; the reverse reads past the end of the slots.

Instead of

    buffer P : [from S H D] symmetric
    ready  barrier
    free   barrier

make the buffer per block, or leave out what is about slots:

    buffer P : [from S H D] symmetric per block slots 2
"""

from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A502", "slab-as-slots", requires=("A211", "A301", "A303"))
def check(schedule: Schedule, report: Report) -> None:
    for phase in schedule.phases:
        for move in phase.moves:
            if schedule.block is not None and move.source.slots and analysis.at_once(schedule, phase, move):
                report(
                    move.span,
                    f"phase {phase.name} has no tile, so it moves its slab at once, before the block loop; "
                    f"{move.source.name} holds {move.source.slots.count * schedule.block.size} "
                    f"of {schedule.block.axis} at a time",
                    f"give phase {phase.name} a tile, or announce per block",
                    about=of(phase),
                )
        buffers = [m.target for m in phase.moves if m.target.kind == "buffer"]
        whole = [b.name for b in buffers if b.slots is None]
        if phase.free.kind == "barrier" and whole and len(whole) == len(buffers) == len(phase.moves):
            report(
                phase.free.span,
                f"`free barrier` frees slots, and {whole[0]} has none: it holds every slab as a whole",
                f"leave out `free barrier`, or make {whole[0]} `per block slots 2`",
                about=of(phase),
            )
