"""A role with one core for each other rank moves the own slab.

`one per peer` counts the other ranks, W - 1 of them: no core of the role belongs to the own rank.

Why it matters: nobody moves the own slab, and whoever reads it waits for ever or returns what was there before.

Instead of

    role  sender : even, one per peer
    move  A -> P

move the slabs of the others, and give the own one to a role that shares its tasks among all its cores:

    move  A -> P for others
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A406", "per-peer-moves-own", requires=("A301", "A302"))
def check(schedule: Schedule, report: Report) -> None:
    for phase in schedule.phases:
        for move in phase.moves:
            if phase.role.per_peer and phase.role.cores != "host" and "self" in move.pairs():
                report(
                    move.span,
                    f"role {phase.role.name} has one core for each other rank and none for the own one, "
                    f"and this move is for {move.who}",
                    f"write `move {move.source.name} -> {move.target.name} for others`, "
                    f"and give the own slab to a role that is not one per peer",
                    about=of(phase),
                )
