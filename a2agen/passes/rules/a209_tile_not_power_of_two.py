"""A tile extent is not a power of two.

Kernels in Triton count the elements of a tile with ranges whose length is a power of two.

Why it matters: the generated kernel would not compile.

Instead of

    emit triton_dist
    …
    tile S 8, D 96

take the next power of two; elements past the end of the axis are masked:

    tile S 8, D 128
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A209", "tile-not-power-of-two")
def check(schedule: Schedule, report: Report) -> None:
    if schedule.emit != "triton_dist":
        return
    for phase in schedule.phases:
        for axis, size in phase.tile.sizes if phase.tile else ():
            if size & (size - 1):
                above = 1 << size.bit_length()
                report(
                    phase.tile.span if phase.tile else phase.span,
                    f"the tile of {phase.name} has {size} elements along {axis}, which is no power of two",
                    f"write `{axis} {above // 2}` or `{axis} {above}`",
                    about=("phase", phase.name),
                )
