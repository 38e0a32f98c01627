"""Announced by the tile, moved as a whole.

`notify per tile` stores one word for each tile, when that tile has arrived. A put moves a whole slab or block,
and a phase without a tile does too: it has no tiles to announce.

Why it matters: readers wait for words of tiles that nobody stores, for ever; or a put that is announced tile by
tile says of its first rows that they are there while the engine has yet to send them.

Instead of

    move  A -> P for others
    link  udma
    ready notify per tile

announce what is moved; a reader waits for the block or slab that its tile lies in:

    ready notify per block
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of


@schedule_rule("A603", "announced-finer-than-moved", requires=("A211", "A301", "A303"))
def check(schedule: Schedule, report: Report) -> None:
    for phase, link in linked(schedule):
        if phase.ready.unit == "tile" and (phase.tile is None or link.kind == "put"):
            what = f"a put by {link.name}" if link.kind == "put" else "a phase without a tile"
            units = (
                "`ready notify per block` or `ready notify per peer`" if schedule.block else "`ready notify per peer`"
            )
            report(
                phase.ready.span,
                f"{what} moves a slab or block as a whole, and phase {phase.name} announces tiles of it",
                f"write {units}",
                about=of(phase),
            )
