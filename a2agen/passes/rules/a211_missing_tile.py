"""A load/store link without a tile.

The cores copy tile by tile through their own memory, and the spec says how large a tile is. Only an engine
moves a slab at once.

A GPU whose programs store straight into a symmetric output, and announce it per peer, can do without: the launcher
then chooses the tile by the shape.

Why it matters: a core can hold neither a slab nor a guess: the tile decides how the cores share the work, which
words announce it, and how much of the on-chip buffer is taken.

Instead of

    phase read on reader {
      move P -> C
      link mte
    }

name the axes that a tile has more than one element of:

    phase read on reader {
      move P -> C
      link mte
      tile S 8, D 256
    }
"""

from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A211", "missing-tile")
def check(schedule: Schedule, report: Report) -> None:
    for phase in schedule.phases:
        link = schedule.target.links.get(phase.link.name)
        if link is None or link.kind != "load_store" or analysis.launcher_tiles(schedule, phase):
            continue
        # A phase of the host has no tile whatever its link: the role or the link is wrong.
        if phase.tile is None and phase.role.cores != "host":
            inner = schedule.exchange.source.layout.axes[-1]
            report(
                phase.link.span,
                f"{phase.name} copies by {link.name} and has no tile",
                f"add `tile {inner} 256`, or a tile along more axes",
                about=("phase", phase.name),
            )
