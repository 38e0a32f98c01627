"""An announcement per block, without blocks.

`block S by 8` cuts the exchange into blocks, which all phases go through in the same order. Without it there is
none to announce.

Why it matters: the words that announce have no index, and the reader none to wait for.

Instead of

    ready  notify per block

say what a block is, or announce the slab as a whole:

    block  S by 8
    ready  notify per peer
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A509", "no-block")
def check(schedule: Schedule, report: Report) -> None:
    if schedule.block is not None or schedule.poisoned:
        return
    axis = schedule.exchange.dims[0]
    for phase in schedule.phases:
        if phase.ready.unit == "block":
            report(
                phase.ready.span,
                f"phase {phase.name} announces per block, and schedule {schedule.name} has no blocks",
                f"write `ready {phase.ready.kind} per peer`, or add `block {axis} by 8` to the schedule",
                about=of(phase),
            )
