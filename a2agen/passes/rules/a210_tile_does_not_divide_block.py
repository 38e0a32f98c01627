"""A tile does not divide the block.

All phases share the block loop. Along its axis a block is cut into tiles, and a tile never reaches into the
next block.

Why it matters: a tile that does would be moved in a block in which nobody waits for it, and announced in the
wrong one.

Instead of

    block S by 8
    …
    tile S 16, D 256

take a tile that divides the block, or a larger block:

    block S by 16
    …
    tile S 16, D 256
"""

from math import gcd

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A210", "tile-does-not-divide-block")
def check(schedule: Schedule, report: Report) -> None:
    block = schedule.block
    if block is None:
        return
    for phase in schedule.phases:
        size = phase.tile.size(block.axis) if phase.tile else 1
        if phase.tile and block.size % size:
            report(
                phase.tile.span,
                f"the tile of {phase.name} has {size} elements along {block.axis}, "
                f"which do not divide the block of {block.size}",
                f"write `{block.axis} {gcd(size, block.size)}`",
                about=("phase", phase.name),
            )
