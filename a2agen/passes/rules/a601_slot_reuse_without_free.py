"""A slot is written again without knowing that it was read.

A buffer that is `per block` holds a few blocks in turn. Once there are more blocks than slots, a block goes
where an earlier one was, and its writer must know that all readers are done with that one. `ready` tells the
reader that data is there; only `free` tells the writer that it is gone.

Why it matters: a writer that is faster than its reader overwrites rows that are still to be copied. The result
is right as long as the token count is small, and wrong now and then when it is not.

Instead of

    ready notify per tile
    free  none

let the reader give each tile back:

    ready notify per tile
    free  credit per tile

A barrier per block needs no `free`: it frees the slot before the last one by itself. A503 sees to it that there
are two.
"""

from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A601", "slot-reuse-without-free", requires=("A301", "A604"))
def check(schedule: Schedule, report: Report) -> None:
    block = schedule.block
    for phase in schedule.phases:
        if phase.free.kind != "none" or phase.ready.kind in ("none", "barrier") or block is None:
            continue
        reused = [m.target for m in phase.moves if analysis.slots_reused(schedule, m.target)]
        reused = [target for target in reused if analysis.readers(schedule, target)]
        if not reused or reused[0].slots is None:
            continue
        count = reused[0].slots.count
        also = "" if str(phase.ready) == "notify per tile" else " with `ready notify per tile`"
        report(
            phase.free.span,
            f"block i + {count} of {reused[0].name} overwrites block i ({count} slots of {block.size} {block.axis}), "
            f"and nothing tells phase {phase.name} that it was read; from {block.axis} = {count * block.size + 1} on",
            f"write `free credit per tile`{also}, or give every block a slot of its own",
            about=of(phase),
        )
