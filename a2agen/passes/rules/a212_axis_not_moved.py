"""A block or a tile along an axis that is not there.

The axis is a dim of the exchange, but the tensors do not have it.

Why it matters: a loop over that axis would move the same elements again and again.

Instead of

    in  A : bf16 [(to S) D]
    …
    tile H 2, D 256

cut an axis that the tensors have:

    in  A : bf16 [(to S) D]
    …
    tile S 2, D 256
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A212", "axis-not-moved")
def check(schedule: Schedule, report: Report) -> None:
    moved = set(schedule.source.layout.axes)
    block = schedule.block
    tensors = f"{schedule.source.name} {schedule.source.layout}"
    if block is not None and block.axis not in moved:
        message = f"the block cuts {block.axis}, which {tensors} does not have"
        report(block.span, message, f"leave out `block {block.axis} by {block.size}`", about="block")
    for phase in schedule.phases:
        for axis, size in phase.tile.sizes if phase.tile else ():
            if axis not in moved:
                message = f"the tile of {phase.name} has an extent along {axis}, which {tensors} does not have"
                span = phase.tile.span if phase.tile else phase.span
                report(span, message, f"leave out `{axis} {size}`", about=(phase.name, axis))
