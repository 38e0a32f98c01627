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

from dataclasses import replace

from a2agen.ir.model import Phase, Ready, Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of
from a2agen.passes.rules.trial import accepted, with_phase
from a2agen.passes.rules.wording import listed


@schedule_rule("A603", "announced-finer-than-moved", requires=("A211", "A301", "A303"))
def check(schedule: Schedule, report: Report) -> None:
    for phase, link in linked(schedule):
        if phase.ready.unit == "tile" and (phase.tile is None or link.kind == "put"):
            what = f"a put by {link.name}" if link.kind == "put" else "a phase without a tile"
            report(
                phase.ready.span,
                f"{what} moves a slab or block as a whole, and phase {phase.name} announces tiles of it",
                f"write {listed(_coarser(schedule, phase, report), 'or')}",
                about=of(phase),
            )


def _coarser(schedule: Schedule, phase: Phase, report: Report) -> list[str]:
    """Announcements of more; those that the other rules take come alone, where there are any."""
    span = phase.ready.span
    wider = [Ready("notify", "block", span=span)] if schedule.block else []
    wider.append(Ready("notify", "peer", span=span))
    taken = [r for r in wider if accepted(schedule, with_phase(schedule, phase, replace(phase, ready=r)), report)]
    return [f"`ready {ready}`" for ready in taken or wider]
